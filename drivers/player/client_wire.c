/* The client's side of Player's protocol. */
#include "client_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const robo_time PATIENCE = 5 * INT64_C(1000000000);

/* requests: of the interface player, of position2d, and of ranger */
enum { DEV = 3, OPEN = 1, GET_GEOM = 1, MOTOR_POWER = 2, GET_CONFIG = 5 };
/* behind the subscriptions, one for each role */
enum { STEP_MOTORS = ROBO__FAR_ROLES, STEP_GEOMETRY, STEP_SETTING, STEPS };

void robo__far_begin(struct robo__far *far)
{
    far->greeted = far->ready = false;
    far->step = 0;
    far->asked = 0;
    far->opened = far->missing = far->unanswered = 0;
    far->why[0] = 0;
}

/* ---- devices ---- */

static const uint16_t roles[ROBO__FAR_ROLES][3] = {
    [ROBO__FAR_BASE] = { ROBO__PLAYER_POSITION2D },
    [ROBO__FAR_HEAD] = { ROBO__PLAYER_PTZ },
    [ROBO__FAR_GRIPPER] = { ROBO__PLAYER_GRIPPER },
    [ROBO__FAR_SONAR] = { ROBO__PLAYER_SONAR, ROBO__PLAYER_RANGER, ROBO__PLAYER_IR },
    [ROBO__FAR_LASER] = { ROBO__PLAYER_LASER, ROBO__PLAYER_RANGER },
    [ROBO__FAR_BUMPER] = { ROBO__PLAYER_BUMPER },
    [ROBO__FAR_POWER] = { ROBO__PLAYER_POWER },
    [ROBO__FAR_CAMERA] = { ROBO__PLAYER_CAMERA },
};

const char *robo__far_option(enum robo__far_role role)
{
    static const char *const names[ROBO__FAR_ROLES] = {
        [ROBO__FAR_BASE] = "position",   [ROBO__FAR_HEAD] = "head",
        [ROBO__FAR_GRIPPER] = "gripper", [ROBO__FAR_SONAR] = "sonar",
        [ROBO__FAR_LASER] = "laser",     [ROBO__FAR_BUMPER] = "bumper",
        [ROBO__FAR_POWER] = "power",     [ROBO__FAR_CAMERA] = "camera",
    };
    return names[role];
}

bool robo__far_parse(enum robo__far_role role, const char *text, struct robo__far_device *device)
{
    char name[16];
    const size_t n = strcspn(text, ":");
    char *end = "";
    unsigned long index = 0;
    if (n == 0 || n >= sizeof name)
        return false;
    memcpy(name, text, n);
    name[n] = 0;
    if (text[n] == ':')
        index = strtoul(text + n + 1, &end, 10);
    if (*end || (text[n] == ':' && (text[n + 1] < '0' || text[n + 1] > '9')) || index > UINT16_MAX)
        return false;
    const unsigned interf = robo__player_interface_of(name);
    for (unsigned i = 0; i < 3; i++) {
        if (interf == 0 || roles[role][i] != interf)
            continue;
        *device = (struct robo__far_device){ (uint16_t)interf, (uint16_t)index };
        return true;
    }
    return false;
}

/* ---- what goes out ---- */

static size_t write_message(unsigned interf, unsigned index, unsigned type, unsigned subtype,
                            const struct robo__player_body *body, uint8_t out[ROBO__FAR_SENT])
{
    const struct robo__player_kind *kind = robo__player_kind_of(interf, type, subtype);
    struct robo__player_header header = { .interf = (uint16_t)interf,
                                          .index = (uint16_t)index,
                                          .type = (uint8_t)type,
                                          .subtype = (uint8_t)subtype };
    header.size = (uint32_t)robo__player_encode(kind->body, body, out + ROBO__PLAYER_HEADER,
                                                ROBO__FAR_SENT - ROBO__PLAYER_HEADER);
    robo__player_put_header(&header, out);
    return ROBO__PLAYER_HEADER + header.size;
}

size_t robo__far_message(const struct robo__far *far, enum robo__far_role role, unsigned type,
                         unsigned subtype, const double *value, unsigned values,
                         uint8_t out[ROBO__FAR_SENT])
{
    struct robo__player_body body = { .values = 0 };
    for (unsigned i = 0; i < values; i++)
        body.value[i] = value[i];
    return write_message(far->device[role].interf, far->device[role].index, type, subtype, &body,
                         out);
}

