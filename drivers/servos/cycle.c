/* The cycle of a bus of servos. */
#include "cycle.h"

#include <math.h>
#include <string.h>

/* Bits on the line for each byte. */
static const double BITS = 10;

static bool same(struct robo__servos_block a, struct robo__servos_block b)
{
    return a.address == b.address && a.size == b.size;
}

/* Adds a servo to a group with that block that has room, or to a new one, which has room for `most`. */
static void add(struct robo__servos_group *group, size_t *groups, struct robo__servos_block block,
                size_t servo, size_t most)
{
    size_t i = 0;
    while (i < *groups && (!same(group[i].block, block) || group[i].most != most ||
                           group[i].count == group[i].most))
        i++;
    if (i == *groups)
        group[(*groups)++] = (struct robo__servos_group){ .block = block, .most = most };
    group[i].servo[group[i].count++] = (uint8_t)servo;
}

void robo__servos_cycle_make(struct robo__servos_cycle *cycle,
                             const struct robo__servos_servo *servo, size_t servos)
{
    memset(cycle, 0, sizeof *cycle);
    for (size_t i = 0; i < servos; i++) {
        const struct robo__servos_family *f = servo[i].model->family;
        const struct robo__servos_block goal = robo__servos_goal_block(&servo[i]);
        const size_t room = ROBO__SERVOS_PARAMS - 2 * f->packets->address;
        cycle->packets = f->packets;
        add(cycle->goal, &cycle->goals, goal, i, room / (1u + goal.size));
        add(cycle->read, &cycle->reads, f->fast, i, f->sync_read ? ROBO__SERVOS_MOST : 1);
        for (size_t k = 0; k < ROBO__SERVOS_SLOW; k++)
            if (f->slow[k].size > cycle->slow)
                cycle->slow = f->slow[k].size;
    }
}

double robo__servos_cycle_time(const struct robo__servos_cycle *cycle,
                               const struct robo__servos_line *line)
{
    const struct robo__servos_packets *p = cycle->packets;
    size_t bytes = 0, answers = 0;
    for (size_t i = 0; i < cycle->goals; i++)
        bytes += p->frame + 2 * p->address + cycle->goal[i].count * (1 + cycle->goal[i].block.size);
    for (size_t i = 0; i < cycle->reads; i++) {
        const struct robo__servos_group *g = &cycle->read[i];
        const size_t ids = g->count > 1 ? g->count : 0; /* one is read by itself */
        bytes += p->frame + 2 * p->address + ids + g->count * (p->answer + g->block.size);
        answers += g->count;
    }
    bytes += p->frame + 2 * p->address + p->answer + cycle->slow;
    return BITS * (double)bytes / line->baud + line->delay * (double)(answers + 1) +
           line->latency * (double)(cycle->reads + 1);
}

double robo__servos_message_time(const struct robo__servos_cycle *cycle,
                                 const struct robo__servos_line *line)
{
    const struct robo__servos_packets *p = cycle->packets;
    size_t most = 0;
    for (size_t i = 0; i < cycle->goals; i++)
        if (cycle->goal[i].block.size > most)
            most = cycle->goal[i].block.size;
    return BITS * (double)(p->frame + 2 * p->address + 1 + most) / line->baud;
}

unsigned robo__servos_cycle_most(const struct robo__servos_cycle *cycle,
                                 const struct robo__servos_line *line)
{
    const double most = floor(1 / robo__servos_cycle_time(cycle, line) + 1e-9);
    return most < 1 ? 1 : (unsigned)fmin(most, 1e6);
}

double robo__servos_patience(const struct robo__servos_packets *packets, size_t asked, size_t size,
                             const struct robo__servos_line *line)
{
    const double bytes = (double)(packets->frame + 2 * packets->address + asked) +
                         (double)(asked * (packets->answer + size));
    return 2 * (BITS * bytes / line->baud + (double)asked * line->delay + line->latency) + 0.005;
}
