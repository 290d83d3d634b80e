/* A UDP socket beside the TCP connection of one peer: at the same address of this machine, at a port of its own, and for that
 * peer's machine alone. Its owner says which of what it receives is the peer's; datagrams go to where the last one of these came
 * from. On the thread of its loop; a member of its owner, zeroed memory is a closed one. */
#ifndef ROBO_DATAGRAM_H
#define ROBO_DATAGRAM_H

#include "loop.h"

/* ADDRESS: bytes of an address of IPv4 or IPv6, with its port; LONGEST: bytes of a datagram; longer ones are dropped; WORK: short
 * datagrams that are read in one turn of the loop, of all sockets together: some 160 us. A long one counts for several. */
enum { ROBO__DATAGRAM_ADDRESS = 32, ROBO__DATAGRAM_LONGEST = 8192, ROBO__DATAGRAM_WORK = 32 };

struct robo__datagram {
    struct robo__watch watch; /* on while it is open */
    uint16_t port;
    uint32_t token; /* drawn by chance: for the owner's protocol to tell its peer's datagrams by */
    bool has_peer;
    bool *closed; /* set when it is closed; of who reads from it now, else NULL */
    _Alignas(8) uint8_t peer[ROBO__DATAGRAM_ADDRESS]; /* its port is known with has_peer */
    /* Whether it is the peer's. */
    bool (*is_peers)(struct robo__datagram *datagram, const uint8_t *bytes, size_t n);
    /* One that is. It may close the socket, and free it. */
    void (*received)(struct robo__datagram *datagram, const uint8_t *bytes, size_t n,
                     robo_time now);
};

/* The two functions are set. stream: the descriptor of the connection. ROBO_EINVAL: it is none of TCP; ROBO_ESYSTEM. */
int robo__datagram_open(struct robo__datagram *datagram, robo_loop *loop, int stream);

/* To the peer; dropped when there is no room, or nothing has come from it yet. */
void robo__datagram_send(struct robo__datagram *datagram, const uint8_t *bytes, size_t n);

void robo__datagram_close(struct robo__datagram *datagram);

#endif
