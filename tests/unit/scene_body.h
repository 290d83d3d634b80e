/* The robots of scenes: bodies by name, a driver that notes its calls as effects, and commands as text. */
#pragma once

#include "scene_file.h"

#include "robot/robot.h"
#include "robot/world/inside.h"
#include "robotalk.h"
#include "robotalk/messages.h"
#include "robotalk/description.h"
#include "../scenery.h"

static robo_world *world;
static robo_robot *robot;

/* Beyond the ends of the clock: its end. */
static robo_time time_of(double seconds)
{
    if (seconds > 9.2e9 || seconds < -9.2e9)
        return seconds > 0 ? INT64_MAX : INT64_MIN;
    return (robo_time)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
}

/* ---- effects ---- */

static char effects[1 << 16];             /* since the event, a line each */
static size_t effects_used, effects_last; /* where the last line begins */
static robo_time event_at;
static pthread_mutex_t effects_lock = PTHREAD_MUTEX_INITIALIZER; /* drivers may have a thread */

/* Whether one line can be said with the one before it: both devices do the same, or one client receives more; then the two are one. */
static bool joins(char *last, const char *line, size_t room)
{
    const char *verb = strstr(line, " receives ");
    const size_t who = verb ? (size_t)(verb - line) + strlen(" receives ") : 0;
    const size_t length = strlen(last) - 1;
    if (verb && strncmp(last, line, who) == 0) {
        snprintf(last + length, room - length, "; %s\n", line + who);
        return true;
    }
    char *base = strstr(last, "base ");
    const char *arm = strstr(line, "arm ");
    if (!base || !arm || base - last != arm - line ||
        strncmp(last, line, (size_t)(arm - line)) != 0)
        return false;
    base += strlen("base ");
    arm += strlen("arm ");
    if (strncmp(base, arm, strlen(arm)) != 0 || base[strlen(arm)] != '\n')
        return false;
    verb = arm + strcspn(arm, " ") - 1; /* its s */
    snprintf(base, room - (size_t)(base - last), "arm %.*s%s\n", (int)(verb - arm), arm, verb + 1);
    return true;
}

/* An effect of now, which has its instant before it when that is not the event's. */
__attribute__((format(printf, 1, 2))) static void effect(const char *format, ...)
{
    va_list list;
    char line[512];
    const robo_time now = robo_now(world);
    const int n = now == event_at ? 0 : snprintf(line, sizeof line, "%.10g ", (double)now / 1e9);
    va_start(list, format);
    vsnprintf(line + n, sizeof line - (size_t)n, format, list);
    va_end(list);
    pthread_mutex_lock(&effects_lock);
    assert_true(sizeof effects - effects_used > 2 * sizeof line);
    char *last = effects + effects_last;
    if (effects_used == 0 || !joins(last, line, sizeof effects - effects_last)) {
        effects_last = effects_used;
        snprintf(effects + effects_used, sizeof effects - effects_used, "%s\n", line);
    }
    effects_used = effects_last + strlen(effects + effects_last);
    pthread_mutex_unlock(&effects_lock);
}

/* ---- bodies ---- */

static const struct scene_body {
    const char *name;
    bool one_device, parts, scales;
    double braking; /* of the base, m/s^2 */
    enum robo_halt panic;
    bool swapped; /* pan and tilt have each other's numbers */
    bool bare;    /* a base without dofs */
    bool fixed;   /* nothing moves its base */
} bodies[] = {
    { .name = "cart" }, /* a base, and an arm with a gripper; a device each */
    { .name = "single", .one_device = true },
    { .name = "parts", .parts = true },
    { .name = "scaled", .one_device = true, .scales = true },
    { .name = "braking", .braking = 2 },
    { .name = "limp", .braking = 2, .panic = ROBO_LIMP },
    { .name = "swapped", .swapped = true },
    { .name = "bare", .one_device = true, .bare = true },
    { .name = "fixed", .fixed = true },
};
static const char *const device_name[] = { "base", "arm" };

static const struct scene_body *find_body(struct scene_words *w)
{
    const char *name = scene_word(w);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        if (strcmp(bodies[i].name, name) == 0)
            return &bodies[i];
    w->at--;
    scene_wrong(w, "no such body");
    return NULL;
}

