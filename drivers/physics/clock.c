/* The clock of a simulation: a timer of a virtual world, or a thread. */
#include <math.h>
#include <sched.h>
#include <string.h>

#include "base/time.h"
#include "rig.h"
#include "sliding.h"
#include "robot/world/world.h"
#include "robotalk/device.h"
#include "robotalk/host.h"

static const robo_time SECOND = 1000000000;
/* So much is caught up after a pause; the rest is left out. */
static const robo_time CATCH_UP = 50 * 1000000;
static const robo_time LOG_EVERY = 10LL * 1000000000;
static const double SLOW = 0.98;  /* share of real time below which it is worth a line, */
static const double CHANGE = 0.1; /* and another one by so much less */

/* Positions and speeds beyond which nothing real is, m and rad: farther than anything may be put, and within the range of the
 * wire. */
static const double LOST = 1.5 * ROBO_FARTHEST;
enum { KEEP_EVERY = 64 }; /* steps */

/* ---- a step ---- */

/* mj_step in two halves, so that between two steps all that follows from positions and speeds is of the newest ones. */
static void begin_step(void *context)
{
    const struct robo__simulation *s = context;
    const struct robo__mechanics *now = &s->now;
    bool forces = false;
    now->engine->mj_step2(now->model, now->data);
    for (const struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        for (const struct robo__actor *actor = rig->actors; actor; actor = actor->next)
            forces |= actor->forces;
    if (forces)
        now->engine->mj_rnePostConstraint(now->model, now->data);
}

static void end_step(void *context)
{
    const struct robo__mechanics *now = context;
    now->engine->mj_step1(now->model, now->data);
    robo__slide(now->engine, now->model, now->data);
}

static bool step(struct robo__simulation *s)
{
    char why[256];
    if (robo__engine_try(begin_step, s, why) < 0)
        return false;
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        for (struct robo__actor *actor = rig->actors; actor; actor = actor->next)
            actor->kind->feel(actor, &s->now);
    return robo__engine_try(end_step, &s->now, why) >= 0;
}

static bool are_real(const mjtNum *value, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(value[i]) < LOST))
            return false;
    return true;
}

bool robo__simulation_is_sound(const struct robo__mechanics *now)
{
    static const int bad[] = { mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC };
    for (int i = 0; i < 3; i++)
        if (now->data->warning[bad[i]].number > 0)
            return false;
    /* A wheel that drives far has turned often, which is no place far away. */
    for (int i = 0; i < now->model->njnt; i++) {
        static const int POSITIONS[] = { 7, 4, 1, 1 }; /* by the type */
        const mjtNum *at = now->data->qpos + now->model->jnt_qposadr[i];
        const int count = POSITIONS[now->model->jnt_type[i]];
        if (now->model->jnt_group[i] == ROBO__MJCF_TURNS ? !isfinite(*at) : !are_real(at, count))
            return false;
    }
    return are_real(now->data->qvel, now->model->nv);
}

static void settle(void *context)
{
    const struct robo__mechanics *now = context;
    now->engine->mj_forward(now->model, now->data);
}

/* Whether every robot of it is in panic. */
static bool is_halted(const struct robo__simulation *s)
{
    for (const struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        if (!robo_device_in_panic(rig->actors->device))
            return false;
    return true;
}

/* Everything stands where it was a moment ago, until a robot is reset or the model is made again. */
static void go_back(struct robo__simulation *s)
{
    struct robo__mechanics *now = &s->now;
    char why[256];
    now->engine->mj_resetData(now->model, now->data);
    memcpy(now->data->qpos, s->good[1], (size_t)now->model->nq * sizeof(mjtNum));
    memset(now->data->warning, 0, sizeof now->data->warning);
    robo__simulation_bear(s, now->model, now->data);
    robo__engine_try(settle, now, why);
    /* the newer place may belong to a model about to diverge */
    memcpy(s->good[0], s->good[1], (size_t)now->model->nq * sizeof *s->good[0]);
    s->steps = 0;
    s->held = s->lost = true;
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next) {
        rig->lost = true;
        /* they start from there: former goals of wheels are elsewhere now */
        for (struct robo__actor *actor = rig->actors; actor; actor = actor->next)
            actor->kind->bind(actor, now);
    }
}

