/* Events as plain numbers in a ring; alarms of tasks, which are timers that add an event; and running the world until there
 * is an event. */
#include <stdlib.h>

#include "runtime.h"
#include "robotalk/host.h"
#include "robotalk/watchers.h"

enum { ALARM_BITS = 20, ALARMS_MOST = 1 << ALARM_BITS };

/* A timer of a task. Its handle is its index in the runtime's list and how many alarms have been set before, so
 * that a stale handle stops no other alarm, and an event of a stopped alarm has no receiver. */
struct alarm {
    robo_timeout *timeout;
    struct runtime *rt;
    struct alarm *next_free;
    struct task *task;
    lua_Integer handle; /* 0: it is not set */
    uint32_t place;
};

static const char *const event_names[EVENT_KINDS] = {
    [EVENT_CLIENT] = "client", [EVENT_SIGNAL] = "signal", [EVENT_READABLE] = "readable",
    [EVENT_DEVICE] = "device", [EVENT_LINE] = "line",     [EVENT_QUESTION] = "question",
    [EVENT_HOSTED] = "hosted", [EVENT_SCREEN] = "screen", [EVENT_IMAGES] = "images",
    [EVENT_BRIDGE] = "bridge",
};

/* Makes room for that many further events; false: out of memory. */
static bool reserve(struct runtime *rt, size_t more)
{
    size_t size = rt->event_size ? rt->event_size : 64;
    while (size < rt->event_count + more)
        size *= 2;
    if (size == rt->event_size)
        return true;
    struct event *event = malloc(size * sizeof *event);
    if (!event)
        return false;
    for (size_t i = 0; i < rt->event_count; i++)
        event[i] = rt->event[(rt->event_first + i) % rt->event_size];
    free(rt->event);
    rt->event = event;
    rt->event_size = size;
    rt->event_first = 0;
    return true;
}

void runtime_event(struct runtime *rt, enum event_kind kind, lua_Integer a, lua_Integer b)
{
    /* alarms that are set have reserved slots */
    if (reserve(rt, 1 + (kind == EVENT_TIMER ? 0 : rt->alarms)))
        rt->event[(rt->event_first + rt->event_count++) % rt->event_size] =
            (struct event){ (int)kind, a, b };
    else
        rt->event_lost = true;
}

/* ---- alarms ---- */

static void put_away(struct alarm *alarm)
{
    struct runtime *rt = alarm->rt;
    robo_timeout_stop(alarm->timeout);
    alarm->handle = 0;
    alarm->next_free = rt->alarm_free;
    rt->alarm_free = alarm;
    rt->alarms--;
}

static void on_alarm(void *owner, robo_time now)
{
    (void)now;
    struct alarm *alarm = owner;
    runtime_event(alarm->rt, EVENT_TIMER, alarm->handle, 0);
}

/* Adds an alarm to the list of free ones; false: out of memory. */
static bool add_alarm(struct runtime *rt)
{
    uint32_t n = rt->alarm_size;
    /* the list grows when its length is a power of two */
    if ((n & (n - 1)) == 0) {
        struct alarm **list = realloc(rt->alarm, (n ? 2 * (size_t)n : 1) * sizeof(*list));
        if (!list)
            return false;
        rt->alarm = list;
    }
    struct alarm *alarm = calloc(1, sizeof *alarm);
    if (alarm)
        alarm->timeout = robo_timeout_open(rt->loop, on_alarm, alarm);
    if (!alarm || !alarm->timeout) {
        free(alarm);
        return false;
    }
    alarm->rt = rt;
    alarm->place = n;
    rt->alarm[rt->alarm_size++] = alarm;
    alarm->next_free = rt->alarm_free;
    rt->alarm_free = alarm;
    return true;
}

void alarm_reserve(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(L);
    if (rt->alarms == ALARMS_MOST)
        luaL_error(L, "more than %d timers at once", ALARMS_MOST);
    if (!reserve(rt, rt->alarms + 1) || (!rt->alarm_free && !add_alarm(rt)))
        luaL_error(L, "not enough memory");
}

