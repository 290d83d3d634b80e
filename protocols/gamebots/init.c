/* INIT: a client asks for a class of robot, and gets one that is served already (spec/gamebots.md). A robot that it names comes first,
 * be it by a name that a client gave it before or by its own; then the one at the place where the client wants to start; then any free
 * one of the class. Nothing is placed: a robot stays where it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/time.h"
#include "connection.h"
#include "robot/client.h"
#include "bridge_side.h"
#include "robotalk/description.h"

enum { STARTS = 64, NAMED = 3 /* robots that an answer names */ };
static const char START[] = "RobotStart", NO_MEMORY[] = "there is no memory for a robot";

/* ---- names ---- */

static struct robo__gb_names *names_of(struct robo__gb_connection *c)
{
    static const char key;
    return robo__host_part(c->conn->host, &key, sizeof(struct robo__gb_names));
}

static struct robo__gb_given *find_name(struct robo__gb_names *names, const char *name)
{
    for (unsigned i = 0; i < names->count; i++)
        if (strcasecmp(names->given[i].name, name) == 0)
            return &names->given[i];
    return NULL;
}

/* The client that has a robot, or had it last. */
static struct robo__gb_given *find_robot(struct robo__gb_names *names, const char *robot)
{
    struct robo__gb_given *found = NULL;
    for (unsigned i = 0; i < names->count; i++) {
        struct robo__gb_given *one = &names->given[i];
        if (strcmp(one->robot, robot) == 0 && (!found || one->taken))
            found = one;
    }
    return found;
}

/* A place for a name: its own, a new one, or the one that was left first. NULL: all are taken. */
static struct robo__gb_given *make_place(struct robo__gb_names *names, const char *name)
{
    struct robo__gb_given *place = find_name(names, name);
    if (place || names->count < ROBO__GB_NAMES)
        return place ? place : &names->given[names->count++];
    for (unsigned i = 0; i < names->count; i++)
        if (!names->given[i].taken && (!place || names->given[i].left_at < place->left_at))
            place = &names->given[i];
    return place;
}

/* ---- a robot ---- */

struct search {
    struct robo__gb_names *names;
    char name[ROBO__GB_NAME], start[ROBO__GB_NAME];
    bool no_memory; /* for a robot that would have been free */
    bool fits;      /* a requested one exists, free or not */
    char why[192];
};

static void close_session(struct robo__gb_connection *c)
{
    robo__seat_close(&c->seat);
    c->controls = false;
}

static void drop_made(struct robo__gb_connection *c)
{
    robo__gb_vehicle_free(c->vehicle);
    robo_body_release(c->body);
    c->body = NULL;
    free(c->wish.dof);
    free(c->due);
    c->vehicle = NULL;
    c->wish = (struct robo__gb_wish){ .base = false };
    c->due = NULL;
    robo__budget_give(robo__world_memory(robo__robot_world(c->robot)), c->made);
    c->made = 0;
}

bool robo__gb_renew(struct robo__gb_connection *c)
{
    robo_body *body = robo__robot_newest(c->robot, &c->revision);
    const struct robo_description *d = robo_body_description(body);
    char name[ROBO__GB_NAME];
    memcpy(name, c->vehicle ? c->vehicle->name : c->called, sizeof name);
    drop_made(c);
    const size_t size = robo__gb_vehicle_size(d) + (d->dofs + 1u) * sizeof *c->wish.dof +
                        (d->sensors + 1u) * sizeof *c->due;
    if (!robo__budget_take(robo__world_memory(robo__robot_world(c->robot)),
                           c->conn ? c->conn->memory : 0, size))
        return false;
    c->made = size;
    c->body = robo_body_hold(body);
    c->vehicle = robo__gb_vehicle_make(d, c->dialect, &c->class_row, name);
    c->wish.dof = calloc(d->dofs + 1u, sizeof *c->wish.dof);
    c->due = calloc(d->sensors + 1u, sizeof *c->due);
    return c->vehicle && c->wish.dof && c->due;
}

static void release(struct robo__gb_connection *c)
{
    close_session(c);
    drop_made(c);
    robo_release(c->robot);
    c->robot = NULL;
}

/* Takes that robot, whose reference is the connection's then; false: another client has it, or there is no memory for it, and
 * the reference is given back. */
static bool take(struct robo__gb_connection *c, struct search *s, robo_robot *robot, robo_time now)
{
    c->robot = robot;
    const int error = robo__seat_open(&c->seat, robot, NULL, now);
    const bool free = error == 0 && robo__seat_take(&c->seat, now);
    c->controls = free && robo__gb_renew(c);
    s->no_memory |= error == ROBO_ENOMEM || (free && !c->controls);
    if (!c->controls)
        release(c);
    return c->controls;
}

