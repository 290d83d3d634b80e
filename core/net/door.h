/* The door of an address: who may come in there, and what they may do. Doors of this machine, a UNIX socket's and a loopback's,
 * are open unless they are told otherwise; all others take TLS and a list. A door belongs to its listener, on the thread of its
 * loop. */
#ifndef ROBO_DOOR_H
#define ROBO_DOOR_H

#include "guests.h"
#include "socket.h"

/* One who has come in and has not been let in yet. Zeroed: it does not wait. */
struct robo__stranger {
    struct robo__stranger *next, **at;
    uint8_t origin[ROBO__ORIGIN]; /* the machine that it comes from (socket.h) */
};

/* STRANGERS: of a door that looks at who comes, as many may wait at once; when one more comes, one is dropped who has waited
 * longest: of the machine of who comes, if more than MANY come from there, else of all. So those who stall cost bounded memory,
 * and one machine that floods is in its own way alone. */
enum { ROBO__STRANGERS = 256, ROBO__MANY = 64 };

/* What a client has shown. Zeroed: nothing. */
struct robo__badge {
    bool has_key, has_token;
    uint8_t key[ROBO__HASH], token[ROBO__HASH];
};

struct robo__door {
    bool listed;                /* only who is listed has more than `open` */
    uint8_t open;               /* enum robo_role of who shows nothing; 0: is not let in */
    struct robo__guests guests; /* those who are listed */
    struct robo__stranger *first, **last; /* who wait, the longest first */
    unsigned strangers;
};

/* Reads who may come in at a listening address, and fills in the files that it does not name from the user's own (home.h).
 * ROBO_EADDRESS, ROBO_ENOMEM with words in why, which end with what to type. */
int robo__door_open(struct robo__door *door, struct robo__url *url, char why[256]);
void robo__door_close(struct robo__door *door);

/* Reads the lists again; when that fails, they stay as they are. *before: what they were, to be freed or to be restored. */
int robo__door_reload(struct robo__door *door, const struct robo__url *url,
                      struct robo__guests *before, char why[256]);
void robo__door_restore(struct robo__door *door, const struct robo__guests *before);

/* The greatest role that who shows this may have; 0: is not let in. A token that is not listed lets nobody in, whatever else is
 * shown. */
uint8_t robo__door_role(const struct robo__door *door, const struct robo__badge *badge);

/* Begins and ends to wait. */
void robo__door_wait(struct robo__door *door, struct robo__stranger *stranger);
void robo__door_wait_no_more(struct robo__door *door, struct robo__stranger *stranger);

/* Who must go, since too many wait now that this one does; NULL: nobody. */
struct robo__stranger *robo__door_crowded(const struct robo__door *door,
                                          const struct robo__stranger *newest);

/* Takes a token as part of what is shown. false: without OpenSSL, or without memory. */
bool robo__badge_token(struct robo__badge *badge, const char *token);

#endif
