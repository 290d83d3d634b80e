/* The simulated base and servo against closed forms; and what is seen does not depend on who looks. */
#include <math.h>
#include <stdlib.h>

#include "../test.h"
#include "base/random.h"
#include "sim/base.h"
#include "motion/profile.h"
#include "base/time.h"

static const robo_time SECOND = 1000000000;
static const struct robo__bounds unbound;

static struct robo__sim_base base(double speed, double turn, double acceleration)
{
    struct robo_description d = { .base_speed = { speed, 0, turn },
                                  .base_acceleration = { acceleration, 0, acceleration } };
    struct robo__sim_base b;
    robo__sim_base_init(&b, &d, 0);
    return b;
}

/* One that waits here and there ends so much later, at the same place. */
TEST(what_waits_comes_later)
{
    struct robo__sim_base b = base(1, 1, 0.5), late = b;
    const struct robo_go_to goal = { .x = 2, .y = 1, .theta = 1 };
    robo__sim_base_go_to(&b, &goal);
    robo__sim_base_go_to(&late, &goal);
    const robo_time end = robo__sim_base_end(&b);
    robo_time waited = 0;
    for (robo_time t = SECOND / 2; t < end; t += SECOND / 2) {
        robo__sim_base_advance(&late, t + waited);
        robo__sim_base_wait(&late, SECOND / 10);
        waited += SECOND / 10;
    }
    assert_int_equal(robo__sim_base_end(&late), end + waited);
    robo__sim_base_advance(&b, end);
    robo__sim_base_advance(&late, end + waited);
    assert_true(fabs(b.x - late.x) < 1e-9 && fabs(b.y - late.y) < 1e-9);
    assert_true(late.stage == ROBO__SIM_FREE);
}

TEST(ramps_and_arcs)
{
    /* 1 m/s at 0.5 m/s2: 2 s and 1 m of ramp, then a metre a second */
    struct robo__sim_base b = base(2, 2, 0.5);
    robo__sim_base_set_speed(&b, (double[3]){ 1, 0, 0 });
    robo__sim_base_cut(&b, 5 * SECOND);
    assert_float_equal(b.x, 1 + 3, 1e-9);
    assert_float_equal(b.v[0], 1, 0);
    /* a circle of v / w = 2 m: after a full turn it is where it was, whatever the length of the span */
    b = base(2, 2, 1e6);
    robo__sim_base_set_speed(&b, (double[3]){ 1, 0, 0.5 });
    robo__sim_base_cut(&b, SECOND);
    double x = b.x, y = b.y;
    robo__sim_base_cut(&b, SECOND + (robo_time)llround(100 * 2 * M_PI / 0.5 * 1e9));
    assert_float_equal(b.x, x, 1e-6);
    assert_float_equal(b.y, y, 1e-6);
}

TEST(goals_are_reached)
{
    struct robo__random r;
    robo__random_seed(&r, 5);
    struct robo__sim_base b = base(0.8, 1.5, 0.7);
    robo_time now = 0;
    for (int i = 0; i < 200; i++) {
        double x = robo__random_range(&r, -3, 3), y = robo__random_range(&r, -3, 3);
        double theta = robo__random_range(&r, -3, 3), from_x = b.x, from_y = b.y, heading = b.theta;
        robo__sim_base_go_to(&b, &(struct robo_go_to){ .x = x, .y = y, .theta = theta });
        robo_time end = robo__sim_base_end(&b);
        robo__sim_base_advance(&b, end);
        robo__sim_base_cut(&b, end);
        assert_float_equal(b.x, x, 1e-6);
        assert_float_equal(b.y, y, 1e-6);
        assert_float_equal(remainder(b.theta - theta, 2 * M_PI), 0, 1e-6);
        assert_true(b.v[0] == 0 && b.v[2] == 0);
        /* the sum of the three fastest profiles: turn, drive, turn, each a trapezoid from rest to rest */
        double way[3] = { fabs(remainder(atan2(y - from_y, x - from_x) - heading, 2 * M_PI)),
                          hypot(x - from_x, y - from_y),
                          fabs(remainder(theta - atan2(y - from_y, x - from_x), 2 * M_PI)) };
        double most[3] = { 1.5, 0.8, 1.5 }, sum = 0;
        for (int k = 0; k < 3; k++)
            sum += way[k] > most[k] * most[k] / 0.7 ? way[k] / most[k] + most[k] / 0.7
                                                    : 2 * sqrt(way[k] / 0.7);
        assert_float_equal((double)(end - now) * 1e-9, sum, 1e-6);
        now = end;
    }
}

