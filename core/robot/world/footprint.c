/* Where the robots of a world stand. */
#include "footprint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* how long after its last report a robot is assumed to go on as it went */
static const robo_time FORESEEN = 20 * 1000000;

void robo__footprint_stand(struct robo__footprint *p, const struct robo__trunk *trunk, double vx,
                           double vy, robo_time time)
{
    const double row[ROBO__FOOTPRINT_WIDTH] = { trunk->x,   trunk->y,    trunk->radius,
                                                trunk->low, trunk->high, vx,
                                                vy };
    robo__ring_write(&p->ring, time, row);
}

/* It takes up nothing. */
static void vanish(struct robo__footprint *p, robo_time now)
{
    robo__footprint_stand(p, &(struct robo__trunk){ .low = INFINITY, .high = -INFINITY }, 0, 0,
                          now);
}

int robo__footprint_enter(struct robo__member *member)
{
    robo_world *world = member->world;
    struct robo__footprint *p = atomic_load(&world->footprints);
    while (p && atomic_load(&p->robot))
        p = p->next;
    if (!p) {
        p = calloc(1, sizeof *p);
        if (!p)
            return ROBO_ENOMEM;
        robo__ring_init(&p->ring, ROBO__FOOTPRINT_WIDTH, ROBO__FOOTPRINT_PLACES, p->word);
        vanish(p, robo_now(world));
        p->next = atomic_load(&world->footprints);
        atomic_store(&world->footprints, p);
    }
    uint64_t name[8] = { 0 };
    snprintf((char *)name, sizeof name, "%s", member->name);
    for (unsigned i = 0; i < 8; i++)
        atomic_store(&p->name[i], name[i]);
    atomic_store(&p->robot, member->robot);
    member->footprint = p;
    return 0;
}

void robo__footprint_leave(struct robo__member *member)
{
    struct robo__footprint *p = member->footprint;
    member->footprint = NULL;
    if (!p)
        return;
    vanish(p, robo_now(member->world));
    atomic_store(&p->robot, NULL);
}

void robo__footprint_open(struct robo__member *member, const struct robo_description *d)
{
    struct robo__trunk trunk;
    bool drives = false;
    for (unsigned i = 0; i < d->devices; i++)
        drives |= d->device[i].base != 0;
    if (drives || d->links == 0 || !member->footprint)
        return;
    robo__trunk_of(d, d->link[0].position, d->link[0].attitude[2], &trunk);
    robo__footprint_stand(member->footprint, &trunk, 0, 0, robo_now(member->world));
}

void robo__footprint_name(const struct robo__footprint *at, char name[64])
{
    uint64_t word[8];
    for (unsigned i = 0; i < 8; i++)
        word[i] = atomic_load(&at->name[i]);
    memcpy(name, word, sizeof word);
    name[63] = '\0'; /* while another robot takes the entry */
}

bool robo__next_trunk(const robo_world *world, const robo_robot *but, robo_time time,
                      const struct robo__footprint **at, struct robo__trunk *trunk)
{
    const struct robo__footprint *p = *at ? (*at)->next : atomic_load(&world->footprints);
    for (; p; p = p->next) {
        double row[ROBO__FOOTPRINT_WIDTH];
        robo_time said;
        const robo_robot *robot = atomic_load(&p->robot);
        if (!robot || robot == but || robo__ring_read(&p->ring, 0, &said, row) == 0)
            continue;
        const robo_time ahead = time - said < 0 ? 0 : time - said < FORESEEN ? time - said : 0;
        const double t = (double)ahead * 1e-9;
        *trunk = (struct robo__trunk){ .x = row[0] + row[5] * t,
                                       .y = row[1] + row[6] * t,
                                       .radius = row[2],
                                       .low = row[3],
                                       .high = row[4] };
        *at = p;
        return true;
    }
    return false;
}
