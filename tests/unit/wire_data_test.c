/* The protocol as data, through robotalk/messages.h alone: whoever walks its rows needs to name no field. */
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "../chain.h"
#include "robotalk/messages.h"
#include "robotalk/description.h"
#include "robotalk/words.h"

static size_t width_of(const struct robo_field *f)
{
    switch (f->kind) {
    case ROBO_FIELD_U8: return 1;
    case ROBO_FIELD_U16: return 2;
    case ROBO_FIELD_U32: return 4;
    case ROBO_FIELD_TEXT:
    case ROBO_FIELD_CHARS: return f->max + 1u;
    default: return 8;
    }
}

/* Each field lies within its struct, and whoever walks it finds no more than there is room for. */
static void check_message(const struct robo_message *m)
{
    assert_non_null(m);
    for (size_t i = 0; i < m->nfields; i++) {
        const struct robo_field *f = &m->fields[i];
        const bool text = f->kind == ROBO_FIELD_TEXT || f->kind == ROBO_FIELD_CHARS;
        const size_t most = text ? 1 : f->counter == ROBO_FIELD_FIXED ? f->count : f->max;
        assert_true(f->name[0] && f->unit && f->doc[0]);
        assert_true(f->kind <= ROBO_FIELD_PACKED && most > 0);
        assert_true(f->offset + most * width_of(f) <= m->size);
        assert_true(f->counter == ROBO_FIELD_FIXED || f->counter + 1u + f->wide <= m->size);
    }
}

TEST(every_message_is_data)
{
    const struct robo_operation *const lists[] = { robo_queries(), robo_commands(),
                                                   robo_notices() };
    for (int i = 0; i < 3; i++) {
        assert_non_null(lists[i]->name);
        for (const struct robo_operation *o = lists[i]; o->name; o++) {
            check_message(o->request);
            check_message(o->reply);
            assert_ptr_equal(robo_operation_find(lists[i], o->op), o);
            assert_ptr_equal(robo_operation_named(lists[i], o->name), o);
        }
        assert_null(robo_operation_find(lists[i], 9999));
        assert_null(robo_operation_named(lists[i], "dance"));
    }
    static const char *const named[] = { "robo_header", "robo_entry",        "robo_state",
                                         "robo_start",  "robo_result_entry", "robo_missed",
                                         "robo_part",   "robo_configuration" };
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        check_message(robo_message_named(named[i]));
        assert_string_equal(robo_message_named(named[i])->name, named[i]);
    }
    assert_null(robo_message_named("robo_binding")); /* it does not travel */
    assert_null(robo_message_named(""));
    assert_ptr_equal(robo_operation_find(robo_queries(), ROBO_Q_STATE)->reply,
                     robo_message_named("robo_reply_state"));
}

TEST(fields_are_read_by_their_rows)
{
    static struct robo_state now;
    now.dofs = 2;
    now.position[1] = 0.25;
    const struct robo_message *m = robo_message_named("robo_state");
    unsigned seen = 0;
    for (size_t i = 0; i < m->nfields; i++) {
        const struct robo_field *f = &m->fields[i];
        if (strcmp(f->name, "position") == 0) {
            const double *value = (const double *)(const void *)((const char *)&now + f->offset);
            assert_int_equal(f->kind, ROBO_FIELD_REAL64);
            assert_int_equal(robo_field_count(f, &now), 2);
            assert_true(value[1] == 0.25);
            seen++;
        } else if (strcmp(f->name, "pose") == 0) {
            assert_int_equal(robo_field_count(f, &now), 3);
            assert_string_equal(f->unit, "m");
            seen++;
        }
    }
    assert_int_equal(seen, 2);
}

