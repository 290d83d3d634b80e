/* The cycle of a bus of servos: which packets it has, and how long it takes. Made once, when the servos are known; for any thread. */
#pragma once

#include "models.h"

/* Servos that one packet addresses. */
struct robo__servos_group {
    struct robo__servos_block block;
    uint8_t servo[ROBO__SERVOS_MOST]; /* their numbers */
    size_t count, most;               /* most: that one packet has room for */
};

struct robo__servos_cycle {
    const struct robo__servos_packets *packets;
    /* one sync write each; and one sync read each, or one read of one servo */
    struct robo__servos_group goal[ROBO__SERVOS_MOST], read[ROBO__SERVOS_MOST];
    size_t goals, reads;
    size_t slow; /* bytes of the longest answer of what changes slowly */
};

struct robo__servos_line {
    double baud;
    double delay;   /* s before a servo answers */
    double latency; /* s until the driver has the answers to a question */
};

/* For servos with the same packets, at most ROBO__SERVOS_MOST. */
void robo__servos_cycle_make(struct robo__servos_cycle *cycle,
                             const struct robo__servos_servo *servo, size_t servos);

/* How long one takes, s. */
double robo__servos_cycle_time(const struct robo__servos_cycle *cycle,
                               const struct robo__servos_line *line);
/* How long a sync write to one servo takes, s. */
double robo__servos_message_time(const struct robo__servos_cycle *cycle,
                                 const struct robo__servos_line *line);
/* How many a second the line carries, rounded down; at least 1. */
unsigned robo__servos_cycle_most(const struct robo__servos_cycle *cycle,
                                 const struct robo__servos_line *line);

/* How long the answers to a question to so many servos may take, s: twice the time that they need, and 5 ms for the machine. */
double robo__servos_patience(const struct robo__servos_packets *packets, size_t asked, size_t size,
                             const struct robo__servos_line *line);
