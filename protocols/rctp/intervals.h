/* When commands of a live session of RCTP may come, must come, and are carried out: command_mode, control_lock,
 * command_interval and time stamps of the robot's inputs (paper 001, 3.4.4; spec/rctp.md). Pure: takes now, knows no robot.
 * Owned by its session, on that one's thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "rcml/objects.h"

struct robo__rctp_intervals {
    struct robo__rcml_group rules; /* that all inputs share */
    robo_time begun;               /* the live session, when GO was answered */
    robo_time accepted;            /* the newest frame of commands; before the first, as `begun` */
    robo_time heard;               /* the newest frame of any kind; before the first, as `begun` */
    bool any;                      /* a frame of commands was accepted */
    bool waits; /* with control_lock: the newest frame of commands has no answer yet */
};

enum robo__rctp_verdict {
    ROBO__RCTP_ACCEPTED,
    ROBO__RCTP_EARLY, /* sooner after the last than the least interval */
    ROBO__RCTP_LOCKED /* the one before has no answer yet */
};

/* GO was answered. */
void robo__rctp_intervals_begin(struct robo__rctp_intervals *intervals,
                                const struct robo__rcml_group *rules, robo_time now);

/* Bytes were received. */
void robo__rctp_intervals_heard(struct robo__rctp_intervals *intervals, robo_time now);

/* Accepts or refuses a frame with commands. A refused frame only counts as a sign of life. */
enum robo__rctp_verdict robo__rctp_intervals_accept(struct robo__rctp_intervals *intervals,
                                                    robo_time now);

/* All commands of the newest frame are answered, or none of them waits any more: true when the client must be
 * notified that it may send the next one. */
bool robo__rctp_intervals_permit(struct robo__rctp_intervals *intervals);

/* When the client will have been silent for too long, or ROBO_NEVER. */
robo_time robo__rctp_intervals_due(const struct robo__rctp_intervals *intervals);

/* When a command of that stamp is to begin; without stamps, ROBO_AT_ONCE. Stamps wrap: of the instants that one may mean it
 * is the nearest to now. false: that is further away than ROBO__HORIZON. */
bool robo__rctp_intervals_date(const struct robo__rctp_intervals *intervals, uint64_t stamp,
                               robo_time now, robo_time *start);

/* The stamp of an instant, which may be before the session's begin. */
uint64_t robo__rctp_intervals_stamp(const struct robo__rctp_intervals *intervals,
                                    robo_time instant);
