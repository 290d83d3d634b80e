/* A body walks on two legs: its feet stand where its steps are, its centre of mass goes as preview control says, and at the end
 * it stands as it did. Everything here is where the plan has it; that it does not fall is a matter of the physics' tests. */

#include <math.h>
#include <string.h>

#include "../test.h"
#include "../biped.h"
#include "body/model.h"
#include "base/linear.h"
#include "walk/legs.h"
#include "robotalk/description.h"

static const double DT = 0.01;

static struct robo_description body;
static robo_model *model;
static struct robo__biped_kind kind;
static struct robo__biped biped;
static double q[2 * LEG_DOFS], home[2 * LEG_DOFS];

/* A link of that mass, with its centre there; its frame stays. */
static void weigh(unsigned link, double mass, double x, double z)
{
    const double com[3] = { x, 0, z };
    body.link[link].mass = mass;
    memcpy(body.link[link].com, com, sizeof com);
    for (unsigned i = 1; i < body.joints; i++)
        for (int k = 0; k < 3; k++) {
            if (body.joint[i].parent == link)
                body.joint[i].inboard[k] -= com[k];
            if (body.joint[i].child == link)
                body.joint[i].outboard[k] = -com[k];
        }
}

static int stand(void **state)
{
    char why[128];
    make_biped(&body);
    weigh(0, 40, -0.01, 0.15);
    for (unsigned leg = 0; leg < 2; leg++) {
        weigh(1 + 3 * leg, 3, 0, -0.12);
        weigh(2 + 3 * leg, 2, 0, -0.12);
        weigh(3 + 3 * leg, 1, 0.03, -0.04);
    }
    assert_int_equal(robo_description_check(&body, why), 0);
    model = robo__model_make(&body);
    assert_non_null(model);
    kind = (struct robo__biped_kind){ .description = &body,
                                      .model = model,
                                      .root = body.link[0].position[2],
                                      .lift = 0.04,
                                      .stepping = { .time = 0.7,
                                                    .both = 0.175,
                                                    .quicken = 1.4,
                                                    .halt = 0.525,
                                                    .lead = 0.8,
                                                    .most = { 0.2, 0.08, 0.3 } },
                                      .frame = { 1, 2 } };
    for (unsigned leg = 0; leg < 2; leg++)
        kind.others[leg][0] = leg == 0 ? 0xfc0 : 0x03f;
    for (unsigned i = 0; i < 2 * LEG_DOFS; i++)
        q[i] = home[i] = body.dof[i].home;
    assert_true(robo__biped_make(&kind, DT));
    robo__biped_stand(&kind, q, &biped);
    return 0;
}

static int end(void **state)
{
    robo__model_free(model);
    return 0;
}

static void near(double got, double expected, double within)
{
    assert_true(fabs(got - expected) <= within);
}

/* Where the plan has what is there, seen from the root. */
static void in_the_world(const double at[3], double out[3])
{
    const double c = cos(biped.theta), s = sin(biped.theta);
    out[0] = biped.x + c * at[0] - s * at[1];
    out[1] = biped.y + s * at[0] + c * at[1];
    out[2] = biped.z + at[2];
}

static bool step(double x, double y, double turn)
{
    const double velocity[3] = { x, y, turn };
    return robo__biped_go(&kind, velocity, NULL, &biped, q);
}

/* Feet that stand do so where their steps are, flat on the floor, and the weight is where the cart is. */
static void look(void)
{
    double com[3], at[3];
    assert_true(biped.reached);
    for (int i = 0; i < 2; i++) {
        struct robo__place place;
        struct robo_pose foot;
        const double u = robo__footsteps_swing(&biped.steps, i, &place);
        assert_int_equal(robo_frame_pose(model, q, kind.frame[i], &foot), 0);
        in_the_world(foot.position, at);
        near(at[0], place.x, 1e-5);
        near(at[1], place.y, 1e-5);
        if (u == 0)
            near(at[2], 0, 1e-5);
        assert_true(at[2] > -1e-5);
        near(foot.rotation[8], 1, 1e-6);
    }
    robo__biped_weigh(&kind, q, com);
    in_the_world(com, at);
    for (int i = 0; i < 2; i++)
        near(at[i], biped.cart[i].x[0], 1e-3);
}

static void walk(double x, double y, double turn)
{
    for (int i = 0; i < 500; i++) {
        assert_true(step(x, y, turn));
        look();
    }
    int more = 0;
    while (step(0, 0, 0) && more++ < 500)
        look();
    assert_true(more < 400);
    for (unsigned i = 0; i < 2 * LEG_DOFS; i++)
        near(q[i], home[i], 0.02);
}

FIXTURE(stand, end);

TEST(it_walks_ahead)
{
    walk(0.25, 0, 0);
    near(biped.x, 0.25 * 4.2, 0.3);
}

TEST(it_walks_back)
{
    walk(-0.2, 0, 0);
    assert_true(biped.x < -0.6);
}

TEST(it_walks_aside)
{
    walk(0, 0.05, 0);
    near(biped.y, 0.05 * 4.2, 0.08);
    near(biped.x, 0, 0.01);
}

TEST(it_turns)
{
    walk(0, 0, -0.2);
    near(biped.theta, -0.2 * 4.2, 0.3);
}