TEST(looking_changes_nothing)
{
    struct robo__random r;
    robo__random_seed(&r, 6);
    struct robo__sim_base quiet = base(1, 2, 0.9), watched = quiet;
    robo_time now = 0;
    for (int i = 0; i < 200; i++) {
        double v[3] = { robo__random_range(&r, -1, 1), 0, robo__random_range(&r, -2, 2) };
        robo_time next = now + (robo_time)(robo__random_uniform(&r) * 0.5e9);
        for (robo_time t = now; t < next; t += 1 + (next - now) / 37)
            robo__sim_base_advance(&watched, t);
        robo__sim_base_cut(&quiet, next);
        robo__sim_base_cut(&watched, next);
        robo__sim_base_set_speed(&quiet, v);
        robo__sim_base_set_speed(&watched, v);
        assert_memory_equal(&quiet.x, &watched.x, sizeof quiet.x); /* to the bit */
        assert_memory_equal(&quiet.y, &watched.y, sizeof quiet.y);
        assert_memory_equal(&quiet.theta, &watched.theta, sizeof quiet.theta);
        now = next;
    }
}

TEST(servos_arrive_in_the_least_time)
{
    struct robo_dof dof = { .low = -2, .high = 2, .speed = 1, .acceleration = 4 };
    struct robo__profile s;
    robo__profile_init(&s, &dof, 0);
    assert_true(robo__profile_move(&s, 1.5, unbound));
    /* 1.5 rad at 1 rad/s, and 0.25 s for the ramps */
    assert_true(llabs(robo__profile_end(&s) - (robo_time)(1.75e9)) <= 2);
    robo__profile_cut(&s, SECOND);
    assert_float_equal(s.position, 0.125 + 0.75, 1e-9);
    /* turned round in mid-motion: brakes 1/8 rad further, then back */
    assert_true(robo__profile_move(&s, 0, unbound));
    robo__profile_advance(&s, 100 * SECOND);
    assert_true(s.position == 0 && s.speed == 0);
    assert_false(robo__profile_move(&s, 5, unbound)); /* clipped */
    robo__profile_advance(&s, 200 * SECOND);
    assert_true(s.position == 2);
    /* a speed ends at the limit, standing */
    robo__profile_cut(&s, 200 * SECOND);
    assert_true(robo__profile_run(&s, -0.5));
    double position, speed, lowest = 2;
    for (robo_time t = 200 * SECOND; t < 220 * SECOND; t += SECOND / 100) {
        robo__profile_read(&s, t, &position, &speed);
        lowest = position < lowest ? position : lowest;
        assert_true(speed >= -0.5 - 1e-9);
    }
    assert_float_equal(lowest, -2, 1e-9);
    assert_true(speed == 0);
}

/* Over d at most v and a: v / a to gain it, as long to brake, d - v2 / a meanwhile at v; and it is told what was above
 * its limits. */