static bool is_wanted(const struct robo__far *far, unsigned step)
{
    const bool has_base = far->device[ROBO__FAR_BASE].interf != 0;
    if (step < ROBO__FAR_ROLES)
        return far->device[step].interf != 0;
    if (step == STEP_SETTING) /* a laser's data have it with them */
        return far->device[ROBO__FAR_LASER].interf == ROBO__PLAYER_RANGER &&
               far->opened >> ROBO__FAR_LASER & 1;
    return has_base && (step != STEP_MOTORS || far->motors || far->limp);
}

static void go_on(struct robo__far *far)
{
    far->asked = 0;
    far->step++;
}

/* Moving parts must be there; a robot goes on without a sensor. */
static bool may_be_missing(unsigned step)
{
    return step != ROBO__FAR_BASE && step != ROBO__FAR_HEAD && step != ROBO__FAR_GRIPPER;
}

static void miss(struct robo__far *far)
{
    far->missing |= (uint16_t)(1u << far->step);
    go_on(far);
}

/* A moving part is not there: only the descriptor can say that the robot goes on without. */
static void fail_to_open(struct robo__far *far, const char *what)
{
    snprintf(
        far->why, sizeof far->why,
        "%s %s:%u; %s in the driver's table of the descriptor names another one, or \"\" for none",
        what, robo__player_interface_name(far->device[far->step].interf),
        (unsigned)far->device[far->step].index, robo__far_option(far->step));
}

ptrdiff_t robo__far_next(struct robo__far *far, robo_time now, uint8_t out[ROBO__FAR_SENT])
{
    static const struct robo__player_body none;
    const struct robo__player_body power = { .value = { !far->limp } };
    if (far->ready)
        return 0;
    if (!far->greeted && far->asked == 0)
        far->asked = now;
    if (far->asked != 0 && now - far->asked < PATIENCE)
        return 0;
    if (!far->greeted) {
        snprintf(far->why, sizeof far->why, "it does not greet as a server of Player does");
        return -1;
    }
    if (far->asked != 0 && far->step < ROBO__FAR_ROLES && may_be_missing(far->step)) {
        far->unanswered |= (uint16_t)(1u << far->step);
        miss(far);
    } else if (far->asked != 0 && far->step < ROBO__FAR_ROLES) {
        fail_to_open(far, "no reply to the subscription of");
        return -1;
    } else if (far->asked != 0)
        go_on(far); /* many drivers do not know these requests */
    while (far->step < STEPS && !is_wanted(far, far->step))
        far->step++;
    far->ready = far->step == STEPS;
    if (far->ready)
        return 0;
    far->asked = now;
    const struct robo__far_device *d = &far->device[far->step < ROBO__FAR_ROLES ? far->step
                                                    : far->step == STEP_SETTING ? ROBO__FAR_LASER
                                                                                : ROBO__FAR_BASE];
    if (far->step == STEP_MOTORS)
        return (ptrdiff_t)write_message(d->interf, d->index, ROBO__PLAYER_REQ, MOTOR_POWER, &power,
                                        out);
    if (far->step == STEP_GEOMETRY)
        return (ptrdiff_t)write_message(d->interf, d->index, ROBO__PLAYER_REQ, GET_GEOM, &none,
                                        out);
    if (far->step == STEP_SETTING)
        return (ptrdiff_t)write_message(d->interf, d->index, ROBO__PLAYER_REQ, GET_CONFIG, &none,
                                        out);
    const struct robo__player_body open = { .value = { 0, 0, d->interf, d->index, OPEN } };
    return (ptrdiff_t)write_message(ROBO__PLAYER_PLAYER, 0, ROBO__PLAYER_REQ, DEV, &open, out);
}

/* ---- what comes ---- */

static int role_of(const struct robo__far *far, const struct robo__player_header *h)
{
    for (int i = 0; i < ROBO__FAR_ROLES; i++)
        if (far->device[i].interf == h->interf && far->device[i].index == h->index)
            return i;
    return -1;
}