TEST(it_walks_along_an_arc)
{
    walk(0.2, 0, 0.15);
}

TEST(who_is_told_nothing_stands)
{
    for (int i = 0; i < 100; i++) {
        assert_false(step(0, 0, 0));
        look();
    }
    for (unsigned i = 0; i < 2 * LEG_DOFS; i++)
        near(q[i], home[i], 1e-6);
}

/* It leans ahead and to its right, so both feet turn toes down and to their right edges, as seen from the root. */
TEST(who_leans_turns_its_ankles)
{
    const double still[3] = { 0, 0, 0 };
    const struct robo__balance felt = { .lean = { 0.02, 0.04 },
                                        .com = { kind.com[0], kind.com[1] } };
    robo__biped_go(&kind, still, &felt, &biped, q);
    for (int i = 0; i < 2; i++) {
        struct robo_pose foot;
        double attitude[3];
        robo_frame_pose(model, q, kind.frame[i], &foot);
        robo_rotation_to_attitude(foot.rotation, attitude);
        near(attitude[0], 0.01, 1e-6);
        near(attitude[1], 0.02, 1e-6);
    }
}

/* Thighs and shanks turn by as much, and the soles stay level: it stands lower. */
TEST(who_has_bent_its_legs_rises_by_and_by)
{
    double last = 0;
    for (int leg = 0; leg < 2; leg++) {
        struct robo_pose foot;
        struct robo_ik_options options = { .size = sizeof options,
                                           .iterations = 60,
                                           .attempts = 1 };
        struct robo_ik_report report;
        memcpy(options.fixed, kind.others[leg], sizeof options.fixed);
        robo_frame_pose(model, q, kind.frame[leg], &foot);
        foot.position[2] += 0.05;
        robo_ik(model, kind.frame[leg], &foot, &options, q, &report);
        assert_true(report.position_error < 1e-4);
    }
    robo__biped_stand(&kind, q, &biped);
    near(biped.z, kind.root - 0.05, 1e-3);
    last = biped.z;
    for (int i = 0; step(0.1, 0, 0) && i < 200; i++) {
        look();
        assert_true(biped.z - last < 0.1 * DT + 1e-9);
        last = biped.z;
    }
    near(last, kind.root, 1e-3);
}

/* What it carries pulls its weight ahead by 3 cm: so its pelvis stays behind. */
TEST(who_carries_something_leans_back)
{
    const double still[3] = { 0, 0, 0 }, from = biped.x;
    double com[3];
    for (int i = 0; i < 400; i++) {
        robo__biped_weigh(&kind, q, com);
        const struct robo__balance felt = { .com = { com[0] + 0.03, com[1] } };
        robo__biped_go(&kind, still, &felt, &biped, q);
    }
    near(biped.x + com[0] + 0.03, biped.cart[0].x[0], 1e-3);
    assert_true(biped.x < from - 0.025);
}

/* ---- as a gait ---- */

static const struct robo_option PREVIEW[] = { TEXT("feet", "sole0 sole1"), TEXT("gait", "preview"),
                                              REAL("lift", 0.04), REAL("period", 1.4) };

static struct robo__legs legs;

static void read_legs(void)
{
    char why[128];
    TAKES(body.device[0], PREVIEW);
    assert_int_equal(robo__legs_read(&body, 0, NULL, &legs, why), 0);
}

TEST(a_descriptor_names_it)
{
    static struct robo__gait gait;
    struct robo__sim_base base = { .limit = { 0.6, 0.2, 0.8 }, .v = { 0.2, 0, 0 } };
    read_legs();
    assert_true(robo__legs_place(&legs, model));
    robo__legs_limit(&legs, &base);
    /* 0.375, 0.15 of the height of its hips in 0.7 s; what goes aside or turns, of every second step alone */
    near(base.limit[0], 0.375 * kind.root / 0.7, 1e-12);
    near(base.limit[1], 0.15 * kind.root / 1.4, 1e-12);
    near(base.limit[2], 0.4 / 1.4, 1e-12);
    robo__gait_stand(&legs, &base, &gait);
    for (int i = 0; i < 500; i++) {
        assert_true(robo__gait_step(&legs, &base, DT, &gait));
        assert_true(gait.reached);
    }
    assert_true(gait.biped.x > 0.6);
    assert_true(gait.foot[0].swings != gait.foot[1].swings || !gait.foot[0].swings);
    base.v[0] = 0;
    int more = 0;
    while (robo__gait_step(&legs, &base, DT, &gait))
        assert_true(more++ < 500);
    for (unsigned i = 0; i < 2 * LEG_DOFS; i++)
        near(gait.q[i], home[i], 0.02);
}

/* Feet that are not beside each other, or with fewer than 6 dofs, cannot go so. */
TEST(not_all_legs_can)
{
    read_legs();
    const struct robo__leg_kind left = legs.leg[0];
    legs.leg[0] = legs.leg[1];
    legs.leg[1] = left;
    assert_false(robo__legs_place(&legs, model));
    read_legs();
    legs.leg[1].flat = false;
    assert_false(robo__legs_place(&legs, model));
}

TEST(without_weight_there_is_no_gait)
{
    for (unsigned i = 0; i < body.links; i++)
        body.link[i].mass = 0;
    assert_false(robo__biped_make(&kind, DT));
}
