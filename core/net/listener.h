/* Who listens at an address: what comes in there is handed on, to be given an endpoint (transport.h). It lives on its loop's
 * thread. */
#ifndef ROBO_LISTENER_H
#define ROBO_LISTENER_H

#include "transport.h"

enum { ROBO__LISTENERS = 8 }; /* sockets of an address: its host may have several */

struct robo__listener {
    robo_loop *loop;
    struct robo__url url; /* with the port that was picked */
    const struct robo__transport *transport;

    /* The owner's: whether one more may come, and one that has. */
    bool (*may_come)(struct robo__listener *listener);
    void (*arrived)(struct robo__listener *listener, struct robo__contact *contact);

    /* the transports' */
    struct robo__listening {
        struct robo__watch watch;
        struct robo__listener *listener;
    } socket[ROBO__LISTENERS];
    int sockets;
    int spare; /* a descriptor held back: given up to accept and refuse when there are none left */
    struct robo__tls_keys *keys; /* NULL: without TLS */
};

/* Listens at listener->url; the owner has set what is its own. ROBO_E… with words in why. */
int robo__listener_open(struct robo__listener *listener, robo_loop *loop, char why[256]);
/* What came in goes on. */
void robo__listener_close(struct robo__listener *listener);

/* For transports: sockets that accept, of TCP and UNIX addresses. */
int robo__listen_sockets(struct robo__listener *listener, char why[256]);
void robo__unlisten_sockets(struct robo__listener *listener);

#endif