lua_Integer alarm_start(lua_State *L, robo_time at, struct task *t)
{
    struct runtime *rt = runtime_of(L);
    alarm_reserve(L);
    struct alarm *alarm = rt->alarm_free;
    robo_timeout_set(alarm->timeout, at);
    rt->alarm_free = alarm->next_free;
    rt->alarms++;
    alarm->handle = ++rt->alarms_set << ALARM_BITS | alarm->place;
    alarm->task = t;
    return alarm->handle;
}

/* The alarm of a handle, or NULL. */
static struct alarm *find_alarm(const struct runtime *rt, lua_Integer handle)
{
    const lua_Integer place = handle & (ALARMS_MOST - 1);
    struct alarm *alarm = handle > 0 && place < rt->alarm_size ? rt->alarm[place] : NULL;
    return alarm && alarm->handle == handle ? alarm : NULL;
}

void alarm_stop(struct runtime *rt, lua_Integer handle)
{
    struct alarm *alarm = find_alarm(rt, handle);
    if (alarm)
        put_away(alarm);
}

/* core.next(): the oldest event as kind, a, b; nothing when there is none. Tasks get their alarms on the way. */
static int l_next(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    struct event n;
    if (rt->event_lost) /* a task would wait for it for ever */
        return luaL_error(L, "not enough memory to note what has happened");
    do {
        if (atomic_exchange(&rt->signal_waits, false)) {
            watchdog_heeded(&rt->watched);
            n = (struct event){ EVENT_SIGNAL, atomic_load(&rt->signal_number), 0 };
        } else if (rt->event_count > 0) {
            n = rt->event[rt->event_first];
            rt->event_first = (rt->event_first + 1) % rt->event_size;
            rt->event_count--;
        } else {
            return 0;
        }
        struct alarm *alarm = n.kind == EVENT_TIMER ? find_alarm(rt, n.a) : NULL;
        if (alarm)
            task_time_out(rt, alarm->task);
    } while (n.kind == EVENT_TIMER);
    lua_pushstring(L, event_names[n.kind]);
    lua_pushinteger(L, n.a);
    lua_pushinteger(L, n.b);
    return 3;
}

/* The list of events stays: a robot or a port that is closed later may add one more. */
void close_events(struct runtime *rt)
{
    for (uint32_t i = 0; i < rt->alarm_size; i++) {
        if (rt->alarm[i]->handle != 0)
            put_away(rt->alarm[i]);
        robo_timeout_close(rt->alarm[i]->timeout);
        free(rt->alarm[i]);
    }
    free(rt->alarm);
    rt->alarm = NULL;
    rt->alarm_free = NULL;
    rt->alarm_size = 0;
    rt->event_count = 0;
    rt->event_lost = false;
}

/* ---- running the world ---- */

/* core.step(until): runs the world until there is an event, at most until then (nil: for ever). In a virtual world
 * time jumps to the next due timer. false: no event by `until`. */
static int l_step(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    robo_time until = lua_isnoneornil(L, 1) ? ROBO_NEVER : check_time(L, 1);
    runtime_need_world(L);
    if (rt->event_count > 0 || atomic_load(&rt->signal_waits)) {
        lua_pushboolean(L, 1);
        return 1;
    }
    robo_time now = robo_now(rt->world);
    slice_end(rt);
    if (robo_is_virtual(rt->world)) {
        robo_time next = robo_next_due(rt->world);
        if (next > until || next == ROBO_NEVER) {
            if (until != ROBO_NEVER && until > now)
                robo_advance(rt->world, until);
            slice_begin(rt);
            lua_pushboolean(L, 0);
            return 1;
        }
        robo_advance(rt->world, next > now ? next : now);
    } else {
        robo_loop_dispatch(rt->loop, until == ROBO_NEVER ? ROBO_NEVER
                                     : until > now       ? until - now
                                                         : 0);
    }
    slice_begin(rt);
    lua_pushboolean(L, rt->event_count > 0 || until == ROBO_NEVER || robo_now(rt->world) < until);
    return 1;
}

void open_events(lua_State *L)
{
    set_function(L, "next", l_next);
    set_function(L, "step", l_step);
}