/* ---- which one ---- */

static bool is_taken(const struct search *s, const robo_robot *robot)
{
    const struct robo__gb_given *given = find_robot(s->names, robo_robot_name(robot));
    return given && given->taken;
}

static bool take_named(struct robo__gb_connection *c, struct search *s, const char *robot,
                       robo_time now)
{
    const bool may = robot[0] && (!c->wanted[0] || strcmp(c->wanted, robot) == 0);
    robo_robot *found = may ? robo_find(c->conn->host->world, robot) : NULL;
    s->fits |= found != NULL;
    return found && take(c, s, found, now);
}

/* Whether the address lets the client have that robot. */
static bool may_have(const struct robo__gb_connection *c, const struct robo_description *d)
{
    return !c->wanted[0] || strcmp(c->wanted, d->name) == 0;
}

/* Robots of the class in the order of the world's list; kept: also those with a name for which a client may come back. */
static bool take_any(struct robo__gb_connection *c, struct search *s, bool kept, robo_time now)
{
    robo_world *world = c->conn->host->world;
    uint64_t cursor = 0;
    unsigned number = 0;
    for (robo_robot *r; (r = robo_next_robot(world, &cursor)) != NULL;) {
        char start[32];
        const struct robo_description *d = robo__robot_description(r);
        snprintf(start, sizeof start, "%s%u", START, ++number);
        const bool fits = may_have(c, d) && robo__gb_class_has(&c->class_row, d);
        s->fits |= fits;
        if (!fits || is_taken(s, r) || (!kept && find_robot(s->names, d->name)) ||
            (s->start[0] && strcasecmp(s->start, start) != 0))
            robo_release(r);
        else if (take(c, s, r, now))
            return true;
    }
    return false;
}

/* Lists the robots, for a client that has asked for a missing one: any can be had by its name. */
static const char *say_which(struct robo__gb_connection *c, struct search *s)
{
    uint64_t cursor = 0;
    unsigned count = 0;
    size_t n = (size_t)snprintf(s->why, sizeof s->why, "no robot here is of that class");
    for (robo_robot *r; (r = robo_next_robot(c->conn->host->world, &cursor)) != NULL;) {
        const struct robo_description *d = robo__robot_description(r);
        if (may_have(c, d) && ++count <= NAMED)
            n += (size_t)snprintf(s->why + n, sizeof s->why - n, "%s%s",
                                  count == 1 ? "; there is " : ", ", d->name);
        robo_release(r);
    }
    if (count > NAMED)
        snprintf(s->why + n, sizeof s->why - n, " and %u more", count - NAMED);
    return count > 0 ? s->why : "there is no robot here";
}

/* NULL: there is one, and it is the connection's; else why not. */
static const char *find(struct robo__gb_connection *c, struct search *s, robo_time now)
{
    const struct robo__gb_given *given = s->name[0] ? find_name(s->names, s->name) : NULL;
    if (given && given->taken)
        return "another client has the robot of that name";
    if (given && take_named(c, s, given->robot, now))
        return NULL;
    const struct robo__gb_given *other = s->name[0] ? find_robot(s->names, s->name) : NULL;
    if (s->name[0] && !(other && other->taken) && take_named(c, s, s->name, now))
        return NULL;
    if (s->start[0] && take_any(c, s, true, now))
        return NULL;
    s->start[0] = 0; /* no robot of that class is at that place */
    if (take_any(c, s, false, now) || take_any(c, s, true, now))
        return NULL;
    return s->no_memory ? NO_MEMORY
           : s->fits    ? "no robot of that class is free: another client has it"
                        : say_which(c, s);
}

/* ---- INIT ---- */

/* Checks the pose, which is not used; a client that wants a robot of that name is notified of its faults. Whether it is right. */
static bool check_pose(struct robo__gb_connection *c, const struct robo__gb_line *line,
                       const char *name)
{
    static const char *const poses[] = { "Location", "Rotation" };
    for (int i = 0; i < 2; i++) {
        double v[3];
        const struct robo__gb_text text = robo__gb_find(line, poses[i]);
        const char *why = text.at ? robo__gb_vector(text, v) : NULL;
        if (!why)
            continue;
        char reason[160];
        snprintf(reason, sizeof reason, "%s: %s", poses[i], why);
        robo__gb_say_result(c, "INIT", name, false, reason);
        return false;
    }
    return true;
}

