/* Common parts of drivers of cameras, which move nothing. Their state begins with struct robo__idle. */
#pragma once

#include "robotalk.h"
#include "robotalk/records.h"

struct robo__idle {
    robo_device *device;
};

/* Members of a robo_driver without options of its own, and with them as far as they read none. */
int robo__idle_open(void *state, robo_device *device, robo_time now);
void robo__idle_start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now);
void robo__idle_read(const void *state, robo_time now, struct robo_state *out);
void robo__idle_halt(void *state, robo_time now);
void robo__idle_close(void *state);
int robo__idle_check(const struct robo_description *description, unsigned device, char why[128]);
