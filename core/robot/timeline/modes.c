/* The modes of a host. A mode that another one has replaced stays until its last session has closed. */
#include "modes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"

struct robo__mode_row {
    struct robo__mode_row *next;
    struct robo_mode mode; /* its name is the one here */
    char name[ROBO_MAX_MODE_NAME + 1];
    unsigned sessions;
    bool replaced;
};

/* The state that a session keeps for its mode. */
struct opened {
    struct robo__mode_row *row;
    void *own; /* as its `open` has set it */
};

static struct robo__mode_row *find(const struct robo__mode_list *list, const char *name)
{
    struct robo__mode_row *row = list->newest;
    while (row && (row->replaced || strcmp(row->name, name) != 0))
        row = row->next;
    return row;
}

static void take_out(struct robo__mode_list *list, struct robo__mode_row *row)
{
    struct robo__mode_row **p = &list->newest;
    while (*p != row)
        p = &(*p)->next;
    *p = row->next;
    if (row->mode.release)
        row->mode.release(row->mode.owner);
    free(row);
}

static int ask_to_open(struct opened *o, const struct robo__session_request *request,
                       struct robo_mode_decision *given, char why[128])
{
    const struct robo_mode *mode = &o->row->mode;
    const struct robo_mode_request asked = { .name = request->name,
                                             .options = request->options ? request->options : "",
                                             .delay = request->delay,
                                             .duration = request->duration,
                                             .deadman = request->deadman,
                                             .gap = request->gap,
                                             .expiry = request->expiry,
                                             .jitter = request->jitter };
    int error = mode->open ? mode->open(mode->owner, &asked, given, &o->own, why) : 0;
    if (error > 0) {
        snprintf(why, 128, "'open' of the mode returned %d: 0 or an error was expected", error);
        return ROBO_EMODE;
    }
    if (error == 0 && given->hold && !(given->buffered && mode->decide)) {
        snprintf(why, 128, "a mode that holds needs to be buffered, and a function 'decide'");
        return ROBO_EMODE;
    }
    return error;
}

static int open_mode(struct robo__modes *interface, const struct robo__session_request *request,
                     struct robo_mode_decision *d, void **mode, char why[128])
{
    struct robo__mode_list *list = (struct robo__mode_list *)interface;
    struct robo__mode_row *row = find(list, request->name);
    *mode = NULL;
    if (!row && strcmp(request->name, "direct") == 0)
        return 0; /* it is there by itself */
    if (!row) {
        int n = snprintf(why, 128, "there is no mode '%.64s'; there are direct", request->name);
        for (row = list->newest; row && n < 128; row = row->next)
            if (!row->replaced)
                n += snprintf(why + n, 128 - (size_t)n, " %s", row->name);
        return ROBO_EMODE;
    }
    struct opened *o = calloc(1, sizeof *o);
    if (!o)
        return ROBO_ENOMEM;
    o->row = row;
    row->sessions++;
    *mode = o;
    *d = (struct robo_mode_decision){ .expiry = -1 };
    return ask_to_open(o, request, d, why);
}

static int arrived(struct robo__modes *interface, void *mode, const struct robo__arrivals *a,
                   robo_time now, struct robo_mode_decision *d, char why[128])
{
    const struct opened *o = mode;
    const struct robo_mode *m = &o->row->mode;
    const struct robo__pace pace = robo__arrivals_pace(a);
    const struct robo_mode_seen seen = {
        .now = now,
        .frames = a->frames,
        .packages = a->packages,
        .first_start = a->first_start,
        .last_start = a->last_start,
        .first_arrival = a->first_arrival,
        .last_arrival = a->last_arrival,
        .next_start = a->next_start,
        .least = a->least,
        .worst = a->worst,
        .lateness = a->last_arrival - a->newest_start,
        .lag = a->last_sent - a->newest_start,
        .gap_mean = a->gap_mean,
        .gap_deviation = a->packages > 2 ? sqrt(a->gap_m2 / (double)(a->packages - 2)) : 0,
        .service = pace.service,
        .base = pace.base,
        .known = robo__arrivals_known(a),
        .pauses = a->pauses,
        .finished = a->finished,
        .inside = a,
    };
    struct robo_mode_decision given = *d;
    (void)interface;
    const int error = m->decide ? m->decide(m->owner, o->own, &seen, &given, why) : ROBO_EMODE;
    if (error == 0) {
        d->hold = given.hold;
        d->shift = given.shift;
        d->again = given.again;
    }
    return error;
}

double robo_mode_need(const struct robo_mode_seen *seen, double certainty, double rest, double gap)
{
    return robo__arrivals_need(seen->inside, certainty, rest, gap, seen->now);
}

static void close_mode(struct robo__modes *interface, void *mode)
{
    struct opened *o = mode;
    struct robo__mode_row *row = o->row;
    if (row->mode.close)
        row->mode.close(row->mode.owner, o->own);
    free(o);
    if (--row->sessions == 0 && row->replaced)
        take_out((struct robo__mode_list *)interface, row);
}

void robo__mode_list_init(struct robo__mode_list *list)
{
    *list = (struct robo__mode_list){ { open_mode, arrived, close_mode }, NULL };
}

int robo__mode_list_add(struct robo__mode_list *list, const struct robo_mode *mode)
{
    struct robo_mode taken;
    if (robo__sized_take(&taken, sizeof taken, mode) < 0 || !taken.name || !taken.name[0] ||
        strlen(taken.name) > ROBO_MAX_MODE_NAME)
        return ROBO_EINVAL;
    struct robo__mode_row *row = calloc(1, sizeof *row), *before = find(list, taken.name);
    if (!row)
        return ROBO_ENOMEM;
    strcpy(row->name, taken.name);
    row->mode = taken;
    row->mode.name = row->name;
    row->next = list->newest;
    list->newest = row;
    if (before && before->sessions == 0)
        take_out(list, before);
    else if (before)
        before->replaced = true;
    return 0;
}

void robo__mode_list_clear(struct robo__mode_list *list)
{
    while (list->newest)
        take_out(list, list->newest);
}
