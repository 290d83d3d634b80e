/* A budget of memory that many share: what clients make a server keep (commands that are held, answers that are not
 * taken, bytes that are not read) comes out of one sum, so that no number of them can use up the machine's.
 *
 * Who has much gets less of what is left: a share is granted only while it is no larger than what it leaves free
 * (the rule of Choudhury and Hahne for shared buffers, 1998). One alone gets half of the sum, two a third each, and
 * whoever comes next finds room. Any thread; it is a count and allocates nothing. */
#ifndef ROBO_BUDGET_H
#define ROBO_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct robo__budget {
    size_t total; /* bytes */
    _Atomic size_t used;
};

/* Whether somebody who has `have` bytes already gets `more`. */
bool robo__budget_take(struct robo__budget *budget, size_t have, size_t more);
void robo__budget_give(struct robo__budget *budget, size_t bytes);

#endif