TEST(bounds_are_kept)
{
    struct robo_dof dof = { .low = -2, .high = 2, .speed = 1, .acceleration = 2 };
    struct robo__profile s;
    robo__profile_init(&s, &dof, 0);
    assert_true(robo__profile_move(&s, 1.5, (struct robo__bounds){ 0.5, 0.25 }));
    assert_int_equal(robo__profile_end(&s), 5 * SECOND); /* 1.5 / 0.5 + 0.5 / 0.25 */
    robo__profile_cut(&s, SECOND);
    assert_float_equal(s.speed, 0.25, 1e-9);
    robo__profile_cut(&s, 5 * SECOND);
    assert_float_equal(s.position, 1.5, 1e-12);
    assert_false(robo__profile_move(&s, 0, (struct robo__bounds){ 1.5, 0 }));
    assert_false(robo__profile_move(&s, 0, (struct robo__bounds){ 0, 2.5 }));
    /* at 1 a second, 0.5 before its goal: it needs 1 of acceleration, more than it was bound to, and a second */
    robo__profile_cut(&s, 6 * SECOND);
    assert_float_equal(s.speed, -1, 1e-9);
    robo__profile_move(&s, s.position - 0.5, (struct robo__bounds){ 0, 0.4 });
    assert_float_equal((double)robo__profile_end(&s), 7e9, 10);
    robo__profile_cut(&s, 6 * SECOND + SECOND / 2);
    assert_float_equal(s.speed, -0.5, 1e-6);

    struct robo__sim_base b = base(1.5, 2, 0.6);
    assert_true(robo__sim_base_go_to(
        &b, &(struct robo_go_to){ .x = 3, .speed = 0.4, .acceleration = 0.2 }));
    assert_int_equal(robo__sim_base_end(&b) / 1000, 9500000); /* 3 / 0.4 + 0.4 / 0.2 s */
    robo__sim_base_cut(&b, 4 * SECOND);
    assert_float_equal(b.v[0], 0.4, 1e-9);
    /* without a bound it goes on from the speed that it has: (1.5 - 0.4) / 0.6 s to its limit */
    robo_time end = robo__sim_base_end(&b);
    assert_false(robo__sim_base_go_to(&b, &(struct robo_go_to){ .x = 3, .speed = 9 }));
    assert_true(robo__sim_base_end(&b) < end);
    /* it turns by the same share of its limit: half of 2 rad/s, at 0.6 rad/s2 */
    b = base(1.5, 2, 0.6);
    robo__sim_base_go_to(&b, &(struct robo_go_to){ .theta = 3, .speed = 0.75 });
    assert_float_equal((double)robo__sim_base_end(&b), (3.0 / 1 + 1 / 0.6) * 1e9, 10);
}

/* A stop is the shortest motion there is: from any speed and place it only brakes. */
TEST(a_stop_brakes_and_nothing_else)
{
    struct robo__random r;
    robo__random_seed(&r, 8);
    const struct robo_dof dof = { .low = -10, .high = 10, .speed = 2, .acceleration = 5.7247 };
    for (int i = 0; i < 100000; i++) {
        struct robo__profile s;
        robo__profile_init(&s, &dof, 0);
        s.position = robo__random_range(&r, -5, 5);
        s.speed = robo__random_range(&r, -1.5, 1.5);
        double from = s.position, way = s.speed * s.speed / (2 * s.acceleration);
        robo_time brake = (robo_time)llrint(fabs(s.speed) / s.acceleration * 1e9);
        robo__profile_stop(&s);
        assert_true(robo__profile_end(&s) <= brake + 1000);
        robo__profile_cut(&s, brake + 1000);
        assert_true(s.speed == 0 && fabs(fabs(s.position - from) - way) < 1e-8);
    }
}

/* Instants are whole nanoseconds, in which a light joint under a great force gains a tenth of a milliradian a second. */
/* Less than a thousandth of what a segment for each 50 ms of 50 years would take, or of 73 years, the most that time is
 * counted for. */