static const struct robo_description *describe(const struct scene_body *body)
{
    static struct robo_description d;
    begin_description(&d, 8,
                      (struct robo_description){ .links = 3,
                                                 .joints = body->bare ? 1 : 3,
                                                 .devices = body->one_device ? 1 : 2,
                                                 .dofs = body->bare ? 0 : 4,
                                                 .commands = UINT64_MAX,
                                                 .deadman = time_of(0.5) });
    strcpy(d.name, "r");
    for (int i = 0; i < d.devices; i++)
        strcpy(d.device[i].driver, "actor");
    d.device[0].base = !body->fixed;
    d.base_acceleration[0] = body->braking;
    d.panic = body->panic;
    d.joint[0] = (struct robo_joint){ .name = "root", .parent = ROBO_WORLD };
    if (body->bare)
        return &d;
    const uint8_t arm = body->one_device ? 0 : 1;
    d.joint[1] = (struct robo_joint){ .name = "arm",
                                      .child = 1,
                                      .servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
                                      .device = arm,
                                      .dofs = 3 };
    d.joint[2] = (struct robo_joint){ .name = "gripper",
                                      .parent = 1,
                                      .child = 2,
                                      .servo = ROBO_SERVO_FORCE,
                                      .device = arm,
                                      .first = 3,
                                      .dofs = 1 };
    const char *names[] = { "pan", "tilt", "roll", "grip" };
    for (int i = 0; i < 4; i++)
        strcpy(d.dof[i].name, names[body->swapped && i < 2 ? 1 - i : i]);
    return &d;
}

/* ---- axes as text ---- */

/* The number of the dof that has the next word as its name; it is taken. -1: none has. */
static int take_dof(struct scene_words *w)
{
    const struct robo_description *d = robot->description;
    for (int i = 0; i < d->dofs; i++) {
        const size_t n = strlen(d->dof[i].name);
        if (strncmp(w->word[w->at], d->dof[i].name, n) == 0 && w->word[w->at][n] == 0)
            return w->at++, i;
    }
    return -1;
}

/* Axes, as a stop, a take and a release have them: none of them named is all of them. `dof N` is one by number, `none` a mask of no
 * dofs. */
static void take_axes(struct scene_words *w, uint8_t *base, uint8_t *bytes, uint8_t *mask)
{
    for (;;) {
        int dof = -1;
        if (scene_takes(w, "base")) {
            *base = 1;
            continue;
        }
        if (scene_takes(w, "none")) {
            *bytes = 1;
            continue;
        }
        if (scene_takes(w, "dof"))
            dof = (int)scene_number(w);
        else
            dof = take_dof(w);
        if (dof < 0)
            return;
        mask[dof / 8] |= (uint8_t)(1 << dof % 8);
        if (*bytes < dof / 8 + 1)
            *bytes = (uint8_t)(dof / 8 + 1);
    }
}

static const char *show_axes(uint8_t base, uint8_t bytes, const uint8_t *mask)
{
    static char text[256];
    const struct robo_description *d = robot->description;
    size_t n = (size_t)snprintf(text, sizeof text, "%s", base ? " base" : "");
    for (int i = 0; i < d->dofs && i < 8 * bytes; i++)
        if (mask[i / 8] >> i % 8 & 1)
            n += (size_t)snprintf(text + n, sizeof text - n, " %s", d->dof[i].name);
    return text;
}

/* ---- commands as text ---- */

/* The frames of a package, a ring. */
static struct {
    struct robo_move set;
    struct robo_move_dof dof[8];
    struct robo_move_frame frame[2];
} moves[16];
static size_t moves_made;

