/* The answers of a Gamebots server to GETGEO and GETCONF: GEO and CONF. */
#include "messages.h"

#include <math.h>
#include <string.h>

#include "body/gripper.h"
#include "body/lens.h"
#include "body/senses.h"
#include "robotalk/description.h"
#include "robotalk/kinematics.h"

enum answer { GEO, CONF }; /* where something is, or how it is set */

static void begin(struct robo__gb_out *out, enum answer answer, const char *type)
{
    robo__gb_begin(out, answer == GEO ? "GEO" : "CONF");
    robo__gb_word(out, "Type", type);
}

static bool is_wanted(struct robo__gb_text name, const char *own)
{
    return !name.at || name.n == 0 || robo__gb_is_name(name, own);
}

/* ---- the robot ---- */

static bool asks_for_robot(const struct robo__gb_vehicle *v, struct robo__gb_text type)
{
    return !type.at || robo__gb_is(type, "Robot") || robo__gb_is(type, robo__gb_type_name(v->type));
}

/* ut2004 has the type first and the class as the name; udk has them the other way round in CONF. */
static void put_robot(struct robo__gb_out *out, const struct robo__gb_vehicle *v)
{
    robo__gb_word(out, "Type", robo__gb_type_name(v->type));
    robo__gb_word(out, "Name", v->class);
}

static void robot_geometry(struct robo__gb_out *out, const struct robo__gb_vehicle *v)
{
    static const double none[3];
    double centre[3];
    robo__gb_turn(v->description->links > 0 ? v->description->link[0].com : none, centre);
    robo__gb_begin(out, "GEO");
    put_robot(out, v);
    robo__gb_triple(out, "Dimensions", v->size);
    robo__gb_triple(out, "COG", centre);
    robo__gb_real(out, "WheelRadius", v->wheels.radius, 4);
    robo__gb_real(out, "WheelSeparation", v->wheels.separation, 4);
    robo__gb_real(out, "WheelBase", v->wheels.base, 4);
    robo__gb_end(out);
}

/* The torque of a wheel of each side for the base's greatest acceleration: a description does not say how much it
 * could give. */
static double torque_of(const struct robo__gb_vehicle *v, double mass)
{
    return v->has_base && v->type == ROBO__GB_GROUND
               ? mass * v->description->base_acceleration[0] * v->wheels.radius / 2
               : 0;
}

static void robot_configuration(struct robo__gb_out *out, const struct robo__gb_vehicle *v)
{
    const bool drives = v->has_base && v->type == ROBO__GB_GROUND;
    double mass = 0;
    for (unsigned i = 0; i < v->description->links; i++)
        mass += v->description->link[i].mass;
    robo__gb_begin(out, "CONF");
    if (v->dialect == ROBO__GB_UDK) {
        robo__gb_word(out, "Name", v->class);
        robo__gb_word(out, "Type", robo__gb_type_name(v->type));
    } else {
        put_robot(out, v);
    }
    robo__gb_word(out, "SteeringType",
                  !drives       ? "Unknown"
                  : v->ackerman ? "AckermanSteered"
                                : "SkidSteered");
    robo__gb_real(out, "Mass", mass, 1);
    robo__gb_real(out, "MaxSpeed", v->speed, 2);
    robo__gb_real(out, "MaxTorque", torque_of(v, mass), 1);
    robo__gb_put(out, " {MaxFrontSteer %s} {MaxRearSteer 0}", v->ackerman ? "0.7854" : "0");
    robo__gb_end(out);
}

/* ---- sensors and cameras ---- */