TEST(every_command_has_a_kind)
{
    for (const struct robo_operation *o = robo_commands(); o->name; o++) {
        const struct robo_command_kind *kind = robo_command_kind_of(o->op);
        assert_non_null(kind);
        assert_true(kind->first + kind->values * sizeof(double) <= sizeof(union robo_cmd_body));
        assert_false(kind->goal && kind->lasting);
        bool named = false;
        for (const struct robo_word *w = robo_moves_words(); w->name; w++)
            named |= w->number == (int)kind->moves;
        assert_true(named);
    }
    assert_int_equal(robo_command_kind_of(ROBO_SET_JOINT)->moves, ROBO_MOVES_JOINT);
    assert_int_equal(robo_command_kind_of(ROBO_SET_JOINT)->servo, ROBO_SERVO_SETPOINT);
    assert_true(robo_command_kind_of(ROBO_GO_TO)->goal);
    assert_null(robo_command_kind_of(ROBO_FIRST_OP - 1));
    assert_null(robo_command_kind_of(ROBO_LAST_OP + 1));
}

TEST(every_number_has_a_word)
{
    for (const struct robo_word *w = robo_signal_words(); w->name; w++)
        assert_string_equal(robo_signal_name(w->number), w->name);
    for (const struct robo_word *w = robo_reason_words(); w->name; w++)
        assert_string_equal(robo_reason_name(w->number), w->name);
    for (const struct robo_word *w = robo_error_words(); w->name; w++) {
        assert_string_equal(robo_error_name(-w->number), w->name);
        assert_string_equal(robo_strerror(-w->number), w->doc);
    }
    assert_string_equal(robo_error_name(-9999), "UNKNOWN");
    assert_string_equal(robo_signal_name(99), "unknown");
}

/* A description's records, walked by the rows of its sections, are those of its block. */
TEST(a_body_is_written_as_it_was_read)
{
    static struct robo_description arm;
    char why[192] = "";
    uint8_t *block, *again;
    robo_body *body, *same;
    make_flat_arm(&arm, 3, ROBO_SERVO_SETPOINT, "sim");
    assert_int_equal(robo_body_make(&arm, &body, why), 0);
    const ptrdiff_t size = robo_body_write(body, NULL, 0, NULL);
    assert_true(size > 0 && (size_t)size < robo_body_most());
    block = malloc((size_t)size);
    again = malloc((size_t)size);
    assert_int_equal(robo_body_write(body, block, (size_t)size - 1, why), ROBO_EFULL);
    assert_int_equal(robo_body_write(body, block, (size_t)size, why), size);
    assert_int_equal(robo_body_read(block, (size_t)size, NULL, &same, why), 0);
    assert_int_equal(robo_body_write(same, again, (size_t)size, NULL), size);
    assert_memory_equal(block, again, (size_t)size);

    const struct robo_description *d = robo_body_description(same);
    unsigned sections = 0;
    for (const struct robo_section *s = robo_sections(); s->noun; s++, sections++) {
        const uint16_t count = *(const uint16_t *)(const void *)((const char *)d + s->count);
        const char *first = *(const char *const *)(const void *)((const char *)d + s->first);
        const struct robo_message *record = robo_message_named(s->record);
        check_message(record);
        assert_int_equal(record->size, s->size);
        assert_true(count <= s->most);
        if (strcmp(s->noun, "joint") == 0) {
            assert_int_equal(count, arm.joints);
            assert_memory_equal(first, d->joint, count * s->size);
        }
    }
    assert_int_equal(sections, 8);
    free(block);
    free(again);
    robo_body_release(same);
    robo_body_release(body);
}

/* A position beyond what an integer on the wire can hold: the body cannot be made, or its block says which field it is. */
TEST(what_does_not_fit_is_named)
{
    static struct robo_description arm;
    char why[192] = "";
    static uint8_t block[1 << 16];
    robo_body *body;
    make_flat_arm(&arm, 3, ROBO_SERVO_SETPOINT, "sim");
    arm.joint[1].inboard[0] = 1e12;
    assert_int_equal(robo_body_make(&arm, &body, why), 0);
    assert_int_equal(robo_body_write(body, block, sizeof block, why), ROBO_ERANGE);
    assert_string_equal(why, "inboard");
    assert_int_equal(robo_body_write(body, block, sizeof block, NULL), ROBO_ERANGE);
    robo_body_release(body);
}