/* "[base speed|place X] [DOF|dof N [speed|force] VALUE [limit L]] ... [frame N]" */
static void take_move(struct scene_words *w, struct robo_cmd *cmd)
{
    const size_t at = moves_made++ % (sizeof moves / sizeof moves[0]);
    struct robo_move *m = &moves[at].set;
    memset(&moves[at], 0, sizeof moves[at]);
    m->dof = moves[at].dof;
    m->frame = moves[at].frame;
    cmd->body.move = m;
    for (int dof; m->dofs < 8 && m->frames < 2;) {
        if (scene_takes(w, "base")) {
            m->parts |= scene_takes(w, "speed")   ? ROBO_MOVE_SPEED
                        : scene_takes(w, "place") ? ROBO_MOVE_PLACE
                                                  : 0;
            m->base[0] = scene_number(w);
            continue;
        }
        if (scene_takes(w, "frame")) {
            m->frame[m->frames++] = (struct robo_move_frame){ .frame = (uint16_t)scene_number(w),
                                                              .servo = ROBO_SERVO_SETPOINT };
            continue;
        }
        dof = scene_takes(w, "dof") ? (int)scene_number(w) : take_dof(w);
        if (dof < 0)
            return;
        struct robo_move_dof *d = &m->dof[m->dofs++];
        d->dof = (uint16_t)dof;
        d->servo = scene_takes(w, "speed")   ? ROBO_SERVO_SPEED
                   : scene_takes(w, "force") ? ROBO_SERVO_FORCE
                                             : ROBO_SERVO_SETPOINT;
        d->value = scene_number(w);
        if (scene_takes(w, "limit")) {
            d->limit = scene_number(w);
            m->parts |= ROBO_MOVE_LIMITS;
        }
    }
}

/* "OP NUMBER ..." in the order of its record, "OP DOF NUMBER[/VELOCITY] ..." of a joint, "stop [own] [AXIS ...]", "move PART ...". false:
 * the next word is no command. */
static bool take_command(struct scene_words *w, struct robo_cmd *cmd)
{
    const struct robo_operation *o = robo_operation_named(robo_commands(), w->word[w->at]);
    if (!o)
        return false;
    w->at++;
    *cmd = (struct robo_cmd){ .op = o->op, .start = ROBO_AT_ONCE };
    const struct robo_command_kind *kind = robo_command_kind_of(o->op);
    cmd->revision = (uint8_t)robot->revisions->revision;
    if (o->op == ROBO_MOVE) {
        take_move(w, cmd);
    } else if (o->op == ROBO_STOP) {
        struct robo_stop *stop = &cmd->body.stop;
        stop->scope = scene_takes(w, "own");
        take_axes(w, &stop->base, &stop->bytes, stop->mask);
    } else if (kind->moves == ROBO_MOVES_JOINT) {
        struct robo_servo_command *servo = &cmd->body.servo;
        for (int dof; (dof = take_dof(w)) >= 0;) {
            const struct robo_description *d = robot->description;
            unsigned j = 0;
            while (dof < d->joint[j].first || dof >= d->joint[j].first + d->joint[j].dofs)
                j++;
            const unsigned k = (unsigned)dof - d->joint[j].first;
            servo->joint = (uint16_t)j;
            servo->mask |= (uint8_t)(1 << k);
            const char *slash = strchr(w->word[w->at], '/');
            servo->value[k] = scene_number(w);
            servo->velocity[k] = slash ? strtod(slash + 1, NULL) : 0;
        }
    } else {
        double *value = (double *)(void *)((char *)&cmd->body + kind->first);
        for (int i = 0; i < kind->values && scene_is_number(w); i++)
            value[i] = scene_number(w);
    }
    return true;
}

static const char *show_command(const struct robo_cmd *cmd)
{
    static char text[256];
    const struct robo_command_kind *kind = robo_command_kind_of(cmd->op);
    size_t n = (size_t)snprintf(text, sizeof text, "%s", robo_op_name(cmd->op));
    if (cmd->op == ROBO_STOP) {
        snprintf(text + n, sizeof text - n, "%s",
                 show_axes(cmd->body.stop.base, cmd->body.stop.bytes, cmd->body.stop.mask));
    } else if (kind->moves == ROBO_MOVES_JOINT) {
        const struct robo_servo_command *servo = &cmd->body.servo;
        const struct robo_joint *joint = &robot->description->joint[servo->joint];
        for (unsigned k = 0; k < joint->dofs; k++) {
            if (!(servo->mask >> k & 1))
                continue;
            n += (size_t)snprintf(text + n, sizeof text - n, " %s %.9g",
                                  robot->description->dof[joint->first + k].name, servo->value[k]);
            if (servo->velocity[k] != 0)
                n += (size_t)snprintf(text + n, sizeof text - n, "/%.9g", servo->velocity[k]);
        }
    } else {
        const double *value =
            (const double *)(const void *)((const char *)&cmd->body + kind->first);
        int values = kind->values;
        while (values > 1 && value[values - 1] == 0)
            values--;
        for (int i = 0; i < values; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, " %.9g", value[i]);
    }
    return text;
}

