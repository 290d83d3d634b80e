/* SET: zoom, resets, scans, grippers, joints and viewports. ut2004 answers each with a RES, udk none. */
#include <math.h>

#include "body/gripper.h"
#include "body/lens.h"
#include "connection.h"
#include "robotalk.h"
#include "robotalk/description.h"

enum { VIEWPORTS = 4 };

static void answer(struct robo__gb_connection *c, const char *type, struct robo__gb_text name,
                   const char *why)
{
    char text[ROBO__GB_NAME];
    if (c->dialect == ROBO__GB_UT2004 || c->strict)
        robo__gb_say_result(c, type, robo__gb_copy(name, text, sizeof text), !why, why);
}

const struct robo_camera *robo__gb_camera_of(const struct robo__gb_connection *c,
                                             struct robo__gb_text name)
{
    const struct robo_description *d = c->vehicle->description;
    for (unsigned i = 0; i < d->cameras; i++)
        if (name.n == 0 || robo__gb_is_name(name, d->camera[i].name))
            return &d->camera[i];
    return NULL;
}

const char *robo__gb_zoom(struct robo__gb_connection *c, struct robo__gb_text name, double fov)
{
    const struct robo_description *d = c->vehicle->description;
    const struct robo_camera *camera = robo__gb_camera_of(c, name);
    if (!camera)
        return "this robot has no such camera";
    /* 0 is the camera's own */
    const int zoom = robo__zoom_of(d, (unsigned)(camera - d->camera));
    for (unsigned i = 0; zoom >= 0 && i < c->vehicle->links; i++) {
        const struct robo__gb_link *link = &c->vehicle->link[i];
        const double low = d->dof[zoom].low, high = d->dof[zoom].high,
                     wanted = fmin(fmax(fov == 0 ? camera->fov : fov, low), high);
        if (link->dof != zoom)
            continue;
        robo__gb_wish_link(c, link, ROBO_SERVO_SETPOINT, link->sign ? -wanted : wanted);
        return NULL;
    }
    return fov == 0 || fabs(fov - camera->fov) < 1e-3 ? NULL : "this camera does not zoom";
}

/* The value to set: of "{Params 0.5}", or of a group without a name behind Opcode, as "{Opcode Zoom}
 * {0.5}". */
static struct robo__gb_text params_of(const struct robo__gb_line *line)
{
    const struct robo__gb_text params = robo__gb_find(line, "Params");
    double x;
    for (unsigned i = 0; !params.at && i < line->groups; i++)
        if (line->group[i].value.n == 0 && !robo__gb_number(line->group[i].name, &x))
            return line->group[i].name;
    return params;
}

static const char *set_camera(struct robo__gb_connection *c, const struct robo__gb_line *line,
                              struct robo__gb_text name)
{
    const struct robo__gb_text code = robo__gb_find(line, "Opcode"), params = params_of(line);
    double fov = 0;
    if (robo__gb_find(line, "Client").at) /* the client that takes its pictures: any may */
        return robo__gb_camera_of(c, name) ? NULL : "this robot has no such camera";
    if (!robo__gb_is(code, "Zoom") && !robo__gb_is(code, "FOV"))
        return "expected Opcode Zoom or FOV";
    const char *why = params.at ? robo__gb_number(params, &fov) : "expected Params";
    return why ? why : robo__gb_zoom(c, name, fov);
}

static const char NO_SENSOR[] = "this robot has no such sensor";

/* Whether it reports a place of that name: by a sensor, or, as all of USARSim's do, as Odometry. */
static bool tells_place(const struct robo__gb_connection *c, struct robo__gb_text name)
{
    const struct robo_description *d = c->vehicle->description;
    const bool any = name.n == 0 || robo__gb_is(name, "Odometry");
    bool has = any && c->vehicle->has_base;
    for (unsigned i = 0; i < d->sensors; i++)
        has |= robo_sensor_sense(&d->sensor[i]) == ROBO_SENSE_ODOMETRY &&
               (any || robo__gb_is_name(name, d->sensor[i].name));
    return has;
}

static const char *set_odometry(struct robo__gb_connection *c, const struct robo__gb_line *line,
                                struct robo__gb_text name)
{
    if (!robo__gb_is(robo__gb_find(line, "Opcode"), "RESET"))
        return "expected Opcode RESET";
    if (!tells_place(c, name))
        return NO_SENSOR;
    robo__gb_reset_place(c);
    return NULL;
}

static const char *set_scanner(struct robo__gb_connection *c, const struct robo__gb_line *line,
                               struct robo__gb_text type, struct robo__gb_text name, robo_time now)
{
    if (!robo__gb_is(robo__gb_find(line, "Opcode"), "SCAN"))
        return "expected Opcode SCAN";
    return robo__gb_report_type(c, type, name, now) ? NULL : NO_SENSOR;
}

/* Whether a gripper is called so: by its joint, its dof or its sensor. */
static bool is_called(const struct robo_description *d, const struct robo__gripper *g,
                      struct robo__gb_text name)
{
    return name.n == 0 || robo__gb_is_name(name, d->joint[g->joint].name) ||
           robo__gb_is_name(name, d->dof[g->dof].name) ||
           (g->sensor != ROBO__GRIPPER_NONE && robo__gb_is_name(name, d->sensor[g->sensor].name));
}

