/* DRIVE in its forms, MULTIDRIVE, MISPKG, ACT and CAMERA as wishes for a robot. A wrong value gives no wish and is answered. */
#include <math.h>
#include <string.h>

#include "body/gripper.h"
#include "connection.h"
#include "robotalk.h"

/* Reads the number of that group into *value, which stays as it was when there is none. false: it is wrong, and the
 * client was notified. */
static bool take(struct robo__gb_connection *c, const struct robo__gb_line *line, const char *name,
                 double *value, bool *found)
{
    const struct robo__gb_text text = robo__gb_find(line, name);
    const char *why = text.at ? robo__gb_number(text, value) : NULL;
    if (found)
        *found |= text.at != NULL;
    if (why)
        robo__gb_say_wrong(c, line->type, name, why);
    return !why;
}

static bool take_flag(struct robo__gb_connection *c, const struct robo__gb_line *line,
                      const char *name, bool *value)
{
    const struct robo__gb_text text = robo__gb_find(line, name);
    const char *why = text.at ? robo__gb_boolean(text, value) : NULL;
    if (why)
        robo__gb_say_wrong(c, line->type, name, why);
    return !why;
}

static bool has(const struct robo__gb_line *line, const char *name)
{
    return robo__gb_find(line, name).at != NULL;
}

/* A line without the values that it needs to move something; USARSim passes over it. */
static void say_nothing(struct robo__gb_connection *c, const struct robo__gb_line *line,
                        const char *expected)
{
    char type[ROBO__GB_NAME];
    if (c->strict)
        robo__gb_say_result(c, robo__gb_copy(line->type, type, sizeof type), c->vehicle->name,
                            false, expected);
}

/* ---- light and flip ---- */

/* A light is a dof of that name: 1 is on. */
static const struct robo__gb_link *light_of(const struct robo__gb_connection *c)
{
    static const char *const names[] = { "headlight", "light" };
    const struct robo__gb_link *link = NULL;
    for (int i = 0; i < 2 && !link; i++)
        link = robo__gb_link_of(c->vehicle, (struct robo__gb_text){ names[i], strlen(names[i]) });
    return link;
}

static void switch_light(struct robo__gb_connection *c, bool on)
{
    const struct robo__gb_link *link = light_of(c);
    if (on == c->wants_light)
        return;
    c->wants_light = on;
    if (link)
        robo__gb_wish_link(c, link, ROBO_SERVO_SETPOINT, link->sign ? -on : on);
    else if (on)
        robo__gb_say_result(c, "Light", c->vehicle->name, false, "this robot has no headlight");
    c->light = link && on;
}

/* Nothing here can right a robot that has fallen over, nor turn one over that stands. */
static void flip(struct robo__gb_connection *c, bool on)
{
    struct robo_state state;
    if (on && !c->wants_flip) {
        robo_read(c->robot, &state, sizeof state);
        const bool upright = cos(state.attitude[0]) * cos(state.attitude[1]) > 0.5;
        robo__gb_say_result(c, "Flip", c->vehicle->name, false,
                            upright ? "it stands upright; it could not right itself"
                                    : "this robot cannot right itself");
    }
    c->wants_flip = on;
}

/* ---- bases ---- */

static void drive_wheels(struct robo__gb_connection *c, const struct robo__gb_line *line)
{
    double side[2] = { 0 }, velocity[4] = { 0 }, floor[3];
    if (!has(line, "Left") || !has(line, "Right")) {
        robo__gb_say_wrong(c, line->type, has(line, "Left") ? "Right" : "Left",
                           "expected both Left and Right");
        return;
    }
    if (!take(c, line, "Left", &side[0], NULL) || !take(c, line, "Right", &side[1], NULL))
        return;
    for (int i = 0; i < 2 && c->normalized; i++)
        side[i] *= c->vehicle->speed / 100;
    robo__gb_drive(&c->vehicle->wheels, side[0], side[1], floor);
    velocity[0] = floor[0];
    velocity[3] = floor[2];
    memset(c->flight, 0, sizeof c->flight); /* missing values keep the present motion */
    memset(c->steering, 0, sizeof c->steering);
    robo__gb_wish_base(c, velocity);
}

