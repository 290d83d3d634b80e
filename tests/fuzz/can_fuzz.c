/* Drives on a CAN bus under attack: any frames, refusals and losses of the line, in any order with commands, panics and
 * resets. The driver without its thread: what that would hear is given to it here, in a virtual world. Whatever comes,
 * the state stays finite, a drive that is lost stops the robot, and between a halt and the reset the bus carries nothing
 * but the halt. */
#include <linux/can.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../chain.h"
#include "../unit/driver_options.h"
#include "base/time.h"
#include "drivers.h"
#include "can/device.h"
#include "robot/robot.h"
#include "robotalk/description.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DRIVES = 4 };

static struct robo__can *driver; /* of the robot that is open */
static int bus = -1;             /* the other end of its line */

/* In place of the driver's own: without its thread and the wait for drives. */
static int open_alone(void *state, robo_device *device, robo_time now)
{
    struct robo__can *can = state;
    char why[128];
    int pair[2];
    (void)now;
    can->device = device;
    if (!robo__can_wiring_read(can, robo_device_description(device), 0, why))
        abort();
    can->stills = robo__can_halt_frames(can, NULL, can->still);
    robo__can_line_init(&can->line, can->still, can->stills);
    sem_init(&can->woke, 0, 0);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair) < 0 ||
        robo__can_line_adopt(&can->line, pair[0], false) < 0)
        abort();
    bus = pair[1];
    driver = can;
    atomic_store(&can->woken, robo__time_monotonic());
    robo__can_forget(can);
    robo__can_turn(can, ROBO__CAN_DOWN, ROBO__CAN_PREPARING);
    return 0;
}

static const struct robo_option WIRED[] = {
    TEXT("port", "can0"),
    TEXT("joint1", "velocity node=1 scale=1000"),
    TEXT("joint2", "velocity node=2 scale=1000 cyclic"),
    TEXT("joint3", "position node=3 scale=1000"),
    TEXT("joint4", "generic set=0x211:i32be@0*1000 position=0x199:f64@0"),
};

static void describe(struct robo_description *d, uint8_t panic, bool stored)
{
    begin_description(d, DRIVES + 1,
                      (struct robo_description){ .name = "arm",
                                                 .devices = 1,
                                                 .commands = UINT64_MAX,
                                                 .bus_rate = 500,
                                                 .bus_order = stored ? ROBO_ORDER_SYNCHRONISED
                                                                     : ROBO_ORDER_OPTIMAL,
                                                 .panic = panic });
    strcpy(d->device[0].driver, "can");
    TAKES(d->device[0], WIRED);
    make_chain(d, DRIVES, ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
               (struct robo_dof){ .name = "q",
                                  .axis = { 0, 0, 1 },
                                  .low = -2,
                                  .high = 2,
                                  .speed = 1,
                                  .acceleration = 10,
                                  .retreat = 0.5,
                                  .retreats = 1 });
    d->joint[3].servo = ROBO_SERVO_SETPOINT;
}

/* Whether the driver takes all drives to be in operation though one of them has said otherwise. */
static bool overlooks_a_drive(void)
{
    bool all = true;
    for (size_t i = 0; i < driver->drives; i++)
        if (robo__can_is_cia402(&driver->drive[i]))
            all &= robo__cia402_is_enabled((uint16_t)driver->drive[i].status);
    return atomic_load(&driver->phase) == ROBO__CAN_READY && !all;
}

static bool is_of(const struct robo__can_frame *halt, size_t halts, const struct can_frame *raw)
{
    for (size_t i = 0; i < halts; i++)
        if (halt[i].id == (raw->can_id & CAN_EFF_MASK) && halt[i].size == raw->can_dlc &&
            memcmp(halt[i].data, raw->data, raw->can_dlc) == 0)
            return true;
    return false;
}

/* What the bus has carried since the last time; of a robot in panic nothing but that halt, or the one before. */
static void read_bus(bool in_panic)
{
    static struct robo__can_frame before[ROBO__CAN_HALT];
    static size_t befores;
    const struct robo__can_line *line = &driver->line;
    struct can_frame raw;
    while (read(bus, &raw, sizeof raw) == (ssize_t)sizeof raw)
        if (in_panic && !is_of(line->halt, line->halts, &raw) && !is_of(before, befores, &raw))
            abort();
    befores = line->halts;
    memcpy(before, line->halt, sizeof before);
}

