/* A step of one foot: its reach, and the body's support meanwhile. */
#include <math.h>
#include <string.h>

#include "gait.h"

enum { MOST_TRIES = 30 }; /* to find how far a foot gets */

/* A share of the way from where the foot of the standing body is. */
static void part_of(const struct robo__leg_kind *kind, const double goal[3], double share,
                    double place[3])
{
    place[0] = kind->x + share * (goal[0] - kind->x);
    place[1] = kind->y + share * (goal[1] - kind->y);
    place[2] = share * goal[2];
}

/* Of a place out of reach it goes so far, to a thousandth. Each try is a search, perhaps with a mutex held: a quarter of the way,
 * and a quarter of that, until it is in reach, however far the place is; then halves of the interval. */
bool robo__gait_near(const struct robo__legs *l, const struct robo__gait *g,
                     const struct robo__sim_base *b, unsigned leg, double place[3])
{
    double near = 0, far = 1, goal[3];
    if (robo__gait_reaches(l, g, b, leg, place))
        return true;
    memcpy(goal, place, sizeof goal);
    for (int i = 0; i < MOST_TRIES && far - near > 1e-3 * far; i++) {
        double share = near > 0 ? (near + far) / 2 : far / 4;
        part_of(&l->leg[leg], goal, share, place);
        if (robo__gait_reaches(l, g, b, leg, place))
            near = share;
        else
            far = share;
    }
    part_of(&l->leg[leg], goal, near, place);
    return false;
}

/* ---- what bears the body ---- */

enum { ROUNDS = 30 };
/* As far from the edges of the support polygon, as a share of how far their middle is; when all feet stand. */
static const double INSIDE = 0.6, STANDS = 0.3;

static double cross(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Whether all feet are on the left of the line from one to another. */
static bool is_edge(const double foot[][2], unsigned feet, unsigned from, unsigned to)
{
    for (unsigned i = 0; i < feet; i++)
        if (from == to || cross(foot[from], foot[to], foot[i]) < 0)
            return false;
    return true;
}

void robo__gait_unload(const struct robo__legs *l, const struct robo__gait *g,
                       const struct robo__sim_base *b, unsigned leg, const double com[2],
                       double out[2])
{
    double foot[ROBO__LEGS][2], middle[2] = { 0, 0 }, at[2] = { com[0], com[1] };
    const double c = cos(b->theta), s = sin(b->theta), inside = leg < l->legs ? INSIDE : STANDS;
    unsigned feet = 0;
    for (unsigned i = 0; i < l->legs; i++) {
        const double x = g->foot[i].x - b->x, y = g->foot[i].y - b->y;
        if (i == leg)
            continue;
        foot[feet][0] = c * x + s * y;
        foot[feet][1] = c * y - s * x;
        middle[0] += foot[feet][0];
        middle[1] += foot[feet++][1];
    }
    middle[0] /= feet;
    middle[1] /= feet;
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < feet * feet; i++) {
            const double *from = foot[i / feet], *to = foot[i % feet],
                         length = hypot(to[0] - from[0], to[1] - from[1]);
            if (length == 0 || !is_edge(foot, feet, i / feet, i % feet))
                continue;
            const double within = inside * cross(from, to, middle) / length,
                         more = fmax(0, within - cross(from, to, at) / length);
            at[0] -= more * (to[1] - from[1]) / length;
            at[1] += more * (to[0] - from[0]) / length;
        }
    out[0] = at[0] - com[0];
    out[1] = at[1] - com[1];
}
