/* A stage for frames: how they are made and sent, and what became of their parts. */
#pragma once

#include "fixture_sessions.h"

enum { PARTS = 64 };

/* What became of the parts of the frames that were taken last, in the order of their answers. */
static struct robo_part parts[PARTS];
static unsigned part_count;

/* A frame of no parts yet, with room for so many. */
UNUSED static struct robo__session_move *make(unsigned dofs, unsigned frames)
{
    struct robo__session_move *move = robo__move_make(dofs, frames);
    assert_non_null(move);
    move->set.dofs = move->set.frames = 0;
    return move;
}

UNUSED static struct robo__session_move *base(struct robo__session_move *move, uint16_t what,
                                              double x)
{
    move->set.parts |= what;
    move->set.base[0] = x;
    return move;
}

UNUSED static struct robo__session_move *dof(struct robo__session_move *move, unsigned number,
                                             uint8_t servo, double value)
{
    move->set.dof[move->set.dofs++] =
        (struct robo_move_dof){ .dof = (uint16_t)number, .servo = servo, .value = value };
    return move;
}

UNUSED static struct robo__session_move *setpoint(struct robo__session_move *move, unsigned number,
                                                  double value)
{
    return dof(move, number, ROBO_SERVO_SETPOINT, value);
}

UNUSED static struct robo_cmd frame_at(double start, struct robo__session_move *move)
{
    return (struct robo_cmd){ .op = ROBO_MOVE, .start = start_at(start), .body.move = &move->set };
}

UNUSED static uint32_t send_frame(struct robo__session *s, double start,
                                  struct robo__session_move *move)
{
    return send_cmd(s, frame_at(start, move));
}

/* Takes answers, with the parts of the only frame among them. */
UNUSED static void take(struct robo__session *s)
{
    answer_count = robo__session_results(s, answers, 64);
    const struct robo__session_move *move = robo__session_next_move(s);
    part_count = move ? robo__move_report(move, parts, PARTS) : 0;
    assert_null(robo__session_next_move(s));
}

UNUSED static void expect_part(unsigned index, uint8_t kind, unsigned number,
                               enum robo_signal signal, enum robo_reason why)
{
    assert_in_range(index + 1, 1, part_count);
    assert_int_equal(parts[index].kind, kind);
    assert_int_equal(parts[index].number, number);
    assert_string_equal(robo_signal_name(parts[index].signal), robo_signal_name(signal));
    assert_string_equal(robo_reason_name(parts[index].reason), robo_reason_name(why));
}

#define expect_frame(session, move, wanted, why)     \
    do {                                             \
        uint32_t id_ = send_frame(session, 0, move); \
        take(session);                               \
        expect_signal(id_, wanted, why);             \
    } while (0)