static void command(robo_robot *robot, uint8_t what)
{
    struct robo_cmd cmd = { .op = what & 8 ? ROBO_SET_JOINT : ROBO_SET_JOINT_SPEED,
                            .start = ROBO_AT_ONCE };
    cmd.body.servo.joint = (uint8_t)(1 + what % DRIVES);
    cmd.body.servo.mask = 1;
    cmd.body.servo.value[0] = what / 128.0 - 1;
    robo__robot_lock(robot);
    if (!robo__robot_alarm(robot).panic)
        robo__bus_give(&robot->bus, 0, &cmd, 0, robo__robot_now(robot));
    robo__robot_unlock(robot);
}

/* One step of the attack; returns how many bytes it has used. */
static size_t step(robo_world *world, robo_robot *robot, const uint8_t *data, size_t size)
{
    static const uint16_t ids[] = { 0x180, 0x380, 0x480, 0x080, 0x700, 0x198 };
    struct robo__can_frame frame = { .size = 8 };
    robo_time now = robo__time_monotonic();
    uint8_t what = data[0], more = size > 1 ? data[1] : 0;
    switch (what % 8) {
    case 0:
    case 1: /* a frame, mostly one that a drive could send */
        if (size < 10)
            return size;
        frame.id = what & 8 ? ids[more % 6] + (more >> 4) % 5u : (uint32_t)(more | what << 4);
        frame.size = what & 0x80 ? data[2] % 9 : what & 16 ? 8 : 6;
        memcpy(frame.data, data + 2, 8);
        robo__can_hear(driver, &frame, now);
        return 10;
    case 2: /* all drives are in operation and tell where they are */
        for (unsigned i = 1; i < DRIVES; i++) {
            frame =
                (struct robo__can_frame){ .id = 0x380 + i, .size = 6, .data = { 0x37, 2, more } };
            robo__can_hear(driver, &frame, now);
        }
        frame = (struct robo__can_frame){ .id = 0x199, .size = 8 };
        robo__can_hear(driver, &frame, now);
        return 2;
    case 3: robo_panic(robot); return 1;
    case 4: robo_reset(robot); return 1;
    case 5: command(robot, more); return 2;
    case 6:
        robo__can_enable(driver); /* as the thread does when all has been read */
        robo__can_tick(driver, now + more * 10000000LL);
        robo_advance(world, robo_now(world) + more * 1000000LL);
        return 2;
    default:
        if (more & 1)
            robo__can_lament(driver, ROBO__CAN_NO_TAG, now);
        else
            robo__can_lose(driver, ROBO__CAN_RESTING, more & 2 ? ROBO_WHY_DEVICE : ROBO_WHY_LINK,
                           "lost");
        return 2;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1 };
    static struct robo_description description;
    struct robo_state state;
    robo_robot *robot;
    if (size == 0)
        return 0;
    describe(&description, data[0] & 3, data[0] & 4);
    robo_driver alone = robo_can_driver;
    alone.open = open_alone;
    robo_world *world = robo_open(&options);
    if (!world || robo_add_driver(world, &alone) < 0 || robo_add(world, &description, &robot) < 0)
        abort();
    for (size_t at = 1; at < size;) {
        bool panic = robo__robot_alarm(robot).panic;
        bool ready = atomic_load(&driver->phase) == ROBO__CAN_READY;
        at += step(world, robot, data + at, size - at);
        bool still = robo__robot_alarm(robot).panic;
        if (ready && atomic_load(&driver->phase) != ROBO__CAN_READY && !still)
            abort(); /* drives were lost, and nobody stopped the others */
        if (overlooks_a_drive())
            abort();
        read_bus(panic && still);
        robo_read(robot, &state, sizeof state);
        for (unsigned i = 0; i < DRIVES; i++)
            if (!isfinite(state.position[i]) || !isfinite(state.speed[i]))
                abort();
    }
    robo_release(robot);
    robo_close(world);
    close(bus);
    return 0;
}
