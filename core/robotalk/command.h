/* Commands of a robot, and their results. */
#pragma once

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- commands ---- */

/* The goal of a dof in a move. A move has first set-points, then speeds, then forces, each in the order of their dofs. */
struct robo_move_dof {
    double value;
    double velocity; /* with which a set-point moves on; 0: it stays */
    double limit;    /* greatest speed on the way to a set-point; 0: the joint's own */
    uint16_t dof;    /* of the robot */
    uint8_t servo;   /* ROBO_SERVO_… */
};
/* The goal of a control frame in a move. */
struct robo_move_frame {
    uint16_t frame; /* the control frame's number */
    /* ROBO_SERVO_SETPOINT: a pose; ROBO_SERVO_SPEED: a twist; ROBO_SERVO_FORCE: a wrench */
    uint8_t servo;
    uint8_t free; /* of a pose: 1: any attitude will do */
    double value[6];
};
/* The body of ROBO_MOVE: motions that begin together, which spec/robotalk.md calls a frame. Not to be confused with control
 * frames, points on links that are moved to poses. */
struct robo_move {
    /* ROBO_MOVE_PLACE or ROBO_MOVE_SPEED: the kind of `base`, if it moves; ROBO_MOVE_VELOCITIES, ROBO_MOVE_LIMITS:
       set-points have them. The other bits of enum robo_move_part are set by the library */
    uint16_t parts;
    uint16_t dofs, frames; /* how many there are */
    double base[3];        /* x, y, theta */
    struct robo_move_dof *dof;
    struct robo_move_frame *frame;
};

/* A command; robotalk/spec.h describes its body. */
struct robo_cmd {
    uint16_t op; /* enum robo_op */
    /* whose numbers of joints and control frames it uses: the description's, lowest 8 bits */
    uint8_t revision;
    uint32_t id;     /* the client's number for it; robo_send sets it */
    robo_time start; /* when it is to begin; ROBO_AT_ONCE: when it comes */
    union robo_cmd_body body;
};

/* The result of a command: when it was to begin, when it did (ROBO_NO_TIME: never), and when it was over. A client converts the
 * instants to its own clock. There they may be off by `uncertainty`, but all by the same, so that differences are exact. */
struct robo_result {
    uint32_t id;
    uint16_t op;
    uint8_t signal; /* enum robo_signal */
    uint8_t reason; /* enum robo_reason */
    robo_time scheduled, executed, finished, uncertainty;
    /* how far a control frame is from the pose that was asked for, m and rad, when its motion was MODIFIED, limit; else
       both are 0 */
    double position_error, rotation_error;
    uint32_t holder; /* number of the client that holds the lease, when it was BUSY, lease */
};

ROBO_API_END