TEST(the_slowest_goal_is_planned_at_once)
{
    for (double bound = 1e-3; bound >= 1e-9; bound /= 10) {
        struct robo__sim_base b = base(2, 2, 0.5);
        robo__sim_base_set_speed(&b, (double[3]){ 1, 0, 0.5 });
        robo__sim_base_cut(&b, 3 * SECOND);
        robo__sim_base_go_to(
            &b, &(struct robo_go_to){ .x = -5, .y = 3, .speed = bound, .acceleration = bound });
        const robo_time end = robo__sim_base_end(&b);
        /* it brakes from 1 m/s, at least */
        assert_true(end > 3 * SECOND + (robo_time)fmin(0.9e9 / bound, 9e17));
        assert_true(end <= ROBO__MOST_TIME);
        robo__sim_base_cut(&b, 4 * SECOND);
        assert_float_equal(b.v[0], 1 - bound, 1e-9);
    }
}

TEST(no_speed_is_beyond_its_limit)
{
    struct robo__random r;
    robo__random_seed(&r, 9);
    const struct robo_dof dof = { .low = 1, .high = -1, .speed = 3.97935069, .acceleration = 2e5 };
    for (int i = 0; i < 10000; i++) {
        struct robo__profile s;
        robo__profile_init(&s, &dof, 0);
        s.speed = robo__random_range(&r, -dof.speed, dof.speed);
        robo__profile_run(&s, robo__random_uniform(&r) < 0.5 ? -dof.speed : dof.speed);
        for (robo_time t = 0; t < 100000; t += 5003) {
            robo__profile_cut(&s, t);
            assert_true(fabs(s.speed) <= dof.speed + 1e-9);
        }
    }
}

TEST(random_motions_stay_within_limits)
{
    struct robo__random r;
    robo__random_seed(&r, 7);
    struct robo_dof dof = { .low = -1, .high = 1, .speed = 1.2, .acceleration = 3 };
    struct robo__profile s;
    robo__profile_init(&s, &dof, 0);
    robo_time now = 0;
    for (int i = 0; i < 5000; i++) {
        double target = robo__random_range(&r, -1, 1), before = s.speed;
        double gentle = robo__random_uniform(&r) < 0.5 ? 0 : 4 * robo__random_uniform(&r);
        robo__profile_move(&s, target, (struct robo__bounds){ robo__random_uniform(&r), gentle });
        robo_time next = now + (robo_time)(robo__random_uniform(&r) * 1e9);
        robo__profile_cut(&s, next);
        assert_true(fabs(s.speed) <= 1.2 + 1e-9);
        assert_true(fabs(s.speed - before) <= 3 * (double)(next - now) * 1e-9 + 1e-6);
        assert_true(fabs(s.position) <=
                    1 + 0.25); /* who is sent back at full speed overshoots by v2 / 2a */
        now = next;
    }
}

/* Looks at every millisecond of a stretch of time. */
static void watch(struct robo__profile *s, robo_time from, robo_time to, double most)
{
    double position, speed, before = s->speed;
    for (robo_time t = from; t <= to; t += SECOND / 1000) {
        robo__profile_read(s, t, &position, &speed);
        assert_true(position >= s->low - 1e-6 && position <= s->high + 1e-6);
        assert_true(fabs(speed) <= s->limit + 1e-6);
        assert_true(fabs(speed - before) <= most * 1e-3 + 1e-6);
        before = speed;
    }
    robo__profile_cut(s, to);
}

