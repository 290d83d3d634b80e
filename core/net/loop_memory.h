/* Memory for libev, which ends the program when it finds none. Process-wide: it is realloc and free, for whoever else in
 * the process uses libev too, and where these fail, a reserve of address space that is set aside at the first loop and
 * costs nothing until then. */
#ifndef ROBO_LOOP_MEMORY_H
#define ROBO_LOOP_MEMORY_H

#include <stdbool.h>

/* Gives libev its allocator, once. false: not even the reserve could be had. */
bool robo__loop_memory_init(void);

/* Whether something new may be watched: false when half of the reserve is used up. What is watched already goes on, since
 * the other half is more than it can need. Any thread. */
bool robo__loop_memory_left(void);

#endif