static void keep_name(struct robo__gb_connection *c, const struct search *s)
{
    const char *robot = robo_robot_name(c->robot);
    const char *name = s->name[0] ? s->name : robot;
    struct robo__gb_given *given = make_place(s->names, name);
    snprintf(c->vehicle->name, sizeof c->vehicle->name, "%s", name);
    if (!given)
        return; /* it has no name then, and stays the client's as long as it has the lease */
    snprintf(given->name, sizeof given->name, "%s", name);
    snprintf(given->robot, sizeof given->robot, "%s", robot);
    given->taken = true;
    c->name_given = given;
}

/* A client that has lost its robot to another asks for it again. */
static void take_again(struct robo__gb_connection *c, const struct search *s, robo_time now)
{
    const char *name = s->name[0] ? s->name : c->vehicle->name;
    if (c->controls || (s->name[0] && strcasecmp(s->name, c->vehicle->name) != 0)) {
        robo__gb_say_result(c, "INIT", name, false, "this connection has a robot already");
        return;
    }
    if (!robo__seat_take(&c->seat, now)) {
        robo__gb_say_result(c, "INIT", name, false, "another client controls the robot");
        return;
    }
    c->controls = true;
    if (!c->side)
        return;
    /* the client that had the robot meanwhile was at the bridge, too */
    robo__gb_leave_bridge(c);
    c->conn->closing = !robo__gb_join_bridge(c, now);
}

/* A client may ask again and again, and in many connections: of one the log has it once as long as it stays the same, and of all of
 * them a line a second. */
static void tell_refusal(struct robo__gb_connection *c, const char *why)
{
    char text[224] = "";
    snprintf(text, sizeof text, "gamebots: INIT: %s: %.140s", c->class_row.name, why);
    if (strncmp(text, c->told, sizeof c->told - 1) == 0)
        return;
    snprintf(c->told, sizeof c->told, "%.*s", (int)sizeof c->told - 1, text);
    robo__complain_of(c->conn->host, ROBO__IN_VAIN, text);
}

void robo__gb_do_init(struct robo__gb_connection *c, const struct robo__gb_line *line,
                      robo_time now)
{
    const struct robo__file *file =
        robo__files_find(&c->conn->host->files, "gamebots/vehicles.txt");
    const struct robo__gb_text class = robo__gb_find(line, "ClassName");
    struct search s = { .names = names_of(c) };
    robo__gb_copy(robo__gb_find(line, "Name"), s.name, sizeof s.name);
    robo__gb_copy(robo__gb_find(line, "Start"), s.start, sizeof s.start);
    if (c->robot) {
        take_again(c, &s, now);
        return;
    }
    if (!check_pose(c, line, s.name))
        return;
    if (!s.names) {
        robo__gb_say_result(c, "INIT", s.name, false, NO_MEMORY);
        return;
    }
    if (class.n == 0) {
        robo__gb_say_result(c, "INIT", s.name, false,
                            "ClassName: expected a class such as USARBot.P2AT");
        return;
    }
    robo__gb_class_of(file ? file->bytes : NULL, file ? file->size : 0, class, &c->class_row);
    const char *why = find(c, &s, now);
    if (why) {
        tell_refusal(c, why);
        robo__gb_say_result(c, "INIT", s.name, false, why);
        return;
    }
    keep_name(c, &s);
    memset(c->reset, 0, sizeof c->reset);
    robo__world_log(c->conn->host->world, ROBO_LOG_INFO, "gamebots: %s \"%s\" is robot %s",
                    c->class_row.name, c->vehicle->name, c->vehicle->description->name);
}

void robo__gb_let_go(struct robo__gb_connection *c, robo_time now)
{
    robo__gb_leave_bridge(c);
    if (c->name_given) {
        c->name_given->taken = false;
        c->name_given->left_at = now;
    }
    c->name_given = NULL;
    if (c->robot)
        release(c);
}

/* ---- where robots stand ---- */

void robo__gb_say_starts(struct robo__gb_connection *c)
{
    struct robo__gb_start start[STARTS] = { { .name = "" } };
    char room[ROBO__GB_ANSWER];
    struct robo__gb_out out = robo__gb_out(room, sizeof room);
    uint64_t cursor = 0;
    unsigned count = 0;
    struct robo_state state;
    for (robo_robot *r; count < STARTS && (r = robo_next_robot(c->conn->host->world, &cursor));) {
        robo_read(r, &state, sizeof state);
        snprintf(start[count].name, sizeof start[count].name, "%s%u", START, count + 1);
        memcpy(start[count].position, state.pose, sizeof state.pose);
        memcpy(start[count].attitude, state.attitude, sizeof state.attitude);
        count++;
        robo_release(r);
    }
    robo__gb_starts(&out, c->dialect, start, count);
    robo__gb_say(c, &out);
}
