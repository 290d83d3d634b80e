/* The client's side of Player's protocol, without a socket: a banner, one request after the other until all devices that are
 * wanted are open, then data. Received messages are checked and handed on; a request without a reply is given up in time, since
 * Player drops some silently. It allocates nothing; its bytes are its owner's. Of one thread. */
#pragma once

#include "player/wire.h"
#include "robotalk.h"

enum robo__far_role {
    ROBO__FAR_BASE,
    ROBO__FAR_HEAD,
    ROBO__FAR_GRIPPER,
    ROBO__FAR_SONAR,
    ROBO__FAR_LASER,
    ROBO__FAR_BUMPER,
    ROBO__FAR_POWER,
    ROBO__FAR_CAMERA,
    ROBO__FAR_ROLES
};

enum {
    ROBO__FAR_SENT = 128,    /* bytes of the longest message to the server */
    ROBO__FAR_MOST = 1 << 22 /* bytes of the largest body that is read: a picture */
};

/* A device of the server; interf 0: none is wanted. */
struct robo__far_device {
    uint16_t interf, index;
};

struct robo__far {
    /* set by its owner: */
    struct robo__far_device device[ROBO__FAR_ROLES];
    bool motors; /* they are to be switched on */
    bool limp;   /* off */
    void *owner;
    /* Data of a device, its geometry or its setting: replies to the requests for these, also a reply that it does not switch motors; the
     * body lies in the bytes that were fed. */
    void (*heard)(void *owner, enum robo__far_role role, const struct robo__player_header *header,
                  const struct robo__player_body *body);
    /* A message of a wanted device cannot be read, and is dropped; NULL: no notice is wanted. */
    void (*malformed)(void *owner, enum robo__far_role role,
                      const struct robo__player_header *header,
                      const struct robo__player_mistake *mistake);
    /* its own: */
    bool greeted, ready;
    unsigned step; /* the request that comes next, or is under way */
    robo_time
        asked; /* when that was sent, 0: not yet; before the greeting, since when that is waited for */
    uint16_t opened; /* bit: role */
    /* by bits of roles: the server lacks it, or did not answer; only sensors may be missing */
    uint16_t missing;
    uint16_t unanswered; /* by bits of roles: these did not answer */
    uint32_t ignored;    /* messages that could not be read, or had no receiver */
    char why[192];       /* why it has failed */
};

/* The option of a descriptor that names the device of a role. */
const char *robo__far_option(enum robo__far_role role);

/* Starts again, on a new connection. */
void robo__far_begin(struct robo__far *far);

/* Works on whole messages: how many bytes are done with; -1: this is no server of Player, or it refuses a device: far->why. */
ptrdiff_t robo__far_feed(struct robo__far *far, const uint8_t *in, size_t n, robo_time now);

/* The next request: its bytes; 0: none now; -1: the one under way has had no reply for too long, without which it cannot go on, or there
 * is no greeting. */
ptrdiff_t robo__far_next(struct robo__far *far, robo_time now, uint8_t out[ROBO__FAR_SENT]);

/* A message to a device: its bytes. */
size_t robo__far_message(const struct robo__far *far, enum robo__far_role role, unsigned type,
                         unsigned subtype, const double *value, unsigned values,
                         uint8_t out[ROBO__FAR_SENT]);

/* Reads "sonar:0", or "sonar", into a device. false: it is no device of that role. */
bool robo__far_parse(enum robo__far_role role, const char *text, struct robo__far_device *device);