/* A line for each model, not for each step. */
static void look_for_room(struct robo__simulation *s)
{
    if (s->full || !robo__simulation_is_full(s->now.data))
        return;
    s->full = s->overflows = true;
}

static void keep(struct robo__simulation *s)
{
    double *older = s->good[1];
    if (++s->steps < KEEP_EVERY)
        return;
    s->steps = 0;
    s->good[1] = s->good[0];
    s->good[0] = older;
    memcpy(older, s->now.data->qpos, (size_t)s->now.model->nq * sizeof *older);
}

void robo__simulation_step(struct robo__simulation *s)
{
    if (!s->now.model) /* the last robot is just leaving */
        return;
    robo__simulation_put_led(s);
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        for (struct robo__actor *actor = rig->actors; actor; actor = actor->next)
            actor->kind->drive(actor, &s->now);
    s->held = s->held && is_halted(s);
    if (!s->held) {
        const bool made = step(s);
        look_for_room(s);
        if (made && robo__simulation_is_sound(&s->now))
            keep(s);
        else
            go_back(s);
    }
    s->now.time += s->step;
    for (struct robo__rig *rig = s->rigs; rig; rig = rig->next)
        for (struct robo__actor *actor = rig->actors; actor; actor = actor->next)
            actor->kind->look(actor, &s->now);
    robo__simulation_put_led(s);
}

/* A robot whose devices were not notified that physics has diverged, held, and these; NULL: there is none. news: whether the log
 * has had no such line for a while: a model that diverges where it begins does so at each reset. */
static robo_robot *next_lost(struct robo__simulation *s, robo_device *device[ROBO_MAX_DEVICES],
                             bool *news)
{
    robo_robot *robot = NULL;
    robo__simulation_lock(s);
    for (struct robo__rig *rig = s->rigs; rig && !robot; rig = rig->next) {
        size_t i = 0;
        if (!rig->lost)
            continue;
        rig->lost = false;
        *news = s->now.time >= rig->quiet;
        rig->quiet = *news ? s->now.time + LOG_EVERY : rig->quiet;
        robot = robo_hold(rig->robot);
        memset(device, 0, ROBO_MAX_DEVICES * sizeof *device);
        for (struct robo__actor *actor = rig->actors; actor; actor = actor->next)
            device[i++] = robo__device_hold(actor->device);
    }
    if (!robot)
        s->lost = false;
    robo__simulation_unlock(s);
    return robot;
}

/* Without the lock, which the log may wait longer than a step. */
static void tell_of_touches(struct robo__simulation *s)
{
    int contacts = 0, rows = 0;
    robo__simulation_lock(s);
    if (s->overflows && s->now.model) {
        contacts = s->now.model->nconmax;
        rows = s->now.model->njmax;
    }
    s->overflows = false;
    robo__simulation_unlock(s);
    if (contacts > 0)
        robo__world_log(s->world, ROBO_LOG_WARNING,
                        "physics: too much touches at once: there is room for %d contacts and %d "
                        "forces; what has none falls through what it stands on",
                        contacts, rows);
}

void robo__simulation_tell(struct robo__simulation *s)
{
    robo_device *device[ROBO_MAX_DEVICES];
    robo_robot *robot;
    bool news;
    tell_of_touches(s);
    while ((robot = next_lost(s, device, &news)) != NULL) {
        if (news)
            robo_device_log(device[0], ROBO_LOG_ERROR,
                            "physics has diverged: all stands where it was a moment ago, until "
                            "a robot is reset or described again");
        const bool moves = !robo_device_in_panic(device[0]);
        for (size_t i = 1; moves && i < ROBO_MAX_DEVICES && device[i]; i++)
            robo_post_fault(device[i], ROBO_WHY_DEVICE);
        if (moves)
            robo_post_lost(device[0], ROBO_WHY_DEVICE);
        for (size_t i = 0; i < ROBO_MAX_DEVICES && device[i]; i++)
            robo__device_release(device[i]);
        robo_release(robot);
    }
}

