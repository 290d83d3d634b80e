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

static void refuse(struct robo__decision *d, int error, const char *why)
{
    d->error = error;
    snprintf(d->text, sizeof d->text, "%s", why);
}

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

static struct robo_mode_decision outside(const struct robo__decision *d)
{
    return (struct robo_mode_decision){ .hold = d->hold,
                                        .blocking = d->blocking,
                                        .buffered = d->buffered,
                                        .refills = d->refills,
                                        .shift = d->shift,
                                        .again = d->again,
                                        .expiry = d->expiry };
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

static void open_mode(struct robo__modes *interface, const struct robo__session_request *request,
                      struct robo__decision *d, void **mode)
{
    struct robo__mode_list *list = (struct robo__mode_list *)interface;
    struct robo__mode_row *row = find(list, request->name);
    char why[128] = "";
    *mode = NULL;
    if (!row && strcmp(request->name, "direct") == 0)
        return; /* it is there by itself */
    if (!row) {
        snprintf(why, sizeof why, "there is no mode '%.64s'", request->name);
        refuse(d, ROBO_EMODE, why);
        return;
    }
    struct opened *o = calloc(1, sizeof *o);
    if (!o) {
        refuse(d, ROBO_ENOMEM, "");
        return;
    }
    o->row = row;
    row->sessions++;
    *mode = o;
    struct robo_mode_decision given = { .expiry = -1 };
    int error = ask_to_open(o, request, &given, why);
    if (error != 0) {
        refuse(d, error, why);
        return;
    }
    *d = (struct robo__decision){ .hold = given.hold != 0,
                                  .blocking = given.blocking != 0,
                                  .buffered = given.buffered != 0,
                                  .refills = given.refills != 0,
                                  .shift = given.shift,
                                  .again = given.again,
                                  .expiry = given.expiry };
}

static void arrived(struct robo__modes *interface, void *mode, const struct robo__arrivals *a,
                    robo_time now, struct robo__decision *d)
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
    struct robo_mode_decision given = outside(d);
    char why[128] = "";
    (void)interface;
    int error = m->decide ? m->decide(m->owner, o->own, &seen, &given, why) : ROBO_EMODE;
    if (error != 0) {
        refuse(d, error, why);
        return;
    }
    d->hold = given.hold != 0;
    d->shift = given.shift;
    d->again = given.again;
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
