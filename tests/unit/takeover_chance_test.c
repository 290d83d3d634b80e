/* Leases that change hands by chance: whatever clients command, take, give, stop and close, what moves an axis is of the client that
 * has its lease. Source: PRODUCT, "Safety defaults"; spec/robotalk.md section 8. */
#include "fixture_takeover.h"

#include "base/random.h"
#include "modes.h"

/* What moves an axis is of the client that has its lease; 0, or the line that is not so. */
static int wrong(void)
{
    uint32_t held = 0;
    for (ROBO__EACH_AXIS(&robot->axes, i)) {
        const struct robo__ticket *t =
            robot->axes.row[i].ticket ? &robot->axes.ticket[robot->axes.row[i].ticket - 1] : NULL;
        const struct robo__mover *lasting = robot->axes.row[i].lasting.now.mover;
        const struct robo__holder *holder = robot->axes.row[i].lease.holder;
        if (t && t->mover && !t->stop && t->mover->holder != holder)
            return __LINE__;
        if (t && t->guard && (!t->stop || lasting))
            return __LINE__;
        if (lasting && lasting->holder != holder)
            return __LINE__;
        held += holder != NULL;
    }
    for (const struct robo__holder *h = robot->clients.first; h; h = h->next) {
        for (ROBO__EACH_AXIS(&robot->axes, i)) {
            bool has = i == ROBO__BASE_AXIS ? h->base : robo__dof_set_has(&h->dofs, i);
            if (has != (robot->axes.row[i].lease.holder == h))
                return __LINE__;
            held -= has;
        }
    }
    return held == 0 ? 0 : __LINE__;
}

static void check(void)
{
    robo__robot_lock(robot);
    int line = wrong();
    robo__robot_unlock(robot);
    assert_int_equal(line, 0);
}

static uint32_t below(struct robo__random *r, uint32_t n)
{
    return (uint32_t)(robo__random_u64(r) % n);
}

static struct robo_cmd any_command(struct robo__random *r)
{
    const double start =
                     below(r, 2) ? 0 : (double)robo_now(world) / 1e9 + 3 * robo__random_uniform(r),
                 value = robo__random_uniform(r) - 0.5;
    struct robo_cmd cmd = set_speed(start, value);
    switch (below(r, 5)) {
    case 0: return cmd;
    case 1: return go_to(start, value);
    case 2: return set_joint(start, 1, (uint8_t)(1 + below(r, 7)), value);
    case 3: return set_speed(start, 0);
    default:
        cmd = joint_speed(1, (uint8_t)(1 + below(r, 7)), value);
        cmd.start = start_at(start);
        return cmd;
    }
}

static void act(struct robo__random *r)
{
    const uint32_t who = below(r, CLIENTS);
    struct robo_request_take what = { .base = (uint8_t)below(r, 2),
                                      .bytes = 1,
                                      .mask = { (uint8_t)below(r, 16) } };
    const struct robo_request_release back = {
        .base = what.base, .bytes = 1, .mask = { what.mask[0] }, .asked = (uint8_t)below(r, 2)
    };
    struct robo__session *s = client[who];
    acting.mute = below(r, 4) == 0;
    switch (below(r, 16)) {
    case 0: what.force = 1; /* fall through */
    case 1:
        robo__session_request(s, ROBO_Q_TAKE, &what, ROBO_ROLE_OPERATE, &answer, robo_now(world));
        break;
    case 2:
        robo__session_request(s, ROBO_Q_GIVE,
                              &(struct robo_request_give){ 1 + below(r, CLIENTS), below(r, 2) },
                              ROBO_ROLE_DRIVE, NULL, robo_now(world));
        break;
    case 3:
        robo__session_close(s);
        client[who] = open_session_by(who + 1, NULL, NULL);
        break;
    case 4: send_cmd(s, stop(0)); break;
    case 5:
        robo_panic(robot);
        robo_reset(robot);
        break;
    case 6: run_for(robo__random_uniform(r)); break;
    case 7: run_for(7 * robo__random_uniform(r)); break;
    case 8:
        robo__session_request(s, ROBO_Q_RELEASE, &back, ROBO_ROLE_DRIVE, NULL, robo_now(world));
        break;
    default:
        robo__session_heard(s, 0, ROBO_NO_TIME, robo_now(world));
        send_cmd(s, any_command(r));
        break;
    }
    for (int i = 0; i < CLIENTS; i++) {
        robo__session_news(client[i], robo_now(world));
        take_answers(client[i]);
    }
}

TEST(what_moves_is_its_holder_s, open_clients, close_clients)
{
    enum { SEEDS = 60, STEPS = 400 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct robo__random r;
        robo__random_seed(&r, seed);
        close_clients(state);
        open_clients(state);
        acting.goal = S(2 * robo__random_uniform(&r));
        for (int i = 0; i < STEPS; i++) {
            act(&r);
            check();
        }
    }
}
