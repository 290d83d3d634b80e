/* Memory for libev, which ends the program when it finds none. It is process-wide, also for other users of libev in the
 * process: realloc and free, and when these fail, a reserve of address space that is set aside at the first loop and
 * costs nothing until it is used. */
#pragma once

#include <stdbool.h>

/* Gives libev its allocator, once. false: the reserve could not be allocated. */
bool robo__loop_memory_init(void);

/* Whether a new descriptor may be watched: false when half of the reserve is used. Existing watches go on, since the
 * other half is more than they can need. Any thread. */
bool robo__loop_memory_left(void);

/* Returns freed memory of the whole process to the system. It takes some ms, in which threads that allocate wait. */
void robo__loop_memory_trim(void);