/* Where something is fixed: to the body, or to a moving part of a package. */
static void put_place(struct robo__gb_out *out, const struct robo__gb_vehicle *v, const char *name,
                      unsigned link, const double position[3], const double attitude[3])
{
    const struct robo__gb_package *mount = robo__gb_mount_of(v, link);
    double place[3], turned[3];
    robo__gb_turn(position, place);
    robo__gb_turn(attitude, turned);
    if (v->dialect == ROBO__GB_UDK) {
        robo__gb_name(out, "Name", name);
        robo__gb_triple(out, "Location", place);
        robo__gb_triple(out, "Orientation", turned);
        robo__gb_name(out, "Mount", mount ? mount->name : v->class);
        return;
    }
    robo__gb_put(out, " {Name ");
    robo__gb_put_name(out, name);
    robo__gb_put(out, " Location ");
    robo__gb_put_vector(out, place, 3);
    robo__gb_put(out, " Orientation ");
    robo__gb_put_vector(out, turned, 3);
    robo__gb_put(out, " Mount ");
    robo__gb_put_name(out, mount ? mount->name : "HARD");
    robo__gb_put(out, "}");
}

static void put_sonar(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                      const struct robo_sensor *s, const double range[2])
{
    const bool udk = v->dialect == ROBO__GB_UDK;
    if (udk)
        robo__gb_real(out, "ScanInterval", robo__gb_period(s), 4);
    robo__gb_real(out, "MaxRange", range[1], 4);
    robo__gb_real(out, "MinRange", range[0], 4);
    robo__gb_real(out, udk ? "beamAngle" : "BeamAngle", s->opening, 4);
    if (udk)
        robo__gb_put(out, " {maxAngleOfIncidence 1.5708} {tracesPerCone 7} {numberOfCones 1}");
}

/* How wide a part of a bumper is, m, if the body was round. */
static double across(const struct robo__gb_vehicle *v, const struct robo_sensor *s)
{
    const double whole = s->opening > 0 ? s->opening : 2 * M_PI,
                 part = fmin(whole / robo_sensor_values(s), M_PI);
    return fmax(v->size[0], v->size[1]) * sin(part / 2);
}

static void put_settings(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                         const struct robo_sensor *s)
{
    double range[2];
    robo__sensor_range(s, range);
    switch (robo_sensor_sense(s)) {
    case ROBO_SENSE_SONAR:
    case ROBO_SENSE_INFRARED: put_sonar(out, v, s, range); break;
    case ROBO_SENSE_LASER:
        robo__gb_real(out, "MaxRange", range[1], 4);
        robo__gb_real(out, "MinRange", range[0], 4);
        robo__gb_put_resolution(out, s->fov, robo_sensor_values(s), 1);
        robo__gb_real(out, "Fov", s->fov, 4);
        robo__gb_word(out, v->dialect == ROBO__GB_UDK ? "Panning" : "Paning", "False");
        robo__gb_word(out, "Tilting", "False");
        break;
    case ROBO_SENSE_ODOMETRY:
        robo__gb_real(out, "ScanInterval", robo__gb_period(s), 4);
        robo__gb_real(out, "EncoderResolution", ROBO__GB_TICK, 4);
        break;
    case ROBO_SENSE_ENCODER: robo__gb_real(out, "Resolution", ROBO__GB_TICK, 4); break;
    case ROBO_SENSE_BUMPER: robo__gb_real(out, "Diameter", across(v, s), 4); break;
    case ROBO_SENSE_BUTTON:
    case ROBO_SENSE_BEAM:
    case ROBO_SENSE_CONTACT: robo__gb_real(out, "Diameter", 0, 4); break; /* unknown */
    default: robo__gb_real(out, "ScanInterval", robo__gb_period(s), 4);
    }
}

/* A gripper is no sensor there, but an effecter; it stands where its finger's joint does. */
static void grippers(struct robo__gb_out *out, const struct robo__gb_vehicle *v, enum answer answer,
                     struct robo__gb_text name)
{
    static const double none[3];
    const struct robo_description *d = v->description;
    struct robo__gripper g;
    bool any = false;
    for (unsigned i = 0; robo__next_gripper(d, i, &g); i = g.joint + 1u) {
        const struct robo_joint *j = &d->joint[g.joint];
        double place[3] = { 0 };
        if (!is_wanted(name, j->name))
            continue;
        if (!any) {
            begin(out, answer, "Gripper");
        }
        any = true;
        for (int k = 0; k < 3 && j->parent != ROBO_WORLD; k++)
            place[k] = d->link[j->parent].com[k] + j->inboard[k];
        if (answer == GEO)
            put_place(out, v, j->name, j->parent, place, none);
        else
            robo__gb_name(out, "Name", j->name);
    }
    if (any)
        robo__gb_end(out);
}

