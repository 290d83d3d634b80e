/* Which bodies of a robot touch each other: those of links that are no neighbours, and did not touch at home. */
#include "physics_robot.h"

#include "physics/apart.h"
#include "physics/mjcf.h"

static const double UPRIGHT[2][3] = { { 0, 0, 1 }, { 0, 0, 1 } };

static struct robo_description arm;
static struct robo_option option;

static int close_it(void **state)
{
    close_world();
    return 0;
}

static void add_ball(uint16_t link, double x, double radius)
{
    arm.shape[arm.shapes++] = (struct robo_shape){
        .kind = ROBO_SHAPE_SPHERE, .link = link, .size = { radius }, .position = { x, 0, 0 }
    };
}

/* A foot, a ball of 0.3 m, and two links of 1 m with a ball each: that of the hand, 0.1 m, is over the foot when the elbow is at pi. */
static void make_it(double elbow, bool has_middle)
{
    arm = make_arm(2, UPRIGHT);
    arm.dof[1].home = elbow;
    add_ball(0, 0, 0.3);
    if (has_middle)
        add_ball(1, 0.5, 0.05);
    add_ball(2, 1, 0.1);
}

static struct robo_cmd fold(double to)
{
    return (struct robo_cmd){ .op = ROBO_SET_JOINT,
                              .start = ROBO_AT_ONCE,
                              .body.servo = { .joint = 2, .mask = 1, .value = { to } } };
}

/* Folds it, and opens it again. */
static void expect_free(void)
{
    const uint32_t in = give(fold(M_PI));
    run_for(3);
    EXPECT(in, SUCCESS, NONE);
    const uint32_t out = give(fold(1));
    run_for(3);
    EXPECT(out, SUCCESS, NONE);
}

FIXTURE(NULL, close_it);

TEST(an_arm_is_stopped_by_its_own_foot)
{
    make_it(0, true);
    open_world_with(&VIRTUAL, NULL, &arm);
    const uint32_t id = give(fold(M_PI));
    run_for(5);
    EXPECT(id, ERROR, BLOCKED);
    /* 0.4 m from the foot's middle at the least: 2 sin((pi - q) / 2) */
    assert_float_equal(seen().position[1], M_PI - 2 * asin(0.2), 0.02);
}

TEST(it_passes_through_when_it_is_told_to)
{
    make_it(0, true);
    option = (struct robo_option){ .name = "selfcollision", .type = ROBO_OPTION_FLAG };
    arm.device[0].option = &option;
    arm.device[0].options = 1;
    open_world_with(&VIRTUAL, NULL, &arm);
    expect_free();
}

TEST(with_legs_it_has_to_be_asked_for)
{
    make_it(0, true);
    arm.joint[1].leg = 1;
    open_world_with(&VIRTUAL, NULL, &arm);
    expect_free();
}

TEST(what_touches_at_home_never_does)
{
    make_it(M_PI, true);
    open_world_with(&VIRTUAL, NULL, &arm);
    run_for(1);
    assert_float_equal(seen().position[1], M_PI, 1e-6); /* it is not pushed out */
    expect_free();
}

TEST(links_about_one_that_nothing_touches_are_neighbours)
{
    make_it(0, false);
    open_world_with(&VIRTUAL, NULL, &arm);
    expect_free();
}

static void add_to(struct robo__draft *text, const robo_body *body, unsigned number)
{
    static const struct robo__stand stand = { .position = { 0, 0, 1 } };
    struct robo__apart apart;
    assert_int_equal(robo__apart_init(&apart, body, true), 0);
    robo__mjcf_add(text, body, number, &stand);
    robo__apart_write(&apart, text);
    robo__apart_free(&apart);
}

/* Two that stand in one another, of which none touches itself, so that each contact is of both. */
TEST(the_first_robot_touches_the_thirty_first, NULL)
{
    char why[512];
    const struct robo__engine *e = robo__engine(why);
    struct robo__draft text = { 0 };
    robo_body *body[2];
    mjVFS *files = calloc(1, sizeof *files);
    assert_non_null(files);
    make_it(0, true);
    for (int i = 0; i < 2; i++) {
        snprintf(arm.name, sizeof arm.name, "arm%d", i);
        assert_int_equal(robo_body_make(&arm, &body[i], NULL), 0);
    }
    robo__draft_add(&text, "<mujoco><compiler angle=\"radian\" autolimits=\"true\"/>");
    add_to(&text, body[0], 0);
    add_to(&text, body[1], 30);
    robo__draft_add(&text, "</mujoco>");
    assert_false(text.failed);
    e->mj_defaultVFS(files);
    assert_int_equal(e->mj_makeEmptyFileVFS(files, "m.xml", (int)text.length), 0);
    memcpy(files->filedata[e->mj_findFileVFS(files, "m.xml")], text.bytes, text.length);
    mjModel *m = e->mj_loadXML("m.xml", files, why, sizeof why);
    assert_non_null(m);
    mjData *d = e->mj_makeData(m);
    assert_non_null(d);
    e->mj_forward(m, d);
    assert_int_equal(d->ncon, 2); /* balls of the moving links: both feet are fast to the world */
    e->mj_deleteData(d);
    e->mj_deleteModel(m);
    e->mj_deleteVFS(files);
    robo__draft_free(&text);
    robo_body_release(body[0]);
    robo_body_release(body[1]);
    free(files);
}
