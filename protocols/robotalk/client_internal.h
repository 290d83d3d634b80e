/* Shared by the parts of the client: client.c (up and down), incoming.c (received packages), calls.c (sent
 * packages) and pulse.c (the clock and the signs of life). */
#pragma once

#include "client.h"
#include "robotalk/watchers.h"

/* A public function takes the lock of a shared loop, and gives it back when it returns. */
static inline robo_loop *robo__client_lock(const robo_client *client)
{
    if (client->loop)
        robo_loop_lock(client->loop);
    return client->loop;
}
static inline void robo__client_unlock(robo_loop *const *loop)
{
    if (*loop)
        robo_loop_unlock(*loop);
}
#define ROBO__LOCKED(client)                                                        \
    robo_loop *const locked __attribute__((cleanup(robo__client_unlock), unused)) = \
        robo__client_lock(client)

/* ---- client.c ---- */

/* Room for the events of n more answers, besides those that are awaited already and a few for the link. false: no
 * memory; then they must not be requested. */
bool robo__client_room(robo_client *client, size_t n);
void robo__client_event(robo_client *client, int kind, uint16_t op, uint32_t session, uint32_t id);
/* Calls the owner's notify. */
void robo__client_notify(robo_client *client);
/* Keeps a server's message for robo_client_why. It may end on a terminal: no control characters. */
void robo__client_explain(robo_client *client, const char *text);
/* hello was answered: the connection is up, and its sessions are opened again. */
void robo__client_greeted(robo_client *client, const struct robo_reply_hello *answer,
                          robo_time now);
/* Hangs up, as when the link is lost. */
void robo__client_drop(robo_client *client, int error, const char *why, robo_time now);

/* The reason why calls that need the connection fail while it is down. */
static inline int robo__client_offline(const robo_client *client)
{
    return client->refused ? client->error : ROBO_ELINK;
}

/* ---- incoming.c ---- */

/* Works on the packages that are whole; a stream's `received` (core/net/stream.h). */
size_t robo__client_received(struct robo__stream *stream, const uint8_t *bytes, size_t n,
                             robo_time now);
/* The reply to a query: a state without optional parts takes no room for them. */
const struct robo_message *robo__client_reply(const struct robo_operation *query, uint8_t more);
/* Gives the client's own answers where the server will not answer any more, each once: for all of a session, or with
 * 0 for all there is. */
void robo__client_end_answers(robo_client *client, uint32_t session, int error,
                              enum robo_signal signal, enum robo_reason why, robo_time now);

/* ---- calls.c ---- */

/* The id that the next query or command will have. */
uint32_t robo__client_next_id(const robo_client *client);
/* As robo_request, for questions of the client's own: their answers are not kept and make no event. */
int64_t robo__client_request(robo_client *client, enum robo_query query, const void *body);
/* The same in a session. */
int64_t robo__client_tell(robo_client *client, uint32_t session, enum robo_query query,
                          const void *body);
/* One turn of its loop, or, where a thread turns that, the wait for one. As robo_poll, also when there are events. */
int robo__client_turn(robo_client *client, robo_time wait);
/* Closes a session on the server's side. */
void robo__client_close_wire(robo_client *client, uint32_t wire);
/* Sends the open query of a session. again: after a lost link; no call waits for the answer, but its event comes. */
int robo__client_open_session(robo_client *client, struct robo__client_session *session,
                              bool again);
/* Sends a header alone. */
int robo__client_header(robo_client *client, uint32_t wire, uint8_t flags, uint32_t epoch);

/* ---- pulse.c ---- */

/* Begins with a connection: the id that hello will have, which is the first exchange of readings, and the time after
 * which a server that does not answer it is given up. */
uint32_t robo__pulse_greet(robo_client *client, robo_time now);
/* hello was answered. From here on every header has a stamp. */
void robo__pulse_greeted(robo_client *client, robo_time server_now, robo_time now);
void robo__pulse_synced(robo_client *client, uint32_t id, const struct robo_reply_sync *answer,
                        robo_time now);
/* The next sign of life in the time that the sessions want. */
void robo__pulse_arm(robo_client *client, robo_time now);
void robo__pulse_tick(struct robo__timer *timer, robo_time now);
