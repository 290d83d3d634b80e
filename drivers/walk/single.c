/* A step of one foot: how far it gets. */
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

/* Of a place out of reach it goes so far, to a thousandth. Each try is a search, perhaps with a mutex held: a quarter of the way, and
 * a quarter of that, until it is in reach, however far the place is; then halves of what is between. */
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
