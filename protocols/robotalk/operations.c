/* The lists of queries, commands and notices, and the search of a row of them. */
#include "wire.h"
#include "robotalk/words.h"

#include <string.h>

static const struct robo_operation *search(const struct robo_operation *list, uint16_t op)
{
    for (; list->name; list++)
        if (list->op == op)
            return list;
    return NULL;
}

/* Numbers follow each other, so the place is known; should a list ever have a gap, it is searched.
 * last only keeps the look inside the list: numbers beyond it are found all the same. */
static inline const struct robo_operation *look(const struct robo_operation *list, uint16_t last,
                                                uint16_t op)
{
    if (op >= list->op && op <= last && list[op - list->op].op == op)
        return &list[op - list->op];
    return search(list, op);
}

const struct robo_operation *robo_operation_find(const struct robo_operation *list, uint16_t op)
{
    if (list == robo__commands)
        return look(list, ROBO_LAST_OP, op);
    if (list == robo__queries)
        return look(list, ROBO_Q_DOF, op);
    if (list == robo__notices)
        return look(list, ROBO_N_REMOVED, op);
    return search(list, op);
}

const struct robo_operation *robo_operation_named(const struct robo_operation *list,
                                                  const char *name)
{
    for (; list->name; list++)
        if (strcmp(list->name, name) == 0)
            return list;
    return NULL;
}

const struct robo_operation *robo_queries(void)
{
    return robo__queries;
}

const struct robo_operation *robo_commands(void)
{
    return robo__commands;
}

const struct robo_operation *robo_notices(void)
{
    return robo__notices;
}

const struct robo_message *robo_message_named(const char *name)
{
    const struct robo_message *const *m = robo__messages;
    while (*m && strcmp((*m)->name, name) != 0)
        m++;
    return *m;
}

static const char *name_in(const struct robo_operation *list, int number)
{
    const struct robo_operation *op = robo_operation_find(list, (uint16_t)number);
    return op ? op->name : "unknown";
}

const char *robo_query_name(int op)
{
    return name_in(robo__queries, op);
}

const char *robo_notice_name(int op)
{
    return name_in(robo__notices, op);
}
