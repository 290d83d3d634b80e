/* What users that drive apart have been through with their leases. */
#include "robot/robot.h"
#include "robotalk/server_session.h"
#include "run.h"

/* Counts what sessions have been through so far. */
static void count(struct robo__run *run, unsigned robot)
{
    for (unsigned i = 0; i < run->visits; i++) {
        struct robo__visit *v = &run->visit[i];
        const struct robo__server_session *ss =
            v->robot == robot && !v->closed ? robo__tap_session(&run->line[v->line], v->wire)
                                            : NULL;
        if (!ss)
            continue;
        v->counted = robo__session_stop_count(ss->session);
        v->losses = ss->session->holder->losses;
    }
}

void robo__hold_look(struct robo__run *run, unsigned robot, robo_time now)
{
    (void)now;
    if (run->apart)
        count(run, robot);
}

void robo__hold_stopped(struct robo__run *run, struct robo__visit *v)
{
    const struct robo__server_session *ss =
        v->closed ? NULL : robo__tap_session(&run->line[v->line], v->wire);
    const uint32_t swept = ss ? ss->session->robot->stops - ss->session->own_stops : 0;
    if (!ss || swept == v->swept)
        return;
    v->swept = swept;
    v->newest_stop = robo__session_stop_count(ss->session);
}