/* Values that are missing stay as they were. */
static void drive_steered(struct robo__gb_connection *c, const struct robo__gb_line *line)
{
    double s[3], velocity[4] = { 0 }, floor[3];
    memcpy(s, c->steering, sizeof s);
    if (!take(c, line, "Speed", &s[0], NULL) || !take(c, line, "FrontSteer", &s[1], NULL) ||
        !take(c, line, "RearSteer", &s[2], NULL))
        return;
    if (c->normalized && has(line, "Speed"))
        s[0] *= c->vehicle->speed / 100;
    memcpy(c->steering, s, sizeof s);
    memset(c->flight, 0, sizeof c->flight);
    robo__gb_steer(&c->vehicle->wheels, s[0], s[1], s[2], floor);
    velocity[0] = floor[0];
    velocity[3] = floor[2];
    robo__gb_wish_base(c, velocity);
}

static const char *const FLIGHT[] = { "LinearVelocity", "LateralVelocity", "AltitudeVelocity",
                                      "RotationalVelocity" };

/* A velocity that a base cannot have: it stands as to that, and nothing is in its way. */
static void leave_out(struct robo__gb_connection *c, const struct robo__gb_line *line, int i,
                      double *velocity, const char *why)
{
    if (*velocity != 0 && c->strict && has(line, FLIGHT[i]))
        robo__gb_say_wrong(c, line->type, FLIGHT[i], why);
    *velocity = 0;
}

/* Ahead, to the right, up and to the right; missing values stay as they were. */
static void fly(struct robo__gb_connection *c, const struct robo__gb_line *line)
{
    const double *most = c->vehicle->description->base_speed;
    const double scale[4] = { most[0], most[1], most[0], most[2] };
    double v[4];
    memcpy(v, c->flight, sizeof v);
    for (int i = 0; i < 4; i++) {
        double x = 0;
        if (!take(c, line, FLIGHT[i], &x, NULL))
            return;
        if (!has(line, FLIGHT[i]))
            continue;
        if (c->normalized)
            x *= scale[i] / 100;
        else if (i == 3 && c->dialect == ROBO__GB_UDK)
            x *= M_PI / 180;
        v[i] = (i == 1 || i == 3) && x != 0 ? -x : x;
    }
    memcpy(c->flight, v, sizeof v);
    memset(c->steering, 0, sizeof c->steering);
    if (c->vehicle->has_base) {
        leave_out(c, line, 2, &v[2], "this robot does not rise");
        if (!c->vehicle->description->holonomic)
            leave_out(c, line, 1, &v[1], "this robot does not move sideways");
    }
    robo__gb_wish_base(c, v);
}

/* ---- joints ---- */

static const uint8_t ORDERS[] = { ROBO_SERVO_SETPOINT, ROBO_SERVO_SPEED, ROBO_SERVO_FORCE };

/* The servo of an order, 0 angle, 1 speed, 2 torque; 0: it is invalid, and the client was notified. */
static uint8_t servo_of(struct robo__gb_connection *c, const struct robo__gb_line *line,
                        struct robo__gb_text text)
{
    int order = 0;
    if (text.at && (robo__gb_whole(text, &order) || order < 0 || order > 2)) {
        robo__gb_say_wrong(c, line->type, "Order", "expected 0 (angle), 1 (speed) or 2 (torque)");
        return 0;
    }
    return ORDERS[order];
}

static void drive_joint(struct robo__gb_connection *c, const struct robo__gb_line *line)
{
    const struct robo__gb_link *link = robo__gb_link_of(c->vehicle, robo__gb_find(line, "Name"));
    const uint8_t servo = servo_of(c, line, robo__gb_find(line, "Order"));
    double value = 0;
    if (!link)
        robo__gb_say_wrong(c, line->type, "Name", "this robot has no such joint");
    else if (servo && take(c, line, has(line, "Value") ? "Value" : "Steer", &value, NULL))
        robo__gb_wish_link(c, link, servo, value);
}

static bool has_any(const struct robo__gb_line *line, const char *const *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (has(line, names[i]))
            return true;
    return false;
}

