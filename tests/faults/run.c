/* One run: a world from a seed, its seconds of activity, and its end. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "body/description.h"
#include "robot/robot.h"
#include "run.h"
#include "base/time.h"
#include "robot/world/inside.h"
#include "robotalk/description.h"

static const robo_time MS = 1000000, SECOND = 1000000000;
/* Probability of a sleep of the machine in each quarter of a second. */
static const double OFTEN = 0.1;
/* Probability that a run has a robot that walks, apart from those that the plan draws. */
static const double WALKS = 0.005;
/* Time limit of answers when every session is closed and all links are empty. */
static const robo_time ANSWERS = 10LL * 1000000000, MOST_ANSWERS = 600LL * 1000000000;
/* Time limit of a sequence that was sent. */
static const robo_time PLAYED = 60LL * 1000000000;

/* ---- what is told of a run ---- */

void robo__run_note(struct robo__run *run, const char *format, ...)
{
    va_list args;
    fprintf(run->trace, "%13.6f ", (double)robo_now(run->world) * 1e-9);
    va_start(args, format);
    vfprintf(run->trace, format, args);
    va_end(args);
    fputc('\n', run->trace);
}

void robo__run_find(struct robo__run *run, enum robo__invariant broken, const char *format, ...)
{
    if (run->over)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(run->report->text, sizeof run->report->text, format, args);
    va_end(args);
    run->report->broken = broken;
    run->over = true;
    ROBO__NOTE(run, "BROKEN: %s: %s", robo__fault_words[broken].words, run->report->text);
}

void robo__run_digest(struct robo__run *run, uint64_t a, uint64_t b)
{
    uint64_t *d = &run->report->digest;
    *d = (*d ^ a) * 0x9e3779b97f4a7c15;
    *d = (*d ^ *d >> 29 ^ b) * 0xbf58476d1ce4e5b9;
}

/* ---- robots ---- */

/* Whichever of its devices does that: the first may be a head's. */
static bool can_walk(const struct robo_description *d)
{
    for (unsigned i = 0; i < d->devices; i++)
        if (strcmp(d->device[i].driver, "walk") == 0)
            return true;
    return false;
}

/* s that legs need beyond their base's ramp: a gait on two has planned 1.6 s ahead, and then gets its weight, 5 cm off at most, to within
 * the 2 mm at which it stands, nearer by a factor of e in a quarter of a second (drivers/walk/biped.c). */
static const double LEGS = 1.6 + 0.8;

/* s to rest from the greatest speed of any axis, as its panic policy would have it too. */
static double brake_of(const struct robo_description *d)
{
    double most = 0;
    bool base = false;
    for (unsigned i = 0; i < d->devices; i++)
        base |= d->device[i].base;
    for (unsigned i = 0; base && i < 3; i++) {
        double speed = d->base_speed[i] > 0 ? d->base_speed[i] : 9,
               acceleration = d->base_acceleration[i] > 0 ? d->base_acceleration[i] : 2;
        most = fmax(most, speed / acceleration);
    }
    for (unsigned i = 0; i < d->dofs; i++) {
        double speed = d->dof[i].speed > 0 ? d->dof[i].speed : 3,
               acceleration = d->dof[i].acceleration > 0 ? d->dof[i].acceleration : 10;
        most = fmax(most, (d->panic == ROBO_LIMP ? 5 : 1) * speed / acceleration);
    }
    return most + (can_walk(d) ? LEGS : 0.05);
}

struct robo_description *robo__run_describe(struct robo__run *run, unsigned number)
{
    const struct robo_description *body = &run->plan->body[run->robot[number].body];
    void *records = realloc(run->records, robo__description_room(body) + 1);
    if (!records)
        abort();
    run->records = records;
    robo__description_copy(&run->description, body, records);
    snprintf(run->description.name, sizeof run->description.name, "r%u", number % 10);
    return &run->description;
}

int robo__run_add_robot(struct robo__run *run, unsigned number)
{
    struct robo__run_robot *r = &run->robot[number];
    struct robo_description *d = robo__run_describe(run, number);
    r->life++;
    r->epoch = r->panic_count = r->stop_count = 0;
    r->panic = r->lost = false;
    r->revision = NULL;
    r->looked = r->shared = robo_now(run->world);
    r->share = 1;
    memset(r->latch, 0, sizeof r->latch);
    r->brake = brake_of(d);
    r->walks = can_walk(d);
    r->bus = d->bus_order != ROBO_ORDER_NONE;
    for (unsigned i = 0; i < d->devices; i++)
        r->bus |= robo_built_in_driver(d->device[i].driver)->send != NULL;
    int error = robo_add(run->world, d, &r->robot);
    ROBO__NOTE(run, "robot %u: a %s: %s", number, run->plan->body[r->body].name,
               error < 0 ? robo_strerror(error) : "added");
    return error;
}

