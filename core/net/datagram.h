/* A UDP socket beside the TCP connection of one peer: at the same address of this machine, at a port of its own, and for that
 * peer's machine alone. Its owner says which received datagrams are the peer's; replies go to where the last one of these
 * came from. On the thread of its loop; a member of its owner, zeroed memory is a closed one. */
#pragma once

#include "loop.h"

/* ADDRESS: bytes of an address of IPv4 or IPv6, with its port; LONGEST: bytes of a datagram; longer ones are dropped; WORK: the
 * work of one turn of the loop, for all sockets together, some 160 us; the last socket may exceed it. Its unit is what the owners
 * count, a message or a line of a text; to read one datagram is as much as EACH of them. */
enum {
    ROBO__DATAGRAM_ADDRESS = 32,
    ROBO__DATAGRAM_LONGEST = 8192,
    ROBO__DATAGRAM_WORK = 256,
    ROBO__DATAGRAM_EACH = 8
};

struct robo__datagram {
    struct robo__watch watch; /* off while it waits for its turn */
    bool open;
    uint16_t port;
    uint32_t token; /* random: the owner's protocol recognises the datagrams of its peer by it */
    bool has_peer;
    bool
        owes; /* the owner's: it has not done all of the last one; nothing more is read before it has */
    bool *closed;             /* set when it is closed; belongs to the current reader, else NULL */
    robo_time had;            /* when it was served last */
    struct robo__timer place; /* in the queue of those that wait for their turns */
    _Alignas(8) uint8_t peer[ROBO__DATAGRAM_ADDRESS]; /* its port is known with has_peer */
    /* Whether it is the peer's. */
    bool (*is_peers)(struct robo__datagram *datagram, const uint8_t *bytes, size_t n);
    /* A datagram that is wanted, and the rest of one that the owner had not finished: return how much work that was. Either may
     * close the socket, and free it. */
    size_t (*received)(struct robo__datagram *datagram, const uint8_t *bytes, size_t n,
                       robo_time now);
    size_t (*go_on)(struct robo__datagram *datagram, robo_time now);
};

/* The functions are set; go_on may be NULL when nothing is ever owed. stream: the descriptor of the connection. ROBO_EINVAL: it is none of TCP; ROBO_ESYSTEM. */
int robo__datagram_open(struct robo__datagram *datagram, robo_loop *loop, int stream);

/* To the peer; dropped when there is no room, or nothing was received from it yet. */
void robo__datagram_send(struct robo__datagram *datagram, const uint8_t *bytes, size_t n);

void robo__datagram_close(struct robo__datagram *datagram);
