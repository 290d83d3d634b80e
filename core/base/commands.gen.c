/* Made by spec/gen.lua from spec/; do not edit. The properties of each command. */
#include "base/command.h"

#include <stddef.h>

const struct robo_command_kind robo__command_kinds[] = {
    [ROBO_STOP - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_ALL, .servo = 0,
        .goal = false, .lasting = false,
    },
    [ROBO_GO_TO - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_ROOT, .servo = ROBO_SERVO_SETPOINT,
        .goal = true, .lasting = false,
        .first = offsetof(struct robo_go_to, x), .values = 5,
    },
    [ROBO_SET_SPEED - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_ROOT, .servo = ROBO_SERVO_SPEED,
        .goal = false, .lasting = true,
        .first = offsetof(struct robo_set_speed, x), .values = 3,
    },
    [ROBO_SET_JOINT - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_JOINT, .servo = ROBO_SERVO_SETPOINT,
        .goal = true, .lasting = false,
        .first = offsetof(struct robo_servo_command, value), .values = 14,
    },
    [ROBO_SET_JOINT_SPEED - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_JOINT, .servo = ROBO_SERVO_SPEED,
        .goal = false, .lasting = true,
        .first = offsetof(struct robo_servo_command, value), .values = 6,
    },
    [ROBO_SET_JOINT_FORCE - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_JOINT, .servo = ROBO_SERVO_FORCE,
        .goal = false, .lasting = true,
        .first = offsetof(struct robo_servo_command, value), .values = 6,
    },
    [ROBO_HOME - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_JOINTS, .servo = ROBO_SERVO_SETPOINT,
        .goal = true, .lasting = false,
        .first = offsetof(struct robo_home, speed), .values = 2,
    },
    [ROBO_STEP - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_LEG, .servo = ROBO_SERVO_SETPOINT,
        .goal = true, .lasting = false,
        .first = offsetof(struct robo_step, x), .values = 4,
    },
    [ROBO_SET_FRAME - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_FRAME, .servo = ROBO_SERVO_SETPOINT,
        .goal = true, .lasting = false,
        .first = offsetof(struct robo_frame_command, linear), .values = 8,
    },
    [ROBO_SET_FRAME_SPEED - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_FRAME, .servo = ROBO_SERVO_SPEED,
        .goal = false, .lasting = true,
        .first = offsetof(struct robo_frame_command, linear), .values = 6,
    },
    [ROBO_SET_FRAME_FORCE - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_FRAME, .servo = ROBO_SERVO_FORCE,
        .goal = false, .lasting = true,
        .first = offsetof(struct robo_frame_command, linear), .values = 6,
    },
    [ROBO_MOVE - ROBO_FIRST_OP] = {
        .moves = ROBO_MOVES_PARTS, .servo = 0,
        .goal = false, .lasting = false,
    },
};
