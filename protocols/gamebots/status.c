/* The messages of a Gamebots server at the begin and about a robot's state: NFO, RES, STA, MISSTA,
 * ASTA, EFF. */
#include "messages.h"

#include <math.h>
#include <string.h>

#include "body/gripper.h"

/* s, that a full battery lasts as its clients reckon: USARSim's default */
static const double FULL_BATTERY = 3600;

/* ---- NFO and RES ---- */

void robo__gb_hello(struct robo__gb_out *out, const char *level)
{
    robo__gb_begin(out, "NFO");
    robo__gb_word(out, "Gametype", "BotDeathMatch");
    robo__gb_word(out, "Level", level);
    robo__gb_word(out, "TimeLimit", "0");
    robo__gb_end(out);
}

void robo__gb_starts(struct robo__gb_out *out, enum robo__gb_dialect dialect,
                     const struct robo__gb_start *start, unsigned count)
{
    const bool udk = dialect == ROBO__GB_UDK;
    robo__gb_begin(out, "NFO");
    robo__gb_put(out, " {StartPoses %u}", count);
    for (unsigned i = 0; i < count; i++) {
        double place[3], attitude[3];
        robo__gb_turn(start[i].position, place);
        robo__gb_turn(start[i].attitude, attitude);
        robo__gb_put(out, !udk ? " {Name " : i == 0 ? " {" : " ");
        robo__gb_put_name(out, start[i].name);
        robo__gb_put(out, udk ? " " : " Location ");
        robo__gb_put_vector(out, place, 3);
        robo__gb_put(out, udk ? " " : " Orientation ");
        robo__gb_put_vector(out, attitude, 3);
        if (!udk || i + 1 == count)
            robo__gb_put(out, "}");
    }
    robo__gb_end(out);
}

void robo__gb_result(struct robo__gb_out *out, const char *type, const char *name, bool good,
                     const char *why)
{
    robo__gb_begin(out, "RES");
    robo__gb_word(out, "Type", type);
    robo__gb_word(out, "Name", name);
    robo__gb_word(out, "Status", good ? "OK" : "Failed");
    if (why)
        robo__gb_word(out, "Reason", why);
    robo__gb_end(out);
}

/* ---- STA ---- */

static double position_of(const struct robo__gb_status *status, const struct robo__gb_link *link)
{
    const double x = status->position[link->dof];
    return link->sign && x != 0 ? -x : x;
}

/* 0: unknown. */
static double force_of(const struct robo__gb_status *status, const struct robo__gb_link *link)
{
    const double x = status->force ? status->force[link->dof] : 0;
    return !isfinite(x) || x == 0 ? 0 : link->sign ? -x : x;
}

static bool is_flipper(const struct robo__gb_vehicle *v, const struct robo__gb_link *link)
{
    return strcasestr(v->description->dof[link->dof].name, "flipper") != NULL;
}

/* Whole seconds: as long as it lasts, if that is known. */
static long battery_of(const struct robo__gb_status *status)
{
    if (status->left > 0)
        return lround(fmin(status->left, 1e9));
    return lround(fmin(fmax(status->battery, 0), 1) * FULL_BATTERY);
}

static void put_light(struct robo__gb_out *out, const struct robo__gb_status *status, int dark)
{
    robo__gb_word(out, "LightToggle", status->light ? "True" : "False");
    robo__gb_put(out, " {LightIntensity %d}", status->light ? 100 : dark);
}

static void put_ut2004(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                       const struct robo__gb_status *status)
{
    robo__gb_word(out, "Type", robo__gb_type_name(v->type));
    robo__gb_real(out, "Time", status->time, 2);
    robo__gb_real(out, "FrontSteer", status->front, 4);
    robo__gb_real(out, "RearSteer", status->rear, 4);
    for (unsigned i = 0; i < v->links; i++)
        if (is_flipper(v, &v->link[i]))
            robo__gb_real(out, v->description->dof[v->link[i].dof].name,
                          position_of(status, &v->link[i]), 4);
    put_light(out, status, 0);
    robo__gb_put(out, " {Battery %ld} {View -1}", battery_of(status));
}

/* An angle that is 0 is written so. */
static void put_steering(struct robo__gb_out *out, const char *name, double angle)
{
    robo__gb_real(out, name, angle, angle == 0 ? 0 : 4);
}

static void put_udk(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                    const struct robo__gb_status *status)
{
    robo__gb_real(out, "Time", status->time, 2);
    robo__gb_put(out, " {Battery %ld}", battery_of(status));
    robo__gb_word(out, "Type", robo__gb_type_name(v->type));
    put_light(out, status, 100);
    put_steering(out, "FrontSteer", status->front);
    put_steering(out, "RearSteer", status->rear);
    for (unsigned i = 0; v->type == ROBO__GB_LEGGED && i < v->links; i++)
        robo__gb_real(out, v->description->dof[v->link[i].dof].name,
                      position_of(status, &v->link[i]), 4);
}

/* ---- packages and grippers ---- */

static void put_package(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                        const struct robo__gb_package *p, const struct robo__gb_status *status)
{
    const bool udk = v->dialect == ROBO__GB_UDK;
    robo__gb_begin(out, udk ? "ASTA" : "MISSTA");
    robo__gb_real(out, "Time", status->time, 2);
    robo__gb_name(out, "Name", p->name);
    for (unsigned i = 0; i < p->count; i++) {
        robo__gb_put(out, " {Link %u}", i + 1);
        robo__gb_real(out, "Value", position_of(status, &v->link[p->first + i]), 4);
        if (!udk)
            robo__gb_real(out, "Torque", force_of(status, &v->link[p->first + i]), 2);
    }
    robo__gb_end(out);
}

/* It is open from the middle of its way on. */
static void put_gripper(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                        const struct robo__gripper *gripper, const struct robo__gb_status *status)
{
    double told[ROBO__GRIPPER_VALUES];
    robo__gripper_tell(v->description, gripper, status->position[gripper->dof], 0, NAN, NAN, told);
    const bool open = told[1] > 0.5;
    robo__gb_begin(out, "EFF");
    if (v->dialect == ROBO__GB_UDK)
        robo__gb_real(out, "Time", status->time, 2);
    robo__gb_word(out, "Type", "Gripper");
    robo__gb_name(out, "Name", v->description->joint[gripper->joint].name);
    if (v->dialect == ROBO__GB_UDK)
        robo__gb_put(out, open ? " {Off}" : " {On}");
    else
        robo__gb_put(out, open ? " {Open}" : " {Closed}");
    robo__gb_end(out);
}

void robo__gb_status(struct robo__gb_out *out, const struct robo__gb_vehicle *v,
                     const struct robo__gb_status *status)
{
    robo__gb_begin(out, "STA");
    if (v->dialect == ROBO__GB_UDK)
        put_udk(out, v, status);
    else
        put_ut2004(out, v, status);
    robo__gb_end(out);
    for (unsigned i = 0; i < v->packages; i++)
        put_package(out, v, &v->package[i], status);
    struct robo__gripper gripper;
    for (unsigned i = 0; robo__next_gripper(v->description, i, &gripper); i = gripper.joint + 1u)
        put_gripper(out, v, &gripper, status);
}
