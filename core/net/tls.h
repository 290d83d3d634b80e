/* TLS 1.3 on a connected socket, by OpenSSL (openssl.h). Only robo__tls_connect waits. Sessions are not resumed and
 * nothing is sent early, so received bytes were sent once, by a peer that has proved that it holds its key. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/timer.h"
#include "access.h"

/* The keys of one end, and the keys that it trusts. */
struct robo__tls_keys {
    void *context;
    unsigned users; /* on one thread; the last frees it */
    /* a client's without trust: whether the server is known, and the key that it shows; 0, 1: its key is known */
    int known;
    uint8_t key[ROBO__HASH], shown[ROBO__HASH];
    /* a server's: connections that go on with their handshakes in the next turn
     * (transport_tls.c) */
    struct robo__timer turn;
    struct robo__secured *first, **last;
};

/* Reads the files that a +tls address names: those of a server with that access control, which stays; or, without one, those of
 * a client. ROBO_EADDRESS or ROBO_ENOMEM, with a message in why. */
int robo__tls_keys_open(const struct robo__url *url, const struct robo__access *access,
                        struct robo__tls_keys **keys, char why[256]);
/* Reads them again; handshakes that have begun go on with the old ones. */
int robo__tls_keys_renew(struct robo__tls_keys *keys, const struct robo__url *url,
                         const struct robo__access *access, char why[256]);
void robo__tls_keys_close(
    struct robo__tls_keys *keys); /* connections keep the parts that they need; NULL too */

/* Adds the public keys of a file of certificates to the access list; each has the role "operate". ROBO_E… with a
 * message in why. */
int robo__tls_list(struct robo__access_list *list, const char *file, char why[256]);

/* The hash of a certificate's public key, an X509 of OpenSSL: SHA-256 of its SubjectPublicKeyInfo. */
bool robo__tls_key_of(void *cert, uint8_t key[ROBO__HASH]);

/* One end of a connection; it belongs to one thread at a time. */
struct robo__tls {
    void *ssl;
    int fd;        /* owned */
    bool up;       /* the handshake is done: the identity of the other end is proved */
    bool stuck;    /* it cannot go on reading before the socket takes its output */
    bool broken;   /* no more output is possible */
    bool serves;   /* it is the server's end */
    bool mute;     /* the other end has closed: output is discarded, its last bytes are read */
    int flags;     /* of the next recv; 0: it waits */
    size_t turn;   /* bytes that may still be taken from the socket in this turn */
    size_t before; /* bytes that came before it was up */
    int error;     /* the socket's errno */
    bool ended;    /* the socket has reached its end */
    bool foreign;  /* the first bytes are not TLS */
    bool refused;  /* the server's key differs from the known one */
    char why[160]; /* why it is lost */
};

enum {
    ROBO__TLS_CLOSED = -1 /* the other end has sent its closing alert */,
    ROBO__TLS_LOST = -2 /* why says more */
};

/* The server's end; the handshake goes on as it reads. NULL: no memory, fd is closed. */
struct robo__tls *robo__tls_accept(struct robo__tls_keys *keys, int fd);

/* Connects, shakes hands and checks the server's identity: waits at most `timeout`. A server for which no certificate is
 * named, and that is not known (known_servers.h), is recorded as known; then why has a note, else it is empty. ROBO_EADDRESS,
 * ROBO_ETIMEOUT, ROBO_ENOMEM with a message in why. */
int robo__tls_connect(const struct robo__url *url, robo_time timeout, struct robo__tls **tls,
                      char why[256]);

/* Once it is up: the hash of the public key that the other end has shown, and proved to have. false: it has shown none. */
bool robo__tls_key(const struct robo__tls *tls, uint8_t key[ROBO__HASH]);

/* The next bytes, at most n, of records that were verified: how many; 0: none now; ROBO__TLS_CLOSED, ROBO__TLS_LOST. Takes at
 * most `turn` bytes from the socket. */
ptrdiff_t robo__tls_read(struct robo__tls *tls, uint8_t *out, size_t n);

/* How many bytes were taken; 0: none now, and then the next write begins with the same bytes; ROBO__TLS_LOST. */
ptrdiff_t robo__tls_write(struct robo__tls *tls, const uint8_t *bytes, size_t n);

/* Notifies the other end, if that is possible at once, and closes. */
void robo__tls_close(struct robo__tls *tls);
