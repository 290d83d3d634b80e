/* Datagrams beside a live session's connection: each is one frame. The connection stays, and its end is the session's. */
#include <stdlib.h>
#include <string.h>

#include "robot/world/world.h"
#include "session_state.h"

enum { REST = ROBO__DATAGRAM_LONGEST }; /* bytes that are kept for the rest of one */

/* The responses to one datagram's messages go out together, in datagrams that no network has to cut. */
struct robo__rctp_gathered {
    size_t count;
    uint8_t messages[1400 - ROBO_RCTP_DATAGRAM];
};

static bool is_peers(struct robo__datagram *datagram, const uint8_t *bytes, size_t n)
{
    struct robo__rctp_session *s =
        robo__container_of(datagram, struct robo__rctp_session, datagram);
    struct robo_rctp_datagram head;
    return robo_rctp_datagram_read(bytes, n, &head) == 0 && head.token == datagram->token &&
           (!datagram->has_peer || robo_rctp_newer(head.sequence, s->heard)) && s->live && !s->over;
}

static void send_gathered(struct robo__rctp_session *s)
{
    struct robo__rctp_gathered *g = s->gathered;
    if (g->count > 0)
        robo__rctp_send_datagram(s, g->messages, g->count);
    g->count = 0;
}

/* Handles the frame of a datagram, of which the rest is at `in`, as far as a turn goes; returns how much work that was. The
 * rest is kept for the next turn. */
static size_t run(struct robo__rctp_session *s, const uint8_t *in, robo_time now)
{
    struct robo__rctp_frame *frame = &s->datagram_frame;
    struct robo__rctp_gathered gathered = { .count = 0 };
    const size_t before = frame->left;
    s->gathered = &gathered;
    s->beside = true;
    s->work = 0;
    robo__rctp_run_frame(s, frame, in, now);
    send_gathered(s);
    s->gathered = NULL;
    s->beside = false;
    if (s->over)
        frame->left = 0;
    if (frame->left > 0)
        memmove(s->rest, in + before - frame->left, frame->left);
    s->datagram.owes = frame->left > 0;
    const size_t work = s->work;
    robo__rctp_session_heard(s);
    robo__conn_kick(s->conn); /* this may free the session */
    return work;
}

static size_t on_received(struct robo__datagram *datagram, const uint8_t *bytes, size_t n,
                          robo_time now)
{
    struct robo__rctp_session *s =
        robo__container_of(datagram, struct robo__rctp_session, datagram);
    struct robo_rctp_datagram head;
    robo_rctp_datagram_read(bytes, n, &head);
    s->heard = head.sequence;
    s->text[1].object = 0; /* the end of a text that had begun was lost */
    s->datagram_frame =
        (struct robo__rctp_frame){ .left = n - ROBO_RCTP_DATAGRAM, .in_turns = true };
    return run(s, bytes + ROBO_RCTP_DATAGRAM, now);
}

static size_t on_turn(struct robo__datagram *datagram, robo_time now)
{
    struct robo__rctp_session *s =
        robo__container_of(datagram, struct robo__rctp_session, datagram);
    return run(s, s->rest, now);
}

/* Room for it, of the world's budget; false: there is none. */
static bool make_rest(struct robo__rctp_session *s)
{
    struct robo__budget *budget = robo__world_memory(s->conn->host->world);
    if (!robo__budget_take(budget, 0, REST))
        return false;
    s->rest = malloc(REST);
    if (!s->rest)
        robo__budget_give(budget, REST);
    return s->rest;
}

bool robo__rctp_session_open_datagrams(struct robo__rctp_session *s, uint32_t *token,
                                       uint16_t *port)
{
    const struct robo__conn *conn = s->conn;
    struct robo__datagram *datagram = &s->datagram;
    datagram->is_peers = is_peers;
    datagram->received = on_received;
    datagram->go_on = on_turn;
    if (conn->stream == 0 || !conn->host->loop || !make_rest(s))
        return false;
    if (robo__datagram_open(datagram, conn->host->loop, conn->stream - 1) < 0) {
        robo__rctp_close_datagrams(s);
        return false;
    }
    *token = datagram->token;
    *port = datagram->port;
    return true;
}

void robo__rctp_close_datagrams(struct robo__rctp_session *s)
{
    robo__datagram_close(&s->datagram);
    s->datagram_frame.left = 0;
    if (s->rest)
        robo__budget_give(robo__world_memory(s->conn->host->world), REST);
    free(s->rest);
    s->rest = NULL;
}

void robo__rctp_say_datagram(struct robo__rctp_session *s, const uint8_t *messages, size_t n)
{
    struct robo__rctp_gathered *g = s->gathered;
    if (!g || n > sizeof g->messages) {
        robo__rctp_send_datagram(s, messages, n);
        return;
    }
    if (g->count + n > sizeof g->messages)
        send_gathered(s);
    memcpy(g->messages + g->count, messages, n);
    g->count += n;
}

void robo__rctp_send_datagram(struct robo__rctp_session *s, const uint8_t *messages, size_t n)
{
    uint8_t bytes[ROBO__DATAGRAM_LONGEST];
    const struct robo_rctp_datagram head = { s->datagram.token, ++s->sent };
    if (n > sizeof bytes - ROBO_RCTP_DATAGRAM)
        return;
    robo_rctp_datagram_write(bytes, &head);
    memcpy(bytes + ROBO_RCTP_DATAGRAM, messages, n);
    robo__datagram_send(&s->datagram, bytes, ROBO_RCTP_DATAGRAM + n);
}
