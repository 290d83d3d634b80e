/* The schedule of a bus for programs that have a bus of their own. */
#include <math.h>
#include <stdlib.h>

#include "bus_schedule.h"
#include "base/sized.h"
#include "base/time.h"

_Static_assert((int)ROBO_ORDERING_JOINTS == (int)ROBO__SCHEDULE_MOST, "most joints");
_Static_assert((int)ROBO_ORDERING_PLANNED == (int)ROBO__PLANNABLE, "most joints that are planned");

struct robo_ordering {
    struct robo__schedule schedule;
};

static bool is_size(double x)
{
    return isfinite(x) && x >= 0;
}

static int init(struct robo__schedule *s, const struct robo_ordering_options *o)
{
    if (!is_size(o->least) || !isfinite(o->damping) || o->most_age < 0 ||
        o->order > ROBO_ORDER_PLANNED)
        return ROBO_EINVAL;
    int error = robo__schedule_init(s, o->order ? o->order : robo__schedule_default(o->joints),
                                    o->joints, o->rows ? o->rows : 6);
    if (error < 0)
        return error;
    for (unsigned i = 0; o->weight && i < s->rows; i++) {
        if (!is_size(o->weight[i]))
            return ROBO_EINVAL;
        s->weight[i] = o->weight[i];
    }
    s->least = o->least;
    if (o->damping != 0)
        s->damping = fmax(o->damping, 0);
    if (o->most_messages != 0)
        s->most_messages = o->most_messages < 0            ? 0
                           : o->most_messages > UINT32_MAX ? UINT32_MAX
                                                           : (uint32_t)o->most_messages;
    s->most_time = robo__time_cut(o->most_age);
    return 0;
}

robo_ordering *robo_ordering_open(const struct robo_ordering_options *options, int *error)
{
    struct robo_ordering_options o;
    int unused;
    robo_ordering *ordering = NULL;
    if (!error)
        error = &unused;
    *error = robo__sized_take(&o, sizeof o, options);
    if (*error == 0) {
        ordering = malloc(sizeof *ordering);
        *error = ordering ? init(&ordering->schedule, &o) : ROBO_ENOMEM;
    }
    if (*error == 0)
        return ordering;
    free(ordering);
    return NULL;
}

void robo_ordering_close(robo_ordering *ordering)
{
    free(ordering);
}

size_t robo_ordering_size(void)
{
    return sizeof(robo_ordering);
}

int robo_ordering_pick(robo_ordering *ordering, const double *jacobian, const double *u,
                       robo_time now, struct robo_ordering_choice *choice)
{
    struct robo_ordering_choice found;
    int error = robo__schedule_pick(&ordering->schedule, jacobian, u, now, &found);
    if (error >= 0)
        *choice = found;
    return error;
}

int robo_ordering_choose(robo_ordering *ordering, const double *jacobian, const double *wanted,
                         robo_time now, struct robo_ordering_choice *choice)
{
    struct robo_ordering_choice found;
    int error = robo__schedule_choose(&ordering->schedule, jacobian, wanted, now, &found);
    if (error >= 0)
        *choice = found;
    return error;
}

int robo_ordering_sent(robo_ordering *ordering, const struct robo_ordering_choice *choice,
                       robo_time now)
{
    const bool to_one = choice->kind == ROBO_CHOICE_SEND || choice->kind == ROBO_CHOICE_STORE;
    if (to_one ? choice->joint >= ordering->schedule.joints
               : choice->kind != ROBO_CHOICE_SYNCHRONISE)
        return ROBO_EINVAL;
    if (to_one && !isfinite(choice->value))
        return ROBO_ERANGE;
    robo__schedule_sent(&ordering->schedule, choice, now);
    return 0;
}

int robo_ordering_lost(robo_ordering *ordering, unsigned joint)
{
    if (joint >= ordering->schedule.joints)
        return ROBO_EINVAL;
    robo__schedule_lost(&ordering->schedule, joint);
    return 0;
}

robo_time robo_ordering_due(const robo_ordering *ordering)
{
    return robo__schedule_due(&ordering->schedule);
}

const double *robo_ordering_speeds(const robo_ordering *ordering)
{
    return ordering->schedule.sent;
}