TEST(a_push_ends_before_the_end_of_a_dof)
{
    struct robo_dof dof = { .low = -1, .high = 1, .speed = 2, .acceleration = 5 };
    struct robo__profile s;
    robo__profile_init(&s, &dof, 0);
    s.inertia = 0.5;
    /* it creeps towards its end, and next to no force pushes it there: it brakes and stays */
    robo__profile_run(&s, -0.085);
    robo__profile_cut(&s, SECOND);
    assert_true(robo__profile_push(&s, -1e-6));
    watch(&s, SECOND, 61 * SECOND, 5);
    assert_true(s.position == -1 && s.speed == 0);
    /* next to no force against its motion does not turn it before its end; from there it pulls it back */
    robo__profile_move(&s, 1, unbound);
    robo__profile_cut(&s, 61 * SECOND + SECOND / 2);
    assert_true(robo__profile_push(&s, -0.001));
    watch(&s, 61 * SECOND + SECOND / 2, 80 * SECOND, 5);
    assert_true(s.position < 1 && s.position > -1 && s.speed < 0);
    watch(&s, 80 * SECOND, 200 * SECOND, 5);
    assert_true(s.position == -1 && s.speed == 0);
    /* a great force accelerates no more than the dof may */
    assert_true(robo__profile_push(&s, 100));
    watch(&s, 200 * SECOND, 203 * SECOND, 5);
    assert_true(s.position == 1 && s.speed == 0);
}

/* It gains speed by 1 m/s2, goes on at its greatest, and brakes by 5 m/s2, just in time. */
TEST(a_push_lasts_as_long_as_it_must)
{
    struct robo_dof dof = { .low = -1, .high = 1, .home = -1, .speed = 0.5, .acceleration = 5 };
    struct robo__profile s;
    robo__profile_init(&s, &dof, 0);
    s.inertia = 2;
    assert_true(robo__profile_push(&s, 2));
    double on_the_way = 2 - 0.5 * 0.5 / 2 - 0.5 * 0.5 / 10;
    robo_time end = robo__profile_end(&s);
    assert_true(llabs(end - (robo_time)(1e9 * (0.5 + on_the_way / 0.5 + 0.1))) < 1000);
    watch(&s, 0, end + 1, 5);
    assert_true(s.position == 1 && s.speed == 0);
    /* there it stays, and is there already */
    assert_true(robo__profile_push(&s, 2));
    assert_true(robo__profile_end(&s) == ROBO_NEVER || robo__profile_end(&s) <= end + 1);
    watch(&s, end + 1, end + SECOND, 5);
    assert_true(s.position == 1);
}

/* In the last microseconds of braking the servo is beyond its end by rounding, and not yet at rest. */
TEST(a_push_just_before_it_stands_at_its_end_leaves_it_there)
{
    struct robo__random r;
    robo__random_seed(&r, 12);
    struct robo_dof dof = {
        .low = -1.74532925, .high = 1.74532925, .speed = 4.2, .acceleration = 16.8
    };
    for (int i = 0; i < 1000; i++) {
        double sense = i % 2 ? 1 : -1;
        struct robo__profile s;
        robo__profile_init(&s, &dof, 0);
        robo__profile_run(&s, sense * robo__random_range(&r, 0.5, 4.2));
        robo_time now = robo__profile_end(&s) - (robo_time)(robo__random_uniform(&r) * 10000);
        robo__profile_cut(&s, now);
        robo__profile_push(&s, sense * pow(10, robo__random_range(&r, -3, 2)));
        watch(&s, now, now + SECOND / 10, 17);
        assert_float_equal(s.position, sense * dof.high, 0);
        assert_float_equal(s.speed, 0, 0);
    }
}

TEST(random_pushes_stay_within_limits)
{
    struct robo__random r;
    robo__random_seed(&r, 11);
    struct robo_dof dof = { .low = -1, .high = 1, .speed = 1.2, .acceleration = 3 };
    struct robo__profile s;
    robo__profile_init(&s, &dof, 0);
    robo_time now = 0;
    for (int i = 0; i < 5000; i++) {
        double force = robo__random_range(&r, -1, 1) * pow(10, robo__random_range(&r, -6, 2));
        if (i % 3 == 0)
            robo__profile_run(&s, robo__random_range(&r, -1.2, 1.2));
        else if (i % 7 == 0)
            robo__profile_coast(&s);
        else
            robo__profile_push(&s, force);
        robo_time next = now + (robo_time)(robo__random_uniform(&r) * 1e9);
        watch(&s, now, next, 3);
        now = next;
    }
}

