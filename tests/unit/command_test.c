/* What kind a command is: every row of the table is whole, and the core serves it by its row alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/command.h"
#include "base/status.h"

static void test_every_command_has_a_kind(void **state)
{
    (void)state;
    for (unsigned op = ROBO_FIRST_OP; op <= ROBO_LAST_OP; op++) {
        const struct robo__command *kind = robo__command_of(op);
        assert_non_null(kind);
        assert_string_not_equal(robo_op_name((int)op), "unknown");
        if (op == ROBO_STOP)
            continue;
        assert_true(kind->goal != kind->lasting);
        assert_true(kind->servo == ROBO_SERVO_SETPOINT || kind->servo == ROBO_SERVO_SPEED ||
                    kind->servo == ROBO_SERVO_FORCE);
        assert_true(kind->first + kind->values * sizeof(double) <= sizeof(union robo_body));
        assert_int_equal(kind->first % sizeof(double), 0);
    }
    assert_null(robo__command_of(ROBO_FIRST_OP - 1));
    assert_null(robo__command_of(ROBO_LAST_OP + 1));
    assert_null(robo__command_of(0));
}

static void test_words_of_what_moves_stand_at_their_numbers(void **state)
{
    (void)state;
    for (int i = 0; robo__moves_words[i].name; i++)
        assert_int_equal(robo__moves_words[i].number, i);
}

static void test_quantities_are_read_by_the_row(void **state)
{
    (void)state;
    struct robo_cmd cmd = { .op = ROBO_STEP,
                            .body.step = { .leg = 2, .x = 1, .y = 2, .theta = 3 } };
    const struct robo__command *kind = robo__command_of(cmd.op);
    const double *value = robo__command_values(kind, &cmd);
    assert_int_equal(kind->values, 3);
    assert_true(value[0] == 1 && value[1] == 2 && value[2] == 3);
    assert_false(robo__command_is_zero(kind, &cmd));
    memset(&cmd.body.step.x, 0, 3 * sizeof(double));
    assert_true(robo__command_is_zero(kind, &cmd));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_command_has_a_kind),
        cmocka_unit_test(test_words_of_what_moves_stand_at_their_numbers),
        cmocka_unit_test(test_quantities_are_read_by_the_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
