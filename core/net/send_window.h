/* Limits how much periodic data, such as states and readings, may be under way to a client at once, so that the newest is new where
 * the link is slow. Data under way may wait somewhere: in a buffer of the kernel, or of the link. How much of that a link takes
 * without waiting follows from how long it takes: a window that is used grows while its bytes come within LAG of the shortest time
 * that was seen, and is halved when they do not. */
#pragma once

#include <stdbool.h>

#include "base/time.h"

/* A member of its owner, on its thread; zeroed it begins. Places count the bytes of output. */
struct robo__window {
    uint64_t come;    /* up to here the client has received all */
    uint64_t mark;    /* a place, until all up to it was received; 0: none */
    bool used;        /* more than half of the window was under way then */
    robo_time marked; /* when the mark was set at the latest */
    robo_time least;  /* the shortest time that one has taken */
    size_t bytes;     /* that may be under way */
};

/* Whether more would wait on the path. place: output so far; come: how much of it has certainly arrived. */
bool robo__window_is_full(struct robo__window *window, uint64_t place, uint64_t come,
                          robo_time now);
