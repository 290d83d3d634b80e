/* What the two halves of the client share: client.c (life, what comes in) and calls.c (what goes out). */
#ifndef ROBO_ROBOTALK_CLIENT_INTERNAL_H
#define ROBO_ROBOTALK_CLIENT_INTERNAL_H

#include "client.h"

void robo__client_event(robo_client *client, int kind, uint16_t op, uint32_t session, uint32_t id);

/* The id that the next query or command will have. */
uint32_t robo__client_next_id(const robo_client *client);

/* As robo_ask, for questions of the client's own: their answers are not kept and make no event. */
int64_t robo__client_ask(robo_client *client, enum robo_query query, const void *body);

/* Closes a session on the server's side. */
void robo__client_close_wire(robo_client *client, uint32_t wire);

/* Sends the open query of a session. again: after a lost link; nobody waits for the answer, but its event comes. */
int robo__client_open_session(robo_client *client, struct robo__client_session *session,
                              bool again);

/* Sends a header alone. */
int robo__client_header(robo_client *client, uint32_t wire, uint8_t flags, uint32_t epoch);

#endif