void robo__gb_do_drive(struct robo__gb_connection *c, const struct robo__gb_line *line)
{
    static const char *const steered[] = { "Speed", "FrontSteer", "RearSteer" };
    static const char *const others[] = { "Propeller", "Rudder", "SternPlane", "WheelNumber" };
    bool light = c->wants_light, flips = false,
         normalized = c->dialect == ROBO__GB_UDK && c->normalized;
    if (!take_flag(c, line, "Normalized", &normalized) || !take_flag(c, line, "Light", &light) ||
        !take_flag(c, line, "Flip", &flips))
        return;
    c->normalized = normalized;
    if (has(line, "Light"))
        switch_light(c, light);
    if (has(line, "Flip"))
        flip(c, flips);
    const bool wheels = has(line, "Left") || has(line, "Right"), steers = has_any(line, steered, 3),
               flies = has_any(line, FLIGHT, 4),
               base = c->vehicle->has_base || c->vehicle->moved_by_dofs;
    if (has(line, "Name") && (has(line, "Value") || has(line, "Steer")))
        drive_joint(c, line);
    else if (has_any(line, others, 4))
        robo__gb_say_result(c, "DRIVE", c->vehicle->name, false,
                            "this robot has neither propellers nor wheels that drive one by one");
    else if (!base && (wheels || steers || flies))
        robo__gb_say_result(c, "DRIVE", c->vehicle->name, false, "this robot does not drive");
    else if (wheels)
        drive_wheels(c, line);
    else if (steers)
        drive_steered(c, line);
    else if (flies)
        fly(c, line);
    else if (has(line, "Name"))
        say_nothing(c, line, "Value: expected a value for the joint");
    else if (!has(line, "Light") && !has(line, "Flip") && !has(line, "Normalized"))
        say_nothing(c, line, "expected Left and Right, or what else moves something");
}

void robo__gb_do_multidrive(struct robo__gb_connection *c, const struct robo__gb_line *line)
{
    if (line->groups == 0)
        say_nothing(c, line, "expected joints with their values");
    for (unsigned i = 0; i < line->groups; i++) {
        const struct robo__gb_link *link = robo__gb_link_of(c->vehicle, line->group[i].name);
        double value;
        const char *why =
            link ? robo__gb_number(line->group[i].value, &value) : "this robot has no such joint";
        char name[ROBO__GB_NAME];
        if (why)
            robo__gb_say_wrong(c, line->type, robo__gb_copy(line->group[i].name, name, sizeof name),
                               why);
        else
            robo__gb_wish_link(c, link, ROBO_SERVO_SETPOINT, value);
    }
}

/* ---- packages ---- */

/* One link's part of a MISPKG: its groups come in any order behind Link. */
struct item {
    bool begun;
    int link;
    struct robo__gb_text value, order;
};

/* counts_from: the name of the first link. false: wrong, and the client was notified. */
static bool carry_out(struct robo__gb_connection *c, const struct robo__gb_line *line,
                      const struct robo__gb_package *p, const struct item *item)
{
    double value;
    if (!item->begun)
        return true;
    if (!item->value.at) {
        say_nothing(c, line, "Value: expected a value for each Link");
        return true;
    }
    if (item->link < 1 || item->link > p->count) {
        robo__gb_say_wrong(c, line->type, "Link", "this package has no such link");
        return false;
    }
    const char *why = robo__gb_number(item->value, &value);
    const uint8_t servo = why ? 0 : servo_of(c, line, item->order);
    if (why)
        robo__gb_say_wrong(c, line->type, "Value", why);
    if (servo)
        robo__gb_wish_link(c, &c->vehicle->link[p->first + (unsigned)item->link - 1], servo, value);
    return servo != 0;
}

static void carry_out_links(struct robo__gb_connection *c, const struct robo__gb_line *line,
                            const struct robo__gb_package *p, int first)
{
    struct item item = { .begun = false };
    if (!has(line, "Link"))
        say_nothing(c, line, "Link: expected links with their values");
    for (unsigned i = 0; i < line->groups; i++) {
        const struct robo__gb_group *group = &line->group[i];
        if (robo__gb_is(group->name, "Value")) {
            item.value = group->value;
        } else if (robo__gb_is(group->name, "Order")) {
            item.order = group->value;
        } else if (robo__gb_is(group->name, "Link")) {
            if (!carry_out(c, line, p, &item))
                return;
            item = (struct item){ .begun = true };
            const char *why = robo__gb_whole(group->value, &item.link);
            if (why) {
                robo__gb_say_wrong(c, line->type, "Link", why);
                return;
            }
            item.link += 1 - first;
        }
    }
    carry_out(c, line, p, &item);
}

