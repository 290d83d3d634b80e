/* The access control of an address: which clients are accepted there, and what they may do. Addresses of this machine, a
 * UNIX socket's and a loopback's, are open by default; all others require TLS and a list. It belongs to its listener, on
 * the thread of its loop. */
#pragma once

#include <time.h>

#include "access_list.h"
#include "socket.h"

/* An unauthenticated connection. Zeroed: it does not wait. */
struct robo__unauthenticated {
    struct robo__unauthenticated *next, **at;
    uint8_t origin[ROBO__ORIGIN]; /* the machine that it comes from (socket.h) */
};

/* UNAUTHENTICATED: the most unauthenticated connections that may wait at an address with a list. One more disconnects the one that has
 * waited longest: among those of the newcomer's machine if more than MANY come from there, else among all. So clients that
 * stall cost bounded memory, and a machine that floods harms only itself. */
enum { ROBO__UNAUTHENTICATED = 256, ROBO__MANY = 64 };

/* The proofs of identity of a client. Zeroed: none. */
struct robo__credentials {
    bool has_key, has_token, has_page; /* has_page: a cookie for that link */
    uint8_t most; /* role that its permissions in a domain of DDS allow; 0: nothing limits it */
    uint8_t key[ROBO__HASH], token[ROBO__HASH], page[ROBO__HASH];
};

struct robo__access {
    bool listed;  /* only listed clients have more than `open` */
    uint8_t open; /* role of a client that shows nothing; 0: refused */
    struct robo__access_list list;
    const char *allow;       /* file of the list, of the listening address; NULL or empty: none */
    struct timespec changed; /* that it was read for a link (protocols/web/links.h) */
    struct robo__unauthenticated *first, **last; /* waiting, the longest first */
    unsigned waiting;
};

/* Reads the access lists of a listening address, and fills in the files that it does not name from the user's own
 * (user_files.h). ROBO_EADDRESS, ROBO_ENOMEM with a message in why, which ends with what to type. */
int robo__access_open(struct robo__access *access, struct robo__url *url, char why[256]);
void robo__access_close(struct robo__access *access);

/* Reads the lists again; when that fails, they stay as they are. *before: the former lists, to be freed or to be
 * restored. */
int robo__access_reload(struct robo__access *access, const struct robo__url *url,
                        struct robo__access_list *before, char why[256]);
void robo__access_restore(struct robo__access *access, const struct robo__access_list *before);

/* The greatest role for these credentials; 0: refused. A token that is not listed is always refused, even together with a listed
 * key. */
uint8_t robo__access_role(const struct robo__access *access,
                          const struct robo__credentials *credentials);

/* Whether clients without a key are accepted: by a token, or, where there are pages, by a link. */
bool robo__access_takes_others(const struct robo__access *access,
                               const struct robo__protocol *protocol);

/* Whether a page's link lets in with the Unix time now. When it is not known, and the file was changed, it is looked for there, and it alone
 * is taken over, so that no stranger's request changes what others may. ROBO_EADDRESS, ROBO_ENOMEM with a message in why. */
int robo__access_open_link(struct robo__access *access, const uint8_t link[ROBO__HASH], int64_t now,
                           char why[256]);

/* Begins and ends to wait. */
void robo__access_wait(struct robo__access *access, struct robo__unauthenticated *pending);
void robo__access_wait_no_more(struct robo__access *access, struct robo__unauthenticated *pending);

/* The connection that must be closed, since too many wait with this one; NULL: none. */
struct robo__unauthenticated *robo__access_crowded(const struct robo__access *access,
                                                   const struct robo__unauthenticated *newest);

/* Takes a token as one of the client's proofs. false: without OpenSSL, or without memory. */
bool robo__credentials_token(struct robo__credentials *credentials, const char *token);
