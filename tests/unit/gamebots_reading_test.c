/* What a Gamebots client is told of a robot whose readings come from its driver: a battery that is drawn from, forces of joints, a
 * gripper with beams. Forms as in spec/gamebots.md. */
#include "fixture_gamebots.h"

#include "../idle_driver.h"

static robo_device *device;
static struct client client;

static int open_device(void *state, robo_device *opened, robo_time now)
{
    device = opened;
    return 0;
}

/* Its claw is open; nobody knows what the arm holds. */
static void read_hand(const void *state, robo_time now, struct robo_state *out)
{
    out->position[1] = 0.1;
    out->charge = 0.5;
    out->voltage = 12;
}

static void read_forces(const void *state, robo_time now, double *force)
{
    force[1] = -2.5;
}

static const robo_driver hand_driver = { .size = sizeof(robo_driver),
                                         .name = "hand",
                                         .state_size = 1,
                                         .open = open_device,
                                         .start = idle_start,
                                         .read = read_hand,
                                         .halt = idle_halt,
                                         .close = idle_close,
                                         .forces = read_forces };

enum { POWER, GRIP, OUTER, INNER };

static int begin(void **state)
{
    static struct robo_sensor sensor[] = {
        [POWER] = { .name = "power", .kind = "battery" },
        [GRIP] = { .name = "grip", .kind = "gripper", .link = 2 },
        [OUTER] = { .name = "outer", .kind = "beam", .link = 2 },
        [INNER] = { .name = "inner", .kind = "beam", .link = 2 },
    };
    static struct robo_link link[] = { { .name = "base" }, { .name = "arm" }, { .name = "claw" } };
    static struct robo_joint joint[] = {
        { .name = "root", .parent = ROBO_WORLD },
        { .name = "arm", .child = 1, .dofs = 1, .servo = ROBO_SERVO_SETPOINT },
        { .name = "claw",
          .parent = 1,
          .child = 2,
          .first = 1,
          .dofs = 1,
          .servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_FORCE,
          .inboard = { 0.5, 0.25, 0 },
          .rest = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } },
    };
    static struct robo_dof dof[] = {
        { .name = "arm", .axis = { 0, 0, 1 } },
        { .name = "width", .kind = ROBO_PRISMATIC, .axis = { 0, 1, 0 }, .high = 0.1 }
    };
    struct robo_description d = { .name = "hand",
                                  .links = 3,
                                  .joints = 3,
                                  .dofs = 2,
                                  .sensors = 4,
                                  .devices = 1,
                                  .commands = UINT64_MAX,
                                  .battery = 7200,
                                  .link = link,
                                  .joint = joint,
                                  .dof = dof,
                                  .sensor = sensor };
    open_world(state);
    strcpy(d.device[0].driver, "hand");
    d.device[0].base = 1;
    assert_int_equal(robo_add_driver(world, &hand_driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    return 0;
}

static int end(void **state)
{
    leave(&client);
    return close_world(state);
}

static void come(const char *address)
{
    join(&client, address);
    say(&client, "INIT {ClassName hand} {Name H}");
    client.count = client.read = 0;
    client.got[0] = 0;
}

static void expect(const char *words)
{
    if (!strstr(client.got, words))
        fail_msg("not told: %s\n%s", words, client.got);
}

static void sense(unsigned sensor, const double *value, size_t count)
{
    assert_int_equal(robo_sensed(device, sensor, ROBO_NO_TIME, value, count), 0);
}

FIXTURE(begin, end);

TEST(a_battery_lasts_as_long_as_its_reading_says)
{
    come("gamebots+local:");
    pass(0.15);
    expect("{Battery 1800} {View -1}"); /* half of 3600: by the state's charge alone */
    sense(POWER, (double[]){ 0.25, 12, NAN }, 3);
    pass(0.1);
    expect("{Battery 900} {View -1}");
    sense(POWER, (double[]){ 0.25, 12, 1.5 }, 3); /* a quarter of 7200 J at 18 W */
    pass(0.1);
    expect("{Battery 100} {View -1}");
    sense(POWER, (double[]){ NAN, 10, NAN }, 3);
    pass(0.1);
    expect("{Battery 1800} {View -1}");
}

TEST(forces_of_joints_are_torques_of_links)
{
    come("gamebots+local:");
    pass(0.15);
    /* the claw's axis is y, which points to the right there; the arm's force is not known */
    expect(
        "MISSTA {Time 1.10} {Name arm} {Link 1} {Value 0.0000} {Torque 0.00} {Link 2} {Value -0.1000}"
        " {Torque 2.50}\r\n");
}

TEST(a_gripper_is_an_effecter_and_its_beams_are_touch_sensors)
{
    come("gamebots+local:");
    sense(OUTER, (double[]){ 1 }, 1);
    sense(INNER, (double[]){ 0 }, 1);
    sense(GRIP, (double[]){ 1, 1, NAN, 1, 0, 0 }, 6);
    pass(0.15);
    expect("EFF {Type Gripper} {Name claw} {Open}\r\n");
    expect("SEN {Time 1.10} {Type Touch} {Name outer Touch True} {Name inner Touch False}\r\n");
    assert_null(strstr(client.got, "{Type Gripper} {Name grip}"));
    say(&client, "GETCONF {Type Gripper}");
    expect("CONF {Type Gripper} {Name claw}\r\n");
    say(&client, "GETGEO {Type Gripper}");
    expect("GEO {Type Gripper} {Name claw Location 0.5000,-0.2500,0.0000 Orientation "
           "0.0000,0.0000,0.0000 Mount arm}\r\n");
    say(&client, "SET {Type Gripper} {Name grip} {Opcode CLOSE}"); /* by its sensor's name, too */
    expect("RES {Type Gripper} {Name grip} {Status OK}\r\n");
}

TEST(a_gripper_in_udk)
{
    come("gamebots+local:?udk");
    sense(OUTER, (double[]){ 1 }, 1);
    pass(0.15);
    expect("EFF {Time 1.10} {Type Gripper} {Name claw} {Off}\r\n");
    expect("SEN {Time 1.10} {Type Touch} {Name outer} {Touch True}\r\n");
    say(&client, "GETGEO {Type Effecter} {Name claw}");
    expect("GEO {Type Gripper} {Name claw} {Location 0.5000,-0.2500,0.0000} {Orientation "
           "0.0000,0.0000,0.0000} {Mount arm}\r\n");
}