/* Checks one robot, each in turn. */
static void on_look(struct robo__timer *timer, robo_time now)
{
    struct robo__run *run = robo__container_of(timer, struct robo__run, look);
    if (run->over)
        return;
    robo__timer_start(&run->world->timers, timer, now + robo__about(&run->random, 150 * MS));
    for (unsigned i = 0; i < run->robots; i++)
        robo__look(run, i, now);
}

/* ---- life ---- */

/* Each run does each kind of action often, rarely or never, since one kind of fault can hide another. */
static void draw_plan(struct robo__run *run)
{
    struct robo__random *r = &run->random;
    for (size_t i = 0; i < ROBO__RUN_DEEDS; i++)
        run->spice[i] = i > 2 && robo__chance(r, 0.4) ? 0 : robo__spread(r, 0.3, 3);
    run->wild = robo__chance(r, 0.3) ? robo__spread(r, 0.002, 0.1) : 0;
    run->drowsy = run->sleeps = robo__chance(r, 0.1);
    run->mishaps_pace = robo__chance(r, 0.35) ? (robo_time)(robo__spread(r, 0.3, 3) * 1e9) : 0;
    run->robots = 1 + (unsigned)robo__weighted(r, (double[]){ 6, 3, 1 }, ROBO__RUN_ROBOTS);
    run->users = 1 + (unsigned)robo__weighted(r, (double[]){ 3, 5, 2 }, ROBO__RUN_USERS);
    for (unsigned i = 0; i < run->robots; i++)
        run->robot[i].body = robo__weighted(r, run->plan->weight, run->plan->bodies);
}

/* In half of the runs with several users each has leases of its own. That is drawn apart from all else, so that a seed without
 * it means what it meant before. */
static void draw_leases(struct robo__run *run)
{
    struct robo__random r = robo__random_fork(&run->random, 99);
    run->apart = run->users > 1 && robo__chance(&r, 0.5);
    run->force = run->apart && robo__chance(&r, 0.3);
    run->greed = robo__spread(&r, 0.005, 0.3);
    run->resumes = robo__chance(&r, 0.2) ? 0 : robo__spread(&r, 0.02, 0.5);
    const robo_time lease = (robo_time)(robo__spread(&r, 0.1, 3) * 1e9);
    run->reruns = robo__chance(&r, 0.3);
    run->helps = robo__chance(&r, 0.3) ? robo__spread(&r, 0.005, 0.1) : 0;
    if (run->apart)
        atomic_store(&run->world->lease, lease);
    ROBO__NOTE(run, "users drive %s; leases last %.6f s", run->apart ? "apart" : "together",
               robo__seconds(atomic_load(&run->world->lease)));
}

/* Roles, overrides and a robot that walks, which costs a hundred times the processor time of others: drawn apart, too. */
static void draw_more(struct robo__run *run)
{
    struct robo__random r = robo__random_fork(&run->random, 98);
    run->ranks = robo__chance(&r, 0.3);
    run->slow = robo__chance(&r, 0.25) ? robo__spread(&r, 0.01, 0.2) : 0;
    const bool walks = robo__chance(&r, WALKS);
    unsigned walkers = 0; /* each as often */
    for (size_t i = 0; walks && i < run->plan->bodies; i++)
        if (can_walk(&run->plan->body[i]) && robo__pick(&r, ++walkers) == 0)
            run->robot[0].body = i;
    if (walkers > 0 && run->slow <= 0)
        run->slow = 0.1;
}