/* A subscription is there when access is the requested one; else the body says so, or there is none. */
static bool subscribed(struct robo__far *far, const struct robo__player_header *h,
                       const struct robo__player_body *body)
{
    if (far->asked == 0 || far->step >= ROBO__FAR_ROLES)
        return true; /* it is to nothing that was asked */
    const struct robo__far_device *d = &far->device[far->step];
    if (h->type == ROBO__PLAYER_ACK && body->value[4] == OPEN && body->value[2] == d->interf &&
        body->value[3] == d->index) {
        far->opened |= (uint16_t)(1u << far->step);
        go_on(far);
        return true;
    }
    if (may_be_missing(far->step)) {
        miss(far);
        return true;
    }
    fail_to_open(far, h->type == ROBO__PLAYER_ACK ? "the server cannot open" : "the server has no");
    return false;
}

/* A reply: each is to the request that is under way, or to nothing that matters. */
static bool reply(struct robo__far *far, const struct robo__player_header *h,
                  const struct robo__player_body *body)
{
    if (h->interf == ROBO__PLAYER_PLAYER)
        return h->subtype != DEV || subscribed(far, h, body);
    const int role = role_of(far, h);
    if (role == ROBO__FAR_BASE && h->subtype == MOTOR_POWER && h->type == ROBO__PLAYER_NACK)
        far->heard(far->owner, ROBO__FAR_BASE, h, body); /* whoever has asked, and when */
    if (far->asked == 0)
        return true;
    if (role == ROBO__FAR_LASER && far->step == STEP_SETTING && h->subtype == GET_CONFIG) {
        if (h->type == ROBO__PLAYER_ACK)
            far->heard(far->owner, ROBO__FAR_LASER, h, body);
        go_on(far);
    }
    if (role != ROBO__FAR_BASE)
        return true;
    if (far->step == STEP_MOTORS && h->subtype == MOTOR_POWER) {
        go_on(far);
    } else if (far->step == STEP_GEOMETRY && h->subtype == GET_GEOM) {
        if (h->type == ROBO__PLAYER_ACK)
            far->heard(far->owner, ROBO__FAR_BASE, h, body);
        go_on(far);
    }
    return true;
}

/* A whole message; false: the connection is of no use. */
static bool take(struct robo__far *far, const struct robo__player_header *h, const uint8_t *bytes)
{
    const bool is_reply = h->type == ROBO__PLAYER_ACK || h->type == ROBO__PLAYER_NACK;
    const struct robo__player_kind *kind =
        robo__player_kind_of(h->interf, is_reply ? ROBO__PLAYER_REQ : h->type, h->subtype);
    const int role = role_of(far, h);
    struct robo__player_body body = { .values = 0 };
    struct robo__player_mistake mistake;
    const char *layout = !kind ? NULL : is_reply ? kind->reply : kind->body;
    if (layout && is_reply && h->size == 0)
        layout = "";
    const bool known = layout != NULL;
    if (!known || !robo__player_decode(layout, bytes, h->size, &body, &mistake)) {
        far->ignored++;
        if (known && role >= 0 && far->malformed)
            far->malformed(far->owner, (enum robo__far_role)role, h, &mistake);
        return true;
    }
    if (is_reply)
        return reply(far, h, &body);
    if (h->type == ROBO__PLAYER_DATA && role >= 0)
        far->heard(far->owner, (enum robo__far_role)role, h, &body);
    return true;
}

ptrdiff_t robo__far_feed(struct robo__far *far, const uint8_t *in, size_t n, robo_time now)
{
    struct robo__player_header header;
    const char *why;
    size_t at = 0;
    (void)now;
    if (!far->greeted) {
        static const char banner[] = "Player v.";
        const size_t length = sizeof banner - 1;
        if (memcmp(in, banner, n < length ? n : length) != 0) {
            snprintf(far->why, sizeof far->why, "it does not begin as a server of Player does");
            return -1;
        }
        if (n < ROBO__PLAYER_BANNER)
            return 0;
        far->greeted = true;
        far->asked = 0;
        at = ROBO__PLAYER_BANNER;
    }
    while (n - at >= ROBO__PLAYER_HEADER) {
        if (!robo__player_get_header(in + at, &header, &why) || header.size > ROBO__FAR_MOST) {
            snprintf(far->why, sizeof far->why, "a header: %s",
                     why ? why : "byte 36: expected a body of at most 4 MiB");
            return -1;
        }
        if (n - at - ROBO__PLAYER_HEADER < header.size)
            break;
        if (!take(far, &header, in + at + ROBO__PLAYER_HEADER))
            return -1;
        at += ROBO__PLAYER_HEADER + header.size;
    }
    return (ptrdiff_t)at;
}
