/* A listener accepts connections at an address and passes them to its owner, which attaches an endpoint to each
 * (transport.h). It is a member of its owner and lives on the thread of its loop. */
#pragma once

#include "transport.h"

enum { ROBO__LISTENERS = 8 }; /* sockets of an address: its host may have several */

struct robo__listener {
    robo_loop *loop;
    struct robo__url url;       /* with the port that was picked */
    struct robo__access access; /* access control */
    const struct robo__transport *transport;

    /* Set by the owner: whether one more connection may be accepted; takes an accepted one. */
    bool (*may_come)(struct robo__listener *listener);
    void (*arrived)(struct robo__listener *listener, struct robo__contact *contact);

    /* the transports' */
    struct robo__listening {
        struct robo__watch watch;
        struct robo__listener *listener;
    } socket[ROBO__LISTENERS];
    int sockets;
    int spare; /* a descriptor held back: given up to accept and refuse when there are none left */
    struct robo__tls_keys *keys;     /* NULL: without TLS */
    struct robo__dds_listening *dds; /* NULL: not by DDS */
    void *served;                    /* the protocol's, by its row's `serve` */
};

/* Listens at listener->url; the owner has set url and its two functions. ROBO_E…, with the reason in why. */
int robo__listener_open(struct robo__listener *listener, robo_loop *loop, char why[256]);
/* Reads its access lists and its own keys again; whatever cannot be read stays as it is. Accepted connections stay. */
int robo__listener_read(struct robo__listener *listener, char why[256]);
/* Accepted connections stay. */
void robo__listener_close(struct robo__listener *listener);

/* For transports: sockets that accept, of TCP and UNIX addresses. */
int robo__listen_sockets(struct robo__listener *listener, char why[256]);
void robo__unlisten_sockets(struct robo__listener *listener);