/* ---- virtual time ---- */

static void on_timer(struct robo__timer *timer, robo_time now)
{
    struct robo__simulation *s = robo__container_of(timer, struct robo__simulation, timer);
    (void)now;
    robo__simulation_lock(s);
    robo__simulation_step(s);
    robo__timer_start(robo__world_timers(s->world), timer, s->now.time + s->step);
    const bool news = s->lost || s->overflows;
    robo__simulation_unlock(s);
    if (news)
        robo__simulation_tell(s);
}

/* ---- real time ---- */

/* The thread's progress since its last report. */
struct pace {
    robo_time since, logged;
    robo_time done; /* simulated meanwhile */
    robo_time slow; /* when it was last too slow */
    double told;    /* its share of real time in the last line; 1: none was, or it has recovered */
};

static void count(struct robo__simulation *s, struct pace *pace, robo_time now)
{
    const robo_time span = now - pace->since;
    pace->done += s->step;
    if (span < SECOND)
        return;
    const double share = fmin(1, (double)pace->done / (double)span);
    atomic_store(&s->share, share);
    if (share < SLOW)
        pace->slow = now;
    const bool slower = share < SLOW && (pace->told == 1 || pace->told - share >= CHANGE),
               recovered = pace->told < 1 && now - pace->slow >= LOG_EVERY;
    if (recovered || (slower && now - pace->logged >= LOG_EVERY)) {
        pace->logged = now;
        pace->told = recovered ? 1 : share;
        robo__world_log(s->world, recovered ? ROBO_LOG_INFO : ROBO_LOG_WARNING,
                        "physics: running at %.0f %% of real time%s", 100 * share,
                        recovered ? "" : ": this machine is too slow");
    }
    pace->since = now;
    pace->done = 0;
}

/* Yields the lock to waiting threads: else a thread that is late would take it again at once. */
static void make_way(struct robo__simulation *s)
{
    const bool news = s->lost || s->overflows;
    pthread_mutex_unlock(&s->lock);
    if (news)
        robo__simulation_tell(s);
    for (int i = 0; atomic_load(&s->waiting) > 0 && i < 100; i++)
        sched_yield();
    pthread_mutex_lock(&s->lock);
}

static void *run(void *context)
{
    pthread_setname_np(pthread_self(), "physics");
    struct robo__simulation *s = context;
    struct pace pace = { .since = robo__time_monotonic(), .told = 1 };
    pace.logged = pace.since - LOG_EVERY;
    pthread_mutex_lock(&s->lock);
    while (!s->ending) {
        const robo_time now = robo__time_monotonic(), next = s->now.time + s->step;
        if (now < next || !s->now.model) {
            const struct timespec until = robo__timespec(now < next ? next : now + s->step);
            pthread_cond_timedwait(&s->wake, &s->lock, &until);
            continue;
        }
        if (now - next > CATCH_UP)
            s->now.time += (now - next) / s->step * s->step;
        robo__simulation_step(s);
        count(s, &pace, now);
        make_way(s);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int robo__simulation_start(struct robo__simulation *s)
{
    atomic_store(&s->share, 1);
    s->ending = false;
    s->now.time = robo_now(s->world);
    if (robo_is_virtual(s->world))
        robo__timer_start(robo__world_timers(s->world), &s->timer, s->now.time + s->step);
    else if (pthread_create(&s->thread, NULL, run, s) != 0)
        return ROBO_ESYSTEM;
    s->runs = true;
    return 0;
}

void robo__simulation_end(struct robo__simulation *s)
{
    if (!s->runs)
        return;
    s->runs = false;
    if (robo_is_virtual(s->world)) {
        robo__timer_stop(robo__world_timers(s->world), &s->timer);
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
}

void robo__simulation_prepare(struct robo__simulation *s)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    s->timer.fire = on_timer;
}