static int begin(struct robo__run *run, uint64_t seed)
{
    const struct robo_options options = { .size = sizeof options,
                                          .virtual_clock = 1,
                                          .seed = seed };
    robo__random_seed(&run->random, seed);
    memset(run->robot, 0, sizeof run->robot);
    memset(run->place, 0, sizeof run->place);
    memset(run->traced, 0, sizeof run->traced);
    run->robots = run->errands = run->visits = run->lines = run->turn = 0;
    run->over = false;
    run->woke = 0;
    run->world = robo_open(&options);
    if (!run->world)
        return ROBO_ENOMEM;
    if (robo__chance(&run->random, 0.1)) /* as if it had run for years */
        run->world->now = (robo_time)(robo__spread(&run->random, 1, 1e9) * 1e9);
    robo__host_init(&run->host, run->world, NULL);
    run->host.modes = &run->host.own_modes.interface;
    for (size_t i = 0; i < run->plan->modes; i++) {
        int error = robo__mode_list_add(&run->host.own_modes, &run->plan->mode[i]);
        if (error < 0)
            return error;
    }
    robo__tap_init(run);
    draw_plan(run);
    draw_leases(run);
    draw_more(run);
    for (unsigned i = 0; i < run->robots; i++) {
        int error = robo__tracer_add(run, &run->plan->body[run->robot[i].body]);
        if (error >= 0)
            error = robo__run_add_robot(run, i);
        if (error < 0)
            return error;
    }
    for (unsigned i = 0; i < run->users; i++)
        robo__user_init(run, i);
    run->look = (struct robo__timer){ .fire = on_look };
    robo__timer_start(&run->world->timers, &run->look, robo_now(run->world) + MS);
    robo__mishap_start(run);
    return 0;
}

/* Advances the world by that time, unless there is a finding. In some runs the machine sleeps now and then: all that
 * falls due meanwhile comes late. */
static void go_on(struct robo__run *run, robo_time span)
{
    robo_time end = robo_now(run->world) + span;
    while (!run->over && robo_now(run->world) < end) {
        robo_time next = robo_now(run->world) + SECOND / 4;
        robo_advance(run->world, next < end ? next : end);
        if (run->sleeps && robo__chance(&run->random, OFTEN)) {
            run->world->now += (robo_time)(robo__spread(&run->random, 0.05, 5) * 1e9);
            run->woke = run->world->now;
            ROBO__NOTE(run, "the machine has slept");
            robo_advance(run->world, run->woke);
        }
    }
}

static void no_more_mishaps(struct robo__run *run)
{
    robo__timer_stop(&run->world->timers, &run->mishap);
}

static bool is_under_way(const struct robo__run *run)
{
    for (unsigned i = 0; i < run->lines; i++) {
        const struct robo__loopback *loopback = run->line[i].loopback;
        if (loopback && (loopback->up.first || loopback->down.first || loopback->conn.in_count))
            return true;
    }
    return false;
}

/* What an override of 0 holds is never played; one that a link still carried may come at any time. */
static void let_go(struct robo__run *run)
{
    for (unsigned i = 0; i < run->robots; i++)
        if (run->robot[i].robot)
            robo__override_set(run->robot[i].robot, run->robot[i].share = 1);
}

/* Waits for missing answers while links still carry bytes. An answer that is still missing then is a finding. */
static void come(struct robo__run *run, robo_time patience,
                 bool (*missing)(struct robo__run *, bool find))
{
    robo_time end = robo_now(run->world) + patience, latest = end + MOST_ANSWERS;
    while (!run->over && missing(run, false) && robo_now(run->world) < end) {
        if (is_under_way(run) && end < latest)
            end = robo_now(run->world) + patience;
        let_go(run);
        go_on(run, SECOND);
    }
    missing(run, true);
}

/* All clients become silent, receive all notices, close their sessions, and get an answer to every command. */
static void leave(struct robo__run *run)
{
    ROBO__NOTE(run, "everybody leaves");
    run->sleeps = false;
    let_go(run);
    for (unsigned i = 0; i < run->users; i++) {
        struct robo__run_user *u = &run->user[i];
        u->leaving = true;
        if (u->client && u->client->stream.end.loopback && u->client->stream.end.loopback->cut)
            robo__user_die(u); /* its bytes are lost: their outcome is unknown */
    }
    come(run, ANSWERS, robo__ledger_untold);
    come(run, PLAYED, robo__ledger_unplayed);
    for (unsigned i = 0; i < run->users; i++)
        robo__user_leave(&run->user[i]);
    come(run, ANSWERS, robo__ledger_unanswered);
}

/* Time until all robots must stand, 20 s at most: a session without a deadman may move for ever. */
static robo_time until_rest(const struct robo__run *run)
{
    robo_time span = 0;
    for (unsigned i = 0; i < run->robots; i++) {
        robo_time left = robo__look_rest_by(run, i) - robo_now(run->world);
        span = left > span ? left : span;
    }
    return span < 20 * SECOND ? span : 20 * SECOND;
}

/* Cuts every link for good. */
static void fall_silent(struct robo__run *run)
{
    ROBO__NOTE(run, "every link is cut");
    for (unsigned i = 0; i < run->users; i++)
        run->user[i].leaving = true;
    for (unsigned i = 0; i < run->lines; i++)
        if (run->line[i].loopback)
            run->line[i].loopback->cut = true;
    /* queued frames go on, and with them the time by which all must stand */
    for (int rounds = 0; rounds < 8 && !run->over; rounds++) {
        robo_time span = until_rest(run);
        if (span == 0)
            break;
        go_on(run, span + SECOND / 2);
    }
    if (run->apart) /* until leases have ended */
        go_on(run, 4 * SECOND);
}

