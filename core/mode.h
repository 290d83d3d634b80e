/* Command modes (RoboTalk section V). A mode is a policy, a script as a rule; what it decides is data that
 * the session then applies to every later package without asking again. */
#ifndef ROBO_MODE_H
#define ROBO_MODE_H

#include <stdbool.h>

#include "robotalk.h"

/* What a client asks for when it opens a session. Texts are borrowed for the call. */
struct robo__mode_request {
    const char *name, *options;
    robo_time delay, duration, deadman, gap, expiry;
    robo_time
        jitter; /* longest delay of a round trip beyond the least, as the client measured; 0: unknown */
};

/* What has arrived on a session so far. A "frame" is the commands of one start; stamps are starts as the
 * client gave them, arrivals are on the robot's clock. Welford's running mean and variance. */
struct robo__arrivals {
    uint64_t frames, packages;
    robo_time first_start, last_start, first_arrival, last_arrival;
    robo_time least, worst; /* arrival - start: least and greatest so far */
    double gap_mean,
        gap_m2;    /* seconds between arrivals of successive packages, and the sum of squares */
    bool finished; /* the client said that no frame follows */
};

struct robo__decision {
    bool hold;        /* keep packages in the playback queue and ask again */
    robo_time shift;  /* when not holding: added to every start */
    robo_time again;  /* when holding: ask again then at the latest */
    bool blocking;    /* the client's calls wait for their answers */
    bool buffered;    /* queued commands count as word from the client */
    robo_time expiry; /* lateness beyond which a command is refused; negative: none */
    int error;        /* not 0: the mode refuses the session, or has failed; text says why */
    char text[128];
};

/* Where modes come from; implemented by the Lua binding. open sets *mode and the first decision; arrived is
 * asked after each package while holding, and when `again` has come; it may not block. */
struct robo__modes {
    void (*open)(struct robo__modes *modes, const struct robo__mode_request *request,
                 struct robo__decision *decision, void **mode);
    void (*arrived)(struct robo__modes *modes, void *mode, const struct robo__arrivals *arrivals,
                    robo_time now, struct robo__decision *decision);
    void (*close)(struct robo__modes *modes, void *mode);
};

#endif