/* ---- the driver ---- */

/* Goals end after `goal`; 0: only when the scene says so. All else is done at once, unless `mute`. */
static struct {
    robo_time goal;
    bool mute;
    double speed;            /* of the base, whatever it is told: m/s ahead */
    enum robo_signal signal; /* of what is done */
    enum robo_reason reason;
} acting;

struct actor {
    robo_device *device;
    robo_ticket last;
    bool closed;
    double x; /* m: it is where its speed is */
    size_t goals;
    struct {
        robo_ticket ticket;
        robo_time due;
    } goal[64];
};

static struct actor *actors[2]; /* the open ones */

static int actor_open(void *state, robo_device *device, robo_time now)
{
    struct actor *a = state;
    a->device = device;
    actors[robo_device_index(device)] = a;
    return 0;
}

static robo_time actor_advance(void *state, robo_time now)
{
    struct actor *a = state;
    robo_time next = ROBO_NEVER;
    assert_false(a->closed);
    for (size_t i = 0; i < a->goals;) {
        if (a->goal[i].due > now) {
            next = a->goal[i].due < next ? a->goal[i].due : next;
            i++;
            continue;
        }
        const robo_ticket ticket = a->goal[i].ticket;
        a->goal[i] = a->goal[--a->goals];
        robo_done(a->device, ticket, acting.signal, acting.reason);
    }
    return next;
}

static void actor_start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct actor *a = state;
    assert_false(a->closed);
    effect("%s starts %s", device_name[robo_device_index(a->device)], show_command(cmd));
    a->last = ticket;
    if (cmd->op == ROBO_SET_SPEED)
        a->x = cmd->body.set_speed.x;
    const struct robo_command_kind *kind = robo_command_kind_of(cmd->op);
    if (cmd->op == ROBO_STOP)
        a->goals = 0;
    if (!kind->goal || cmd->op == ROBO_STOP) {
        if (!acting.mute)
            robo_done(a->device, ticket, acting.signal, acting.reason);
    } else if (acting.goal > 0) {
        assert_true(a->goals < 64);
        a->goal[a->goals].ticket = ticket;
        a->goal[a->goals++].due = now + acting.goal;
    }
}

static void actor_read(const void *state, robo_time now, struct robo_state *out)
{
    const struct actor *a = state;
    assert_false(a->closed);
    if (robo_device_index(a->device) == 0) {
        out->twist[0] = acting.speed;
        out->pose[0] = a->x;
    }
}

static void actor_halt(void *state, robo_time now)
{
    struct actor *a = state;
    assert_false(a->closed);
    a->goals = 0;
    effect("%s halts", device_name[robo_device_index(a->device)]);
}

static void actor_override(void *state, double share, robo_time now)
{
    struct actor *a = state;
    effect("%s overrides %g", device_name[robo_device_index(a->device)], share);
}

static void actor_close(void *state)
{
    struct actor *a = state;
    a->closed = true;
}

/* A world with the body of the scene's line "body NAME", or else the first of all. */
static void open_stage(const struct scene *scene, bool is_virtual)
{
    static robo_driver driver;
    struct scene_words w;
    const struct scene_body *body = &bodies[0];
    for (struct scene_line *line = scene->title + 1; line < scene->end; line++) {
        scene_split(&w, scene, line);
        if (!line->effect && scene_takes(&w, "body"))
            body = find_body(&w);
    }
    driver = (robo_driver){ .size = sizeof(robo_driver),
                            .name = "actor",
                            .state_size = sizeof(struct actor),
                            .open = actor_open,
                            .start = actor_start,
                            .advance = actor_advance,
                            .read = actor_read,
                            .halt = actor_halt,
                            .override = body->scales ? actor_override : NULL,
                            .parts = body->parts,
                            .close = actor_close };
    memset(&acting, 0, sizeof acting);
    acting.signal = ROBO_SUCCESS;
    effects_used = 0;
    world = robo_open(&(struct robo_options){
        .size = sizeof(struct robo_options), .virtual_clock = is_virtual, .seed = 1 });
    assert_non_null(world);
    event_at = robo_now(world);
    assert_int_equal(robo_add_driver(world, &driver), 0);
    assert_int_equal(robo_add(world, describe(body), &robot), 0);
}