static void remove_robots(struct robo__run *run)
{
    for (unsigned i = 0; i < run->robots; i++) {
        if (!run->robot[i].robot)
            continue;
        robo_remove(run->robot[i].robot);
        robo_release(run->robot[i].robot);
    }
}

static void close_world(struct robo__run *run)
{
    robo__host_free(&run->host);
    robo_close(run->world);
    run->world = NULL;
}

static void end(struct robo__run *run)
{
    for (unsigned i = 0; i < run->users; i++) {
        struct robo__run_user *u = &run->user[i];
        robo__timer_stop(&run->world->timers, &u->act);
        robo__user_die(u);
    }
    for (unsigned i = 0; i < run->lines; i++)
        if (run->line[i].ghost && run->line[i].loopback)
            robo__loopback_close(run->line[i].loopback);
    robo_time brake = 0;
    for (unsigned i = 0; i < run->robots; i++)
        if (run->robot[i].brake * 1e9 > (double)brake)
            brake = (robo_time)(run->robot[i].brake * 1e9);
    robo_time rest = until_rest(run);
    go_on(run, (rest > brake ? rest : brake) + 100 * MS);
    robo__look_left(run);
    robo__timer_stop(&run->world->timers, &run->look);
    no_more_mishaps(run);
    remove_robots(run);
    robo_advance(run->world, robo_now(run->world));
    /* the world is held by itself and by its host */
    uint32_t holders = atomic_load(&run->world->holders);
    if (!run->over && (run->world->timers.count || run->world->robots || holders != 2))
        robo__run_find(run, ROBO__LEAKED, "%u timers and %u robots are left",
                       run->world->timers.count, holders - 2);
    run->report->seconds = (double)robo_now(run->world) * 1e-9;
    close_world(run);
}

void robo__run_perform(struct robo__run *run, uint64_t seed, FILE *trace,
                       struct robo_test_report *report)
{
    *report = (struct robo_test_report){ .seed = seed };
    run->report = report;
    run->trace = trace;
    if (begin(run, seed) < 0) {
        robo__run_find(run, ROBO__CRASHED, "no world can be made");
        if (run->world) { /* a mode or a robot was refused */
            remove_robots(run);
            close_world(run);
        }
        return;
    }
    robo_time began = robo_now(run->world);
    go_on(run, (robo_time)(robo__spread(&run->random, 1, 6) * 1e9));
    no_more_mishaps(run);
    unsigned ending = robo__pick(&run->random, 5);
    if (!run->over && ending < 2)
        leave(run);
    else if (!run->over && ending < 4)
        fall_silent(run);
    end(run);
    report->seconds -= (double)began * 1e-9;
}

struct robo__run *robo__run_open(const struct robo_test_plan *plan)
{
    struct robo__run *run = calloc(1, sizeof *run);
    if (run)
        run->plan = plan;
    return run;
}

void robo__run_close(struct robo__run *run)
{
    if (run)
        free(run->records);
    free(run);
}

int robo__plan_take(struct robo_test_plan *to, const struct robo_test_plan *from)
{
    int error = robo__sized_take(to, sizeof *to, from);
    double sum = 0;
    if (error == 0 && (!to->body || !to->weight || (to->modes > 0 && !to->mode)))
        return ROBO_EINVAL;
    for (size_t i = 0; error == 0 && i < to->bodies; i++) {
        if (!(to->weight[i] >= 0))
            return ROBO_EINVAL;
        sum += to->weight[i];
    }
    return error == 0 && sum > 0 && sum < 1e9 ? 0 : ROBO_EINVAL;
}

int robo_test_run(const struct robo_test_plan *from, uint64_t seed, char **trace,
                  struct robo_test_report *report)
{
    struct robo_test_plan plan;
    size_t size;
    int error = robo__plan_take(&plan, from);
    if (error < 0)
        return error;
    FILE *file = trace ? open_memstream(trace, &size) : NULL;
    struct robo__run *run = !trace || file ? robo__run_open(&plan) : NULL;
    if (run)
        robo__run_perform(run, seed, file, report);
    robo__run_close(run);
    if (file && (fclose(file) != 0 || !run)) {
        free(*trace);
        return ROBO_ENOMEM;
    }
    return run ? 0 : ROBO_ENOMEM;
}
