/* Handles the messages of a Player server: readings and pictures are handed on, positions and speeds kept. On the
 * connection's thread. */
#include <math.h>
#include <string.h>

#include "base/time.h"
#include "link.h"
#include "robotalk/description.h"
#include "robotalk/device.h"

static double item(const struct robo__player_body *body, unsigned array, uint32_t i)
{
    return robo__player_item(&body->array[array], i, 0);
}

/* Gives the values of an array to the sensors of a role, one after the other. */
static void give(struct robo__player_link *p, enum robo__far_role role,
                 const struct robo__player_body *body, unsigned array)
{
    const struct robo_description *d = robo_device_description(p->device);
    const uint32_t there = body->array[array].count;
    double value[ROBO_MAX_READING];
    uint32_t at = 0;
    for (unsigned i = 0; i < p->bind.sensors[role]; i++) {
        const unsigned number = p->bind.sensor[role][i], n = robo_sensor_values(&d->sensor[number]);
        if (at + n > there)
            return;
        for (unsigned k = 0; k < n; k++) {
            value[k] = item(body, array, at + k);
            if (role == ROBO__FAR_SONAR && !(value[k] > 0))
                value[k] = NAN; /* a range that is not known */
        }
        at += n;
        robo_sensed(p->device, number, ROBO_NO_TIME, value, n);
    }
}

/* A scan has its angles with it, or, of a ranger, those of its setting, which was asked for when all was opened. */
static void hear_scan(struct robo__player_link *p, const struct robo__player_header *h,
                      const struct robo__player_body *body)
{
    enum { STAMPED = 2, HAS_SETTING = 10 };
    const struct robo_description *d = robo_device_description(p->device);
    const bool ranger = h->interf == ROBO__PLAYER_RANGER;
    double value[ROBO_MAX_READING];
    if (h->type == ROBO__PLAYER_ACK)
        p->scan = robo__scan_of_ranger(body, 0);
    else if (!ranger)
        p->scan = robo__scan_of_laser(body);
    else if (h->subtype == STAMPED && body->value[HAS_SETTING] != 0)
        p->scan = robo__scan_of_ranger(body, HAS_SETTING + 1);
    if (h->type == ROBO__PLAYER_ACK || body->array[0].count == 0)
        return;
    for (unsigned i = 0; i < p->bind.sensors[ROBO__FAR_LASER]; i++) {
        const struct robo_sensor *s = &d->sensor[p->bind.sensor[ROBO__FAR_LASER][i]];
        robo__scan_read(&p->scan, &body->array[0], s, value);
        robo_sensed(p->device, p->bind.sensor[ROBO__FAR_LASER][i], ROBO_NO_TIME, value,
                    robo_sensor_values(s));
    }
}

static void give_power(struct robo__player_link *p, const struct robo__player_body *body)
{
    enum { VOLTS = 1, WATTS = 2, PERCENT = 8 };
    const unsigned valid = (unsigned)body->value[0];
    const double volts = valid & VOLTS ? body->value[1] : NAN,
                 charge = valid & PERCENT ? body->value[2] / 100 : NAN,
                 current = valid & WATTS && volts > 0 ? -body->value[4] / volts : NAN;
    pthread_mutex_lock(&p->lock);
    p->volts = isnan(volts) ? 0 : volts;
    p->charge = isnan(charge) ? 0 : charge;
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->bind.sensors[ROBO__FAR_POWER]; i++)
        robo_sensed(p->device, p->bind.sensor[ROBO__FAR_POWER][i], ROBO_NO_TIME,
                    (double[]){ charge, volts, current }, 3);
}

void robo__link_set_camera(struct robo__player_link *p, bool there, robo_time now)
{
    if (p->bind.camera != ROBO__BIND_NONE)
        robo_picture_none(p->device, p->bind.camera, there ? 0 : ROBO_EDEVICE);
    p->fails = !there;
    p->seen = now;
}

/* Its timeout, or three of its periods, if these are longer. */
void robo__link_watch_camera(struct robo__player_link *p, robo_time now)
{
    if (p->bind.camera == ROBO__BIND_NONE || p->fails)
        return;
    const double rate = robo_device_description(p->device)->camera[p->bind.camera].rate,
                 most = fmax(p->bind.timeout, rate > 0 ? 3 / rate : 0);
    if ((double)(now - p->seen) * 1e-9 < most)
        return;
    robo__link_set_camera(p, false, now);
    if (!p->complained_silence)
        robo_device_log(p->device, ROBO_LOG_WARNING, "its camera has given no picture for %.3g s",
                        most);
    p->complained_silence = true;
}

/* Faults of a picture; 0: none. Each is logged once. */
enum flaw { FINE, FORMAT, SIZE, BYTES };