/* Opens to the end of its way, and closes to the begin. */
bool robo__gb_grip(struct robo__gb_connection *c, struct robo__gb_text name, bool open)
{
    const struct robo_description *d = c->vehicle->description;
    struct robo__gripper g;
    for (unsigned i = 0; robo__next_gripper(d, i, &g); i = g.joint + 1u) {
        if (!is_called(d, &g, name))
            continue;
        for (unsigned k = 0; k < c->vehicle->links; k++) {
            const struct robo__gb_link *link = &c->vehicle->link[k];
            const double value = open ? d->dof[g.dof].high : d->dof[g.dof].low;
            if (link->dof == g.dof)
                robo__gb_wish_link(c, link, ROBO_SERVO_SETPOINT, link->sign ? -value : value);
        }
        return true;
    }
    return false;
}

static const char *set_gripper(struct robo__gb_connection *c, const struct robo__gb_line *line,
                               struct robo__gb_text name)
{
    const struct robo__gb_text code = robo__gb_find(line, "Opcode");
    const bool opens = robo__gb_is(code, "OPEN");
    if (!opens && !robo__gb_is(code, "CLOSE"))
        return "expected Opcode OPEN or CLOSE";
    return robo__gb_grip(c, name, opens) ? NULL : "this robot has no such gripper";
}

/* Positions of all links, in the order of the packages, or one for all of them. */
static const char *set_all_joints(struct robo__gb_connection *c, struct robo__gb_text params)
{
    double value[ROBO_MAX_DOFS];
    unsigned count;
    const char *why = robo__gb_numbers(params, value, ROBO_MAX_DOFS, &count);
    if (!why && count != 1 && count != c->vehicle->links)
        why = "Params: expected a position for each joint, or one for all";
    for (unsigned i = 0; !why && i < c->vehicle->links; i++)
        robo__gb_wish_link(c, &c->vehicle->link[i], ROBO_SERVO_SETPOINT, value[count == 1 ? 0 : i]);
    return why;
}

static const char *set_joint(struct robo__gb_connection *c, const struct robo__gb_line *line,
                             struct robo__gb_text name)
{
    const struct robo__gb_text code = robo__gb_find(line, "Opcode"), params = params_of(line);
    const struct robo__gb_link *link = robo__gb_link_of(c->vehicle, name);
    const bool all =
        robo__gb_is(name, "AllJoints") || (!name.at && robo__gb_find(line, "AllJoints").at);
    double value;
    if (!link && !all)
        return "this robot has no such joint";
    if (!robo__gb_is(code, "Angle") && !robo__gb_is(code, "Target"))
        return "expected Opcode Angle or Target";
    if (!params.at)
        return "expected Params";
    if (all)
        return set_all_joints(c, params);
    const char *why = robo__gb_number(params, &value);
    if (!why)
        robo__gb_wish_link(c, link, ROBO_SERVO_SETPOINT, value);
    return why;
}

/* The source of the one picture of USARSim's image server. Existing cameras can be shown. */
static void set_viewports(struct robo__gb_connection *c, const struct robo__gb_line *line)
{
    static const char *const names[VIEWPORTS] = { "Viewport1", "Viewport2", "Viewport3",
                                                  "Viewport4" };
    char room[1024], text[ROBO__GB_NAME];
    struct robo__gb_out out = robo__gb_out(room, sizeof room);
    if (c->dialect != ROBO__GB_UT2004)
        return;
    robo__gb_begin(&out, "RES");
    robo__gb_word(&out, "Type", "Viewports");
    robo__gb_word(&out, "Config", robo__gb_copy(robo__gb_find(line, "Config"), text, sizeof text));
    robo__gb_word(&out, "Status", "OK");
    for (int i = 0; i < VIEWPORTS; i++) {
        const struct robo__gb_text camera = robo__gb_find(line, names[i]);
        if (!camera.at)
            continue;
        const bool good = robo__gb_is(camera, "Disabled") || robo__gb_is(camera, "None") ||
                          (camera.n > 0 && robo__gb_camera_of(c, camera));
        robo__gb_word(&out, names[i], robo__gb_copy(camera, text, sizeof text));
        robo__gb_word(&out, "Status", good ? "OK" : "Failed");
    }
    robo__gb_end(&out);
    robo__gb_say(c, &out);
}

void robo__gb_do_set(struct robo__gb_connection *c, const struct robo__gb_line *line, robo_time now)
{
    const struct robo__gb_text type = robo__gb_find(line, "Type"),
                               name = robo__gb_find(line, "Name");
    char text[ROBO__GB_NAME];
    const char *why = "nothing of that type can be set here";
    if (robo__gb_is(type, "Viewports")) {
        set_viewports(c, line);
        return;
    }
    if (robo__gb_is(type, "Camera"))
        why = set_camera(c, line, name);
    else if (robo__gb_is(type, "Odometry"))
        why = set_odometry(c, line, name);
    else if (robo__gb_is(type, "RangeScanner") || robo__gb_is(type, "RangeImager") ||
             robo__gb_is(type, "IRScanner"))
        why = set_scanner(c, line, type, name, now);
    else if (robo__gb_is(type, "Gripper") || robo__gb_is(type, "ToolChanger"))
        why = set_gripper(c, line, name);
    else if (robo__gb_is(type, "Joint"))
        why = set_joint(c, line, name);
    answer(c, robo__gb_copy(type, text, sizeof text), name, why);
}
