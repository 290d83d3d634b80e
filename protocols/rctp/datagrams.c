/* Datagrams beside a live session's connection: each is one frame. The connection stays, and its end is the session's. */
#include <string.h>

#include "session_state.h"

static bool is_peers(struct robo__datagram *datagram, const uint8_t *bytes, size_t n)
{
    struct robo__rctp_session *s =
        robo__container_of(datagram, struct robo__rctp_session, datagram);
    struct robo_rctp_datagram head;
    return robo_rctp_datagram_read(bytes, n, &head) == 0 && head.token == datagram->token &&
           (!datagram->has_peer || robo_rctp_newer(head.sequence, s->heard)) && s->live && !s->over;
}

static void on_received(struct robo__datagram *datagram, const uint8_t *bytes, size_t n,
                        robo_time now)
{
    struct robo__rctp_session *s =
        robo__container_of(datagram, struct robo__rctp_session, datagram);
    struct robo__rctp_frame frame = { .left = n - ROBO_RCTP_DATAGRAM };
    struct robo_rctp_datagram head;
    robo_rctp_datagram_read(bytes, n, &head);
    s->heard = head.sequence;
    s->beside = true;
    robo__rctp_run_frame(s, &frame, bytes + ROBO_RCTP_DATAGRAM, now);
    s->beside = false;
    robo__rctp_session_heard(s);
    robo__conn_kick(s->conn); /* this may free the session */
}

bool robo__rctp_session_open_datagrams(struct robo__rctp_session *s, uint32_t *token,
                                       uint16_t *port)
{
    const struct robo__conn *conn = s->conn;
    struct robo__datagram *datagram = &s->datagram;
    datagram->is_peers = is_peers;
    datagram->received = on_received;
    if (conn->stream == 0 || !conn->host->loop ||
        robo__datagram_open(datagram, conn->host->loop, conn->stream - 1) < 0)
        return false;
    *token = datagram->token;
    *port = datagram->port;
    return true;
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