static void complain(struct robo__player_link *p, enum flaw flaw,
                     const struct robo__player_body *body, const struct robo_camera *camera)
{
    const double *v = body->value;
    if (p->complained_flaws >> flaw & 1)
        return;
    p->complained_flaws |= (uint8_t)(1u << flaw);
    if (flaw == FORMAT)
        robo_device_log(p->device, ROBO_LOG_WARNING,
                        "a picture of format %g, compression %g, expected 1 (MONO8) or 5 (RGB888), "
                        "and 0, or compression 1 (JPEG)",
                        v[3], v[5]);
    else if (flaw == SIZE)
        robo_device_log(p->device, ROBO_LOG_WARNING, "a picture of %g x %g, expected %u x %u", v[0],
                        v[1], (unsigned)camera->width, (unsigned)camera->height);
    else
        robo_device_log(p->device, ROBO_LOG_WARNING,
                        "a picture whose %u bytes are none of its format and size",
                        (unsigned)body->array[0].count);
}

static enum flaw flaw_of(const struct robo__player_body *body, unsigned format,
                         const struct robo_camera *camera)
{
    const struct robo__player_array *image = &body->array[0];
    unsigned width = 0, height = 0;
    if (!format)
        return FORMAT;
    if (body->value[0] != camera->width || body->value[1] != camera->height)
        return SIZE;
    if (format != ROBO_JPEG)
        return image->count ==
                       (uint64_t)camera->width * camera->height * (format == ROBO_RGB ? 3 : 1)
                   ? FINE
                   : BYTES;
    return robo_jpeg_size(image->raw, image->count, &width, &height) == 0 &&
                   width == camera->width && height == camera->height
               ? FINE
               : BYTES;
}

static void give_picture(struct robo__player_link *p, const struct robo__player_body *body)
{
    enum { MONO8 = 1, RGB888 = 5, RAW = 0, JPEG = 1 };
    const robo_time now = robo__time_monotonic();
    const struct robo_camera *camera = &robo_device_description(p->device)->camera[p->bind.camera];
    const struct robo__player_array *image = &body->array[0];
    const unsigned format = body->value[5] == JPEG     ? ROBO_JPEG
                            : body->value[5] != RAW    ? 0
                            : body->value[3] == RGB888 ? ROBO_RGB
                            : body->value[3] == MONO8  ? ROBO_GRAY
                                                       : 0;
    const enum flaw flaw = flaw_of(body, format, camera);
    if (flaw != FINE) {
        complain(p, flaw, body, camera);
        return;
    }
    if (!robo_picture_wanted(p->device, p->bind.camera)) {
        robo__link_set_camera(p, true, now); /* later clients wait for a new one */
        return;
    }
    struct robo_picture *picture = robo_picture_open(p->device, p->bind.camera, image->count);
    if (!picture)
        return;
    picture->format = (uint8_t)format;
    picture->size = image->count;
    memcpy(picture->bytes, image->raw, image->count);
    robo_pictured(picture, ROBO_NO_TIME);
    p->fails = false;
    p->seen = now;
}

/* Numbers that the state may have. */
static bool is_sane(const double *value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!(fabs(value[i]) <= 1e9))
            return false;
    return true;
}

static void hear_base(struct robo__player_link *p, const struct robo__player_header *h,
                      const double *v)
{
    if (h->type == ROBO__PLAYER_NACK) {
        if (!p->complained_motors)
            robo_device_log(p->device, ROBO_LOG_WARNING,
                            "the server refuses to switch the motors (MOTOR_POWER)");
        p->complained_motors = true;
        return;
    }
    if (h->type == ROBO__PLAYER_ACK) {
        if (!p->told_size) /* once, for all later connections, too */
            robo_device_log(p->device, ROBO_LOG_INFO, "a base, %.2f m long, %.2f m wide", v[7],
                            v[6]);
        p->told_size = true;
        return;
    }
    if (h->subtype != 1 || !is_sane(v, 6))
        return;
    pthread_mutex_lock(&p->lock);
    memcpy(p->place, v, sizeof p->place);
    memcpy(p->velocity, v + 3, sizeof p->velocity);
    p->heard = robo__time_monotonic();
    pthread_mutex_unlock(&p->lock);
}

static void hear_head(struct robo__player_link *p, const struct robo__player_header *h,
                      const double *v)
{
    if (h->subtype != 1 || !is_sane(v, 5))
        return;
    pthread_mutex_lock(&p->lock);
    memcpy(p->head, v, sizeof p->head);
    memcpy(p->head_speed, v + 3, sizeof p->head_speed);
    p->zoom = v[2];
    p->head_heard = robo__time_monotonic();
    if (p->bind.device[ROBO__FAR_BASE].interf == 0)
        p->heard = robo__time_monotonic();
    pthread_mutex_unlock(&p->lock);
}

