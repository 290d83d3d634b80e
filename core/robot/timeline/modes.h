/* The command modes of a host by their names, as robo_loop_add_mode adds them; sessions ask them by mode.h. */
#pragma once

#include "mode.h"
#include "robotalk/mode.h"

struct robo__mode_row;

struct robo__mode_list {
    struct robo__modes interface; /* first */
    struct robo__mode_row *newest;
};

void robo__mode_list_init(struct robo__mode_list *list);

/* As robo_loop_add_mode. */
int robo__mode_list_add(struct robo__mode_list *list, const struct robo_mode *mode);

/* Releases the modes. No session has one of them any more. */
void robo__mode_list_clear(struct robo__mode_list *list);
