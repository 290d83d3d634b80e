/* Versions of a description. */
#include "revision.h"

#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/command.h"
#include "base/readers.h"
#include "description.h"
#include "senses.h"
#include "robotalk/description.h"

/* KEPT: readings of a sensor that are kept at most; ROOM: numbers, which those of large sensors are kept within; FEW: of
 * these at least */
enum { KEPT = 64, ROOM = 8192, FEW = 5 };

/* For readings that have been measured and have not come yet, and a few that have. */
static unsigned places_under_way(const struct robo_sensor *sensor)
{
    const robo_time readings =
        sensor->latency > 0 ? sensor->latency / robo__sensor_period(sensor) + 2 * FEW : 0;
    return readings > KEPT ? KEPT : (unsigned)readings;
}

static struct robo__ring *lay_out_readings(struct robo__layout_block *block,
                                           const struct robo_description *d)
{
    struct robo__ring *ring = robo__block_take(block, d->sensors, sizeof *ring);
    for (unsigned i = 0; i < d->sensors; i++) {
        const unsigned width = robo_sensor_values(&d->sensor[i]), fit = ROOM / width;
        const unsigned usual = fit > KEPT  ? KEPT
                               : fit < FEW ? FEW
                                           : fit,
                       under_way = places_under_way(&d->sensor[i]),
                       places = under_way > usual ? under_way : usual;
        _Atomic uint64_t *word =
            robo__block_take(block, robo__ring_words(width, places), sizeof(uint64_t));
        if (block->bytes)
            robo__ring_init(&ring[i], width, places, word);
    }
    return ring;
}

/* The revision at the begin of its block, and its parts. v NULL: only the bytes are counted. */
static void lay_out(struct robo__layout_block *block, const struct robo_description *d,
                    struct robo__revision *v)
{
    struct robo__revision counted = { .body = NULL };
    robo__block_take(block, 1, sizeof *v);
    _Atomic uint64_t *word =
        robo__block_take(block, robo__snapshot_words(d->dofs), sizeof(uint64_t));
    if (v)
        robo__snapshot_init(&v->snapshot, d->dofs, word);
    v = v ? v : &counted;
    v->joint = robo__block_take(block, d->joints, sizeof *v->joint);
    v->dof = robo__block_take(block, d->dofs, sizeof *v->dof);
    v->frame = robo__block_take(block, d->frames, sizeof *v->frame);
    v->reading = lay_out_readings(block, d);
}

int robo__revision_make(robo_body *body, struct robo__revision **out)
{
    int error = robo__description_runs(&body->description);
    if (error < 0)
        return error;
    const struct robo_description *d = &body->description;
    struct robo__layout_block block = { .bytes = NULL };
    struct robo__revision *v = NULL;
    lay_out(&block, d, NULL);
    block.bytes = calloc(1, block.used);
    if (!block.bytes)
        return ROBO_ENOMEM;
    v = (struct robo__revision *)(void *)block.bytes;
    block.used = 0;
    lay_out(&block, d, v);
    v->body = robo_body_hold(body);
    *out = v;
    return 0;
}

static void free_one(struct robo__revision *v)
{
    robo_body_release(v->body);
    free(v);
}

void robo__revision_free(struct robo__revision *newest)
{
    while (newest) {
        struct robo__revision *v = newest;
        newest = v->older;
        free_one(v);
    }
}

void robo__revision_leave(struct robo__revision *newest, struct robo__revision **left)
{
    struct robo__revision *last = newest;
    for (unsigned kept = 1; last && kept < ROBO__REVISIONS; kept++)
        last = last->older;
    struct robo__revision *over = last ? last->older : NULL;
    if (!over)
        return;
    last->older = NULL;
    over->turn = robo__readers_turn();
    over->next_left = *left;
    *left = over;
}

struct robo__revision *robo__revision_left(struct robo__revision **left)
{
    while (*left && !robo__readers_have_left((*left)->turn))
        left = &(*left)->next_left;
    struct robo__revision *free = *left;
    *left = NULL;
    return free;
}

void robo__revision_free_left(struct robo__revision *left)
{
    while (left) {
        struct robo__revision *v = left;
        left = v->next_left;
        free_one(v);
    }
}

static uint16_t find_joint(const struct robo_description *d, const char *name)
{
    for (uint16_t i = 0; i < d->joints; i++)
        if (strcmp(d->joint[i].name, name) == 0)
            return i;
    return ROBO__GONE;
}