/* The bits of the beams are 4 and 8 on Pioneers and in Stage; those of servers that number theirs from 0 are 1 and 2. */
static bool is_broken(uint32_t beams, bool inner)
{
    return beams >> ((beams & 12 ? 2 : 0) + (inner ? 1 : 0)) & 1;
}

/* Beams that the robot does not have are unknown. */
static double beam_of(uint32_t beams, unsigned sensor, bool inner)
{
    return sensor == ROBO__GRIPPER_NONE ? NAN : is_broken(beams, inner);
}

static void give_gripper(struct robo__player_link *p, unsigned state, uint32_t beams)
{
    const struct robo__gripper *g = &p->bind.gripper;
    const struct robo_description *d = robo_device_description(p->device);
    const double outer = beam_of(beams, g->outer, false), inner = beam_of(beams, g->inner, true);
    const bool open = state == ROBO__GRIPPER_OPEN, ends = open || state == ROBO__GRIPPER_CLOSED,
               rests = !open && state != ROBO__GRIPPER_MOVING;
    const double opening = ends ? open : NAN;
    if (g->sensor != ROBO__GRIPPER_NONE) {
        const struct robo_sensor *s = &d->sensor[g->sensor];
        robo_sensed(
            p->device, g->sensor, ROBO_NO_TIME,
            (double[]){ state, opening,
                        s->low < s->high ? s->low + opening * (s->high - s->low) : NAN, outer,
                        inner,
                        isnan(outer) && isnan(inner) ? NAN : rests && (outer == 1 || inner == 1) },
            ROBO__GRIPPER_VALUES);
    }
    if (g->outer != ROBO__GRIPPER_NONE && robo_sensor_values(&d->sensor[g->outer]) == 1)
        robo_sensed(p->device, g->outer, ROBO_NO_TIME, &outer, 1);
    if (g->inner != ROBO__GRIPPER_NONE && robo_sensor_values(&d->sensor[g->inner]) == 1)
        robo_sensed(p->device, g->inner, ROBO_NO_TIME, &inner, 1);
}

static void hear_gripper(struct robo__player_link *p, const struct robo__player_header *h,
                         const double *v)
{
    if (h->subtype != 1 || !(v[0] >= ROBO__GRIPPER_OPEN && v[0] <= ROBO__GRIPPER_ERROR))
        return;
    pthread_mutex_lock(&p->lock);
    p->grip = (uint8_t)v[0];
    p->grip_heard = robo__time_monotonic();
    p->beams = (uint32_t)v[1];
    if (p->bind.device[ROBO__FAR_BASE].interf == 0 && p->bind.device[ROBO__FAR_HEAD].interf == 0)
        p->heard = robo__time_monotonic();
    pthread_mutex_unlock(&p->lock);
    give_gripper(p, (unsigned)v[0], (uint32_t)v[1]);
}

void robo__link_malformed(void *owner, enum robo__far_role role,
                          const struct robo__player_header *h,
                          const struct robo__player_mistake *mistake)
{
    struct robo__player_link *p = owner;
    if (!(p->complained_bytes >> role & 1))
        robo_device_log(p->device, ROBO_LOG_WARNING,
                        "a message of %s:%u, type %u, subtype %u, is dropped: byte %zu: %s",
                        robo__player_interface_name(h->interf), (unsigned)h->index,
                        (unsigned)h->type, (unsigned)h->subtype, ROBO__PLAYER_HEADER + mistake->at,
                        mistake->why);
    p->complained_bytes |= (uint16_t)(1u << role);
}

/* Readings; those of scans and rangers also with a pose, or with their geometry, behind them. */
static bool has_ranges(const struct robo__player_header *h)
{
    return h->subtype == 1 || (h->subtype == 2 && (h->interf == ROBO__PLAYER_LASER ||
                                                   h->interf == ROBO__PLAYER_RANGER));
}

void robo__link_hear(void *owner, enum robo__far_role role, const struct robo__player_header *h,
                     const struct robo__player_body *body)
{
    struct robo__player_link *p = owner;
    if (role == ROBO__FAR_BASE)
        hear_base(p, h, body->value);
    else if (role == ROBO__FAR_HEAD)
        hear_head(p, h, body->value);
    else if (role == ROBO__FAR_GRIPPER)
        hear_gripper(p, h, body->value);
    else if (role == ROBO__FAR_LASER && (h->type == ROBO__PLAYER_ACK || has_ranges(h)))
        hear_scan(p, h, body);
    else if (!has_ranges(h))
        return;
    else if (role == ROBO__FAR_POWER)
        give_power(p, body);
    else if (role == ROBO__FAR_CAMERA)
        give_picture(p, body);
    else
        give(p, role, body, h->interf == ROBO__PLAYER_IR ? 1 : 0);
}