/* ---- set-points that move on ---- */

static const struct robo_dof free_dof = { .low = 1, .high = -1, .speed = 2, .acceleration = 1 },
                             short_dof = { .low = -4, .high = 4, .speed = 2, .acceleration = 1 };

static struct robo__profile profile_of(const struct robo_dof *dof)
{
    struct robo__profile s;
    robo__profile_init(&s, dof, 0);
    return s;
}

static bool give(struct robo__profile *s, double value, double velocity, struct robo__bounds bounds)
{
    struct robo_cmd cmd = { .op = ROBO_SET_JOINT };
    cmd.body.servo.mask = 1;
    cmd.body.servo.value[0] = value;
    cmd.body.servo.velocity[0] = velocity;
    cmd.body.servo.speed = bounds.speed;
    cmd.body.servo.acceleration = bounds.acceleration;
    return robo__profile_give(s, &cmd, 0, 0, true);
}

TEST(a_set_point_that_moves_is_caught_up_with)
{
    /* Seen from a set-point at 1 m with 0.5 m/s it begins at -0.5 m/s, 1 m away, and may have 1.5 m/s. With 1 m/s2 its greatest
     * speed there is sqrt(1 + 0.5^2 / 2), which it gains in that + 0.5 s and loses in that many. */
    struct robo__profile s = profile_of(&free_dof);
    const double peak = sqrt(1.125), seconds = 0.5 + 2 * peak;
    assert_true(give(&s, 1, 0.5, unbound));
    robo_time end = robo__profile_end(&s);
    assert_float_equal((double)end * 1e-9, seconds, 1e-8);
    double position, speed;
    robo__profile_read(&s, end, &position, &speed);
    assert_float_equal(position, 1 + 0.5 * seconds, 1e-8);
    assert_float_equal(speed, 0.5, 1e-12);
    robo__profile_cut(&s, end + 10 * SECOND); /* it goes along */
    assert_float_equal(s.position, 1 + 0.5 * (seconds + 10), 1e-8);
    assert_float_equal(s.speed, 0.5, 1e-12);
    robo__profile_stop(&s);
    robo__profile_advance(&s, 30 * SECOND);
    assert_float_equal(s.position, 1 + 0.5 * (seconds + 10) + 0.125, 1e-8);
    /* one that moves as fast as the dof may is never caught up with from behind */
    s = profile_of(&free_dof);
    assert_true(give(&s, 1, 2, unbound));
    assert_true(robo__profile_is_held(&s));
    assert_int_equal(robo__profile_end(&s), ROBO_NEVER);
    robo__profile_cut(&s, 10 * SECOND);
    assert_float_equal(s.position, 2 + 2 * 8, 1e-8); /* 2 s and 2 m of ramp */
}

TEST(a_set_point_that_moves_stays_within_limits)
{
    struct robo__profile s = profile_of(&short_dof);
    assert_true(give(&s, 0, 1, unbound));
    robo__profile_advance(&s, 60 * SECOND);
    assert_true(s.position == 4 && s.speed == 0);
    assert_true(give(&s, 3.9, -1, unbound));
    robo__profile_advance(&s, 120 * SECOND);
    assert_true(s.position == -4 && s.speed == 0);
    /* faster than the dof, or than the bound that comes with it: clipped to that */
    s = profile_of(&short_dof);
    assert_false(give(&s, -3, 2.5, unbound));
    s = profile_of(&free_dof);
    assert_false(give(&s, 0, 0.8, (struct robo__bounds){ 0.5, 0 }));
    robo__profile_cut(&s, 10 * SECOND);
    assert_float_equal(s.speed, 0.5, 1e-12);
}

/* A sine at 100 Hz. Between set-points it is off their tangents by A w^2 dt^2 / 2 at most, and as much again while the dof makes
 * good what the last one left, which it can within a period: its acceleration is 20 times the sine's. */
