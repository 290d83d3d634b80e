/* Memory of connections goes back to the system when most of much is free again: malloc keeps freed memory below a block that
 * is still used, however little that is, and 1,500 clients that had not read left 30 MiB behind. The trim takes some ms, in
 * which the thread is blocked, so it waits until no client has disconnected for a second. A member of its server, on its
 * thread. */
#pragma once

#include "host.h"

struct robo__trim {
    size_t most;  /* bytes at one time since the last trim */
    size_t bytes; /* now */
    size_t count; /* of connections */
    unsigned done;
    struct robo__timer timer;
};

void robo__trim_init(struct robo__trim *trim);
/* There are so many connections now. */
void robo__trim_note(struct robo__trim *trim, struct robo__host *host, size_t count);