/* A pan-tilt by "{Rotation 0,pan,tilt}". */
static void turn_head(struct robo__gb_connection *c, const struct robo__gb_line *line,
                      const struct robo__gb_package *p)
{
    double v[3];
    const uint8_t servo = servo_of(c, line, robo__gb_find(line, "Order"));
    const char *why = robo__gb_vector(robo__gb_find(line, "Rotation"), v);
    if (why)
        robo__gb_say_wrong(c, line->type, "Rotation", why);
    for (unsigned i = 0; !why && servo && i < 2 && i < p->count; i++)
        robo__gb_wish_link(c, &c->vehicle->link[p->first + i], servo, v[i + 1]);
}

/* The gripper of a package, "{Gripper 1}": 1 closes it and 0 opens it, as EFF has On and Off. */
static void grip(struct robo__gb_connection *c, const struct robo__gb_line *line,
                 const struct robo__gb_package *p)
{
    const struct robo_description *d = c->vehicle->description;
    struct robo__gripper g;
    int closes = 0;
    const char *why = robo__gb_whole(robo__gb_find(line, "Gripper"), &closes);
    bool any = false;
    for (unsigned i = 0; !why && robo__next_gripper(d, i, &g); i = g.joint + 1u)
        for (unsigned k = 0; k < p->count; k++) {
            const struct robo__gb_link *link = &c->vehicle->link[p->first + k];
            const double value = closes ? d->dof[g.dof].low : d->dof[g.dof].high;
            if (link->dof != g.dof)
                continue;
            robo__gb_wish_link(c, link, ROBO_SERVO_SETPOINT, link->sign ? -value : value);
            any = true;
        }
    if (why || !any)
        robo__gb_say_wrong(c, line->type, "Gripper", why ? why : "this package has no gripper");
}

void robo__gb_do_package(struct robo__gb_connection *c, const struct robo__gb_line *line)
{
    const struct robo__gb_package *p = robo__gb_package_of(c->vehicle, robo__gb_find(line, "Name"));
    if (p && has(line, "Gripper"))
        grip(c, line, p);
    if (!p)
        robo__gb_say_wrong(c, line->type, "Name", "this robot has no such package");
    else if (has(line, "Rotation"))
        turn_head(c, line, p);
    else if (!has(line, "Gripper") || has(line, "Link"))
        carry_out_links(c, line, p, robo__gb_is(line->type, "ACT") ? 0 : 1);
}

void robo__gb_do_camera(struct robo__gb_connection *c, const struct robo__gb_line *line)
{
    const struct robo__gb_text name = robo__gb_find(line, "Name");
    const struct robo__gb_package *p = robo__gb_camera_package(c->vehicle, name);
    const uint8_t servo = servo_of(c, line, robo__gb_find(line, "Order"));
    double v[3], fov = 0;
    bool zooms = false;
    if (name.n > 0 && !robo__gb_camera_of(c, name)) {
        robo__gb_say_wrong(c, line->type, "Name", "this robot has no such camera");
        return;
    }
    if (!has(line, "Rotation") && !has(line, "Zoom"))
        say_nothing(c, line, "expected Rotation or Zoom");
    if (has(line, "Rotation")) { /* pitch, yaw, roll */
        const char *why = !p ? "this robot's camera does not turn"
                             : robo__gb_vector(robo__gb_find(line, "Rotation"), v);
        if (why)
            robo__gb_say_wrong(c, line->type, "Rotation", why);
        for (unsigned i = 0; !why && servo && i < 2 && i < p->count; i++)
            robo__gb_wish_link(c, &c->vehicle->link[p->first + i], servo, v[1 - i]);
    }
    if (take(c, line, "Zoom", &fov, &zooms) && zooms) {
        const char *why = robo__gb_zoom(c, name, fov);
        robo__gb_say_result(c, "Camera", c->vehicle->name, !why, why);
    }
}