TEST(a_stream_of_set_points_is_followed)
{
    const struct robo_dof dof = { .low = -3, .high = 3, .speed = 2, .acceleration = 10 };
    const double w = 1, amplitude = 0.5, dt = 0.01, most = amplitude * w * w * dt * dt;
    struct robo__profile s = profile_of(&dof), stops = s;
    double slowest = HUGE_VAL, lag = HUGE_VAL;
    for (int i = 0; i < 1000; i++) {
        const double t = i * dt;
        const robo_time at = (robo_time)llround(t * 1e9);
        robo__profile_cut(&s, at);
        robo__profile_cut(&stops, at);
        assert_true(give(&s, amplitude * sin(w * t), amplitude * w * cos(w * t), unbound));
        assert_true(give(&stops, amplitude * sin(w * t), 0, unbound));
        for (int k = 1; k <= 10 && i >= 100; k++) {
            double later = t + k * dt / 10, position, speed, behind;
            robo__profile_read(&s, (robo_time)llround(later * 1e9), &position, &speed);
            assert_float_equal(position, amplitude * sin(w * later), most);
            assert_float_equal(speed, amplitude * w * cos(w * later), 0.03);
            robo__profile_read(&stops, (robo_time)llround(later * 1e9), &position, &behind);
            if (fabs(cos(w * later)) > 0.9) {
                slowest = fmin(slowest, fabs(speed));
                lag = fmin(lag, fabs(amplitude * sin(w * t) - position));
            }
        }
    }
    assert_true(slowest > 0.9 * amplitude * w - 0.03);
    /* without velocities it must be able to brake for each: v^2 / 2 a behind, but for what it gains in a period */
    assert_true(lag > 0.45 * 0.45 / 20 - 0.5 * dt);
}

TEST(a_set_point_that_moves_is_held_and_scaled)
{
    struct robo__profile s = profile_of(&free_dof);
    s.position = 1;
    s.speed = 0.5;
    assert_true(give(&s, 1, 0.5, unbound));
    robo__profile_override(&s, 0.5, SECOND); /* the set-point is at 1.5 m and goes on at 0.25 m/s */
    robo__profile_cut(&s, 5 * SECOND);
    assert_float_equal(s.position, 1.5 + 0.25 * 4, 1e-8);
    assert_float_equal(s.speed, 0.25, 1e-12);
    robo__profile_override(&s, 0, 5 * SECOND); /* it waits at 2.5 m */
    robo__profile_cut(&s, 9 * SECOND);
    assert_true(robo__profile_is_held(&s) && s.speed == 0);
    robo__profile_override(&s, 1, 9 * SECOND);
    robo__profile_cut(&s, 19 * SECOND);
    assert_float_equal(s.position, 2.5 + 0.5 * 10, 1e-8);
}

/* Random set-points with velocities: no speed, acceleration or place beyond the dof's. */
TEST(random_streams_stay_within_limits)
{
    struct robo__random r;
    robo__random_seed(&r, 17);
    struct robo__profile s = profile_of(&short_dof);
    robo_time now = 0;
    for (int i = 0; i < 2000; i++) {
        give(&s, robo__random_range(&r, -5, 5), robo__random_range(&r, -2.5, 2.5),
             (struct robo__bounds){ 0, robo__random_uniform(&r) < 0.5 ? 0 : 0.4 });
        robo_time next = now + (robo_time)(robo__random_uniform(&r) * 3e9);
        double before = s.speed;
        for (; now < next; now += 10000000) {
            double position, speed;
            robo__profile_read(&s, now, &position, &speed);
            assert_in_range((unsigned)(position + 4 + 1e-6 > 0 && position - 4 < 1e-6), 1, 1);
            assert_true(fabs(speed) <= 2 + 1e-9);
            assert_true(fabs(speed - before) <= 0.01 + 1e-6);
            before = speed;
        }
        now = next;
        robo__profile_cut(&s, now);
    }
}