/* Calls `put` for each sensor of that type and name; begins the line before the first, and returns whether there was one. */
static bool each_sensor(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                        enum answer answer, struct robo__gb_text type, struct robo__gb_text name)
{
    const struct robo_description *d = v->description;
    bool any = false;
    for (unsigned i = 0; i < d->sensors; i++) {
        const struct robo_sensor *s = &d->sensor[i];
        /* a family has a name for each value, a sensor that is alone has one */
        const unsigned parts = robo__gb_family_of(s) == ROBO__GB_ALONE ? 1 : robo_sensor_values(s);
        for (unsigned k = 0; robo__gb_is(type, robo__gb_sensor_type(s)) && k < parts; k++) {
            char own[ROBO__GB_NAME];
            if (parts == 1 && robo__gb_family_of(s) == ROBO__GB_ALONE)
                memcpy(own, s->name, sizeof s->name);
            else
                robo__gb_value_name(d, i, k, own);
            if (!is_wanted(name, own))
                continue;
            if (!any) {
                begin(out, answer, robo__gb_sensor_type(s));
            }
            any = true;
            if (answer == GEO) {
                put_place(out, v, own, s->link, s->position, s->attitude);
            } else {
                robo__gb_name(out, "Name", own);
                put_settings(out, v, s);
            }
        }
    }
    if (any)
        robo__gb_end(out);
    return any;
}

/* A base reports its believed place, and a flying robot its true one, also without such a sensor. */
static void own_place(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                      enum answer answer, const char *type, struct robo__gb_text name)
{
    static const double none[3];
    if (!is_wanted(name, type))
        return;
    begin(out, answer, type);
    if (answer == GEO) {
        put_place(out, v, type, 0, none, none);
    } else {
        robo__gb_word(out, "Name", type);
        robo__gb_real(out, "ScanInterval", 0.1, 4);
        if (v->has_base)
            robo__gb_real(out, "EncoderResolution", ROBO__GB_TICK, 4);
    }
    robo__gb_end(out);
}

static void put_lens(struct robo__gb_out *out, const struct robo__gb_vehicle *v, unsigned camera)
{
    const struct robo_camera *c = &v->description->camera[camera];
    const int zoom = robo__zoom_of(v->description, camera);
    const struct robo_dof *dof = zoom >= 0 ? &v->description->dof[zoom] : NULL;
    robo__gb_name(out, "Name", c->name);
    robo__gb_real(out, "CameraDefFov", c->fov, 4);
    robo__gb_real(out, "CameraMinFov", dof ? dof->low : c->fov, 4);
    robo__gb_real(out, "CameraMaxFov", dof ? dof->high : c->fov, 4);
    robo__gb_real(out, "CameraFov", v->fov[camera], 4);
    if (v->dialect == ROBO__GB_UDK)
        robo__gb_put(out,
                     " {TextureOffsetX 0} {TextureOffsetY 0} {TextureResolutionX %u}"
                     " {TextureResolutionY %u}",
                     c->width, c->height);
}

static void cameras(struct robo__gb_out *out, const struct robo__gb_vehicle *v, enum answer answer,
                    struct robo__gb_text name)
{
    bool any = false;
    for (unsigned i = 0; i < v->description->cameras; i++) {
        const struct robo_camera *c = &v->description->camera[i];
        if (!is_wanted(name, c->name))
            continue;
        if (!any) {
            begin(out, answer, "Camera");
        }
        any = true;
        if (answer == GEO)
            put_place(out, v, c->name, c->link, c->position, c->attitude);
        else
            put_lens(out, v, i);
    }
    if (any)
        robo__gb_end(out);
}

/* ---- packages ---- */

