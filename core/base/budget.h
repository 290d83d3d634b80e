/* A memory budget that all clients of a server share: held commands, results that wait to be taken, and bytes that wait
 * to be read count against one sum, so that no number of clients can use up the machine's memory.
 *
 * A client that holds much gets less of what is left: a share is granted only while it is no larger than what it leaves
 * free (the rule of Choudhury and Hahne for shared buffers, 1998). A single client gets half of the sum, two get a
 * third each, and the next one still finds room. Any thread may call it; it is a counter and allocates nothing. */
#ifndef ROBO_BUDGET_H
#define ROBO_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct robo__budget {
    size_t total; /* bytes */
    _Atomic size_t used;
};

/* Whether a client that already has `have` bytes gets `more`. */
bool robo__budget_take(struct robo__budget *budget, size_t have, size_t more);
void robo__budget_give(struct robo__budget *budget, size_t bytes);

#endif