static uint16_t find_dof(const struct robo_description *d, const struct robo_joint *joint,
                         const struct robo_dof *like)
{
    for (uint16_t k = joint->first; k < joint->first + joint->dofs; k++)
        if (strcmp(d->dof[k].name, like->name) == 0 && d->dof[k].kind == like->kind)
            return k;
    return ROBO__GONE;
}

void robo__revision_link(struct robo__revision *old, const struct robo__revision *fresh)
{
    const struct robo_description *a = &old->body->description, *b = &fresh->body->description;
    for (uint16_t k = 0; k < a->dofs; k++)
        old->dof[k] = ROBO__GONE;
    for (uint16_t i = 0; i < a->joints; i++) {
        const struct robo_joint *j = &a->joint[i];
        uint16_t now = old->joint[i] = find_joint(b, j->name);
        for (uint16_t k = j->first; now != ROBO__GONE && k < j->first + j->dofs; k++)
            old->dof[k] = find_dof(b, &b->joint[now], &a->dof[k]);
    }
    for (uint16_t i = 0; i < a->frames; i++) {
        old->frame[i] = ROBO__GONE;
        for (uint16_t k = 0; k < b->frames; k++)
            if (strcmp(a->frame[i].name, b->frame[k].name) == 0)
                old->frame[i] = k;
    }
}

static bool translate_servo(const struct robo__revision *old, const struct robo__revision *fresh,
                            struct robo_servo_command *body)
{
    struct robo_servo_command was = *body;
    if (was.joint >= old->body->description.joints)
        return true; /* refused when it is run, as it would have been */
    const struct robo_joint *j = &old->body->description.joint[was.joint];
    if (old->joint[was.joint] == ROBO__GONE)
        return false;
    body->joint = old->joint[was.joint];
    body->mask = 0;
    for (unsigned k = 0; k < ROBO_JOINT_DOFS; k++)
        body->value[k] = body->velocity[k] = 0;
    for (unsigned k = 0; k < j->dofs; k++) {
        uint16_t dof = old->dof[j->first + k];
        if (!(was.mask >> k & 1))
            continue;
        if (dof == ROBO__GONE)
            return false;
        unsigned place = dof - fresh->body->description.joint[body->joint].first;
        body->mask |= (uint8_t)(1u << place);
        body->value[place] = was.value[k];
        body->velocity[place] = was.velocity[k];
    }
    return true;
}

/* Parts that are gone are left out when the move begins, as parts that the body never had. */
static void translate_move(const struct robo__revision *old, struct robo_move *move)
{
    const struct robo_description *d = &old->body->description;
    for (unsigned i = 0; i < move->dofs; i++) {
        uint16_t *dof = &move->dof[i].dof;
        *dof = *dof < d->dofs ? old->dof[*dof] : ROBO__GONE;
    }
    for (unsigned i = 0; i < move->frames; i++) {
        uint16_t *frame = &move->frame[i].frame;
        *frame = *frame < d->frames ? old->frame[*frame] : ROBO__GONE;
    }
}

bool robo__revision_translate(const struct robo__revision *old, const struct robo__revision *fresh,
                              struct robo_cmd *cmd)
{
    const struct robo_command_kind *kind = robo__command_of(cmd->op);
    cmd->revision = (uint8_t)fresh->revision;
    if (kind && kind->moves == ROBO_MOVES_JOINT)
        return translate_servo(old, fresh, &cmd->body.servo);
    if (kind && kind->moves == ROBO_MOVES_PARTS)
        translate_move(old, cmd->body.move);
    if (kind && kind->moves == ROBO_MOVES_FRAME &&
        cmd->body.frame.frame < old->body->description.frames) {
        cmd->body.frame.frame = old->frame[cmd->body.frame.frame];
        return cmd->body.frame.frame != ROBO__GONE;
    }
    return true; /* a number that was never there is refused when it is run, as it would have been */
}

/* From the revision that the command was numbered by, one step after the other. */
static bool renew(const struct robo__revision *v, const struct robo__revision *next,
                  struct robo_cmd *cmd)
{
    if (!v)
        return false;
    if ((uint8_t)v->revision != cmd->revision && !renew(v->older, v, cmd))
        return false;
    return !next || robo__revision_translate(v, next, cmd);
}

bool robo__revision_renew(const struct robo__revision *newest, struct robo_cmd *cmd)
{
    return (uint8_t)newest->revision == cmd->revision || renew(newest, NULL, cmd);
}