/* Where a link's joint is in the frame of its parent. */
static void put_joint(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                      const struct robo__gb_link *link)
{
    const struct robo_joint *j = &v->description->joint[link->joint];
    double place[3] = { 0 }, attitude[3] = { 0 }, turned[3];
    if (link->within == 0) {
        for (int i = 0; i < 3; i++)
            place[i] = v->description->link[j->parent].com[i] + j->inboard[i];
        robo_rotation_to_attitude(j->rest, attitude);
    }
    robo__gb_turn(place, turned);
    robo__gb_triple(out, "Location", turned);
    robo__gb_turn(attitude, turned);
    robo__gb_triple(out, "Orientation", turned);
}

static void package_geometry(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                             const struct robo__gb_package *p, bool actuator)
{
    static const double none[3];
    for (unsigned i = 0; i < p->count; i++) {
        const struct robo__gb_link *link = &v->link[p->first + i];
        robo__gb_put(out, " {Link %u}", i + 1);
        if (actuator)
            robo__gb_put(out, " {Parent %u}", link->parent);
        else
            robo__gb_put(out, " {ParentLink %d}", link->parent == 0 ? -1 : link->parent);
        put_joint(out, v, link);
    }
    if (actuator)
        robo__gb_triple(out, "Tip", none);
}

static void package_settings(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                             const struct robo__gb_package *p, bool actuator)
{
    for (unsigned i = 0; i < p->count; i++) {
        const struct robo__gb_link *link = &v->link[p->first + i];
        const struct robo_dof *dof = &v->description->dof[link->dof];
        const bool limited = dof->low <= dof->high;
        const double low = !limited     ? 1
                           : link->sign ? -dof->high
                                        : dof->low,
                     high = !limited     ? 0
                            : link->sign ? -dof->low
                                         : dof->high;
        robo__gb_put(out, " {Link %u}", i + 1);
        robo__gb_word(out, "JointType", dof->kind == ROBO_PRISMATIC ? "Prismatic" : "Revolute");
        robo__gb_real(out, "MaxSpeed", dof->speed, 2);
        robo__gb_real(out, "MaxTorque", dof->force, 2);
        robo__gb_real(out, actuator ? "MinValue" : "MinRange", low, 4);
        robo__gb_real(out, actuator ? "MaxValue" : "MaxRange", high, 4);
    }
}

static void packages(struct robo__gb_out *out, const struct robo__gb_vehicle *v, enum answer answer,
                     bool actuator, struct robo__gb_text name)
{
    for (unsigned i = 0; i < v->packages; i++) {
        const struct robo__gb_package *p = &v->package[i];
        if (!is_wanted(name, p->name) && !robo__gb_is_name(name, p->joint))
            continue;
        begin(out, answer, actuator ? "Actuator" : "MisPkg");
        robo__gb_name(out, "Name", p->name);
        if (answer == GEO)
            package_geometry(out, v, p, actuator);
        else
            package_settings(out, v, p, actuator);
        robo__gb_end(out);
    }
}

/* ---- questions ---- */

static void put_answer(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                       enum answer answer, struct robo__gb_text type, struct robo__gb_text name)
{
    if (robo__gb_is(type, "Camera"))
        cameras(out, v, answer, name);
    else if (robo__gb_is(type, "Gripper") || robo__gb_is(type, "Effecter") ||
             robo__gb_is(type, "Effector"))
        grippers(out, v, answer, name);
    else if (robo__gb_is(type, "MisPkg") || robo__gb_is(type, "Actuator"))
        packages(out, v, answer, robo__gb_is(type, "Actuator"), name);
    else if (each_sensor(out, v, answer, type, name))
        return;
    else if (v->has_base && robo__gb_is(type, "Odometry"))
        own_place(out, v, answer, "Odometry", name);
    else if (v->moved_by_dofs && robo__gb_is(type, "INS"))
        own_place(out, v, answer, "INS", name);
}

void robo__gb_geometry(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                       struct robo__gb_text type, struct robo__gb_text name)
{
    if (asks_for_robot(v, type))
        robot_geometry(out, v);
    else
        put_answer(out, v, GEO, type, name);
}

void robo__gb_configuration(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                            struct robo__gb_text type, struct robo__gb_text name)
{
    if (asks_for_robot(v, type))
        robot_configuration(out, v);
    else
        put_answer(out, v, CONF, type, name);
}
