/* Packages of the wire: cut off, with each bit flipped, without room, refused, and the largest. */
#include <math.h>

#include "wire_vectors.h"

/* ---- prefixes, flips, small buffers ---- */

/* What is cut short is never an error of its body, and never read beyond. */
static void cut_message(const struct robo_message *message, const void *msg)
{
    uint8_t bytes[4096];
    ptrdiff_t n = robo_message_encode(message, msg, bytes, sizeof bytes, NULL);
    assert_true(n >= 0);
    /* it may end before fields that need not be there: that is another message */
    struct robo_message must = *message;
    must.nfields = must.least;
    ptrdiff_t whole =
        must.least < message->nfields
            ? robo_message_encode(&must, msg, guarded_room(sizeof bytes), sizeof bytes, NULL)
            : n;
    for (size_t k = 0; k < (size_t)n; k++) {
        static uint8_t untouched[sizeof(struct robo_reply_state)], place[sizeof untouched];
        if (k == (size_t)whole) {
            assert_int_equal(robo_message_decode(message, guard(bytes, k), k, place, NULL), k);
            continue;
        }
        memset(untouched, 0xa5, sizeof untouched);
        memcpy(place, untouched, sizeof place);
        assert_int_equal(robo_message_decode(message, guard(bytes, k), k, place, NULL), 0);
        assert_memory_equal(place, untouched, sizeof place);
        assert_int_equal(robo_message_encode(message, msg, guarded_room(k), k, NULL), ROBO_EFULL);
    }
}

static void cut_entry(void *context, unsigned index, const struct unpacked *u)
{
    if (u->first)
        cut_message(u->first, u->first_msg);
    if (u->body)
        cut_message(u->body, u->msg);
}

static void cut_move(const struct unpacked *u)
{
    uint8_t bytes[4096];
    struct robo_package p;
    struct robo_cmd cmd = u->as.cmd;
    cmd.body.move = (struct robo_move *)&u->move;
    assert_int_equal(robo_package_begin(&p, bytes, sizeof bytes), 0);
    assert_int_equal(robo_package_add_command(&p, &cmd), 0);
    assert_int_equal(p.used, ROBO_HEADER_SIZE + ROBO_ENTRY_SIZE + u->head.size);
    assert_in_range(robo__move_most(&u->move), u->head.size - 8, u->head.size + 4096);
    struct robo_entry head = u->head;
    for (head.size = 0; head.size < u->head.size; head.size++) {
        struct robo_move counts = { 0 };
        const char *where = NULL;
        const uint8_t *body = bytes + ROBO_HEADER_SIZE + ROBO_ENTRY_SIZE;
        assert_int_equal(robo_move_decode(&head, guard(body, head.size), NULL, &counts, &where),
                         ROBO_EBODY);
        assert_string_equal(where, "size");
        /* nor does it fit into less room than it takes */
        const size_t room = ROBO_HEADER_SIZE + ROBO_ENTRY_SIZE + head.size;
        assert_int_equal(robo_package_begin(&p, guarded_room(room), room), 0);
        assert_int_equal(robo_package_add_command(&p, &cmd), ROBO_EFULL);
    }
}

static void cut_command(void *context, unsigned index, const struct unpacked *u)
{
    if (u->head.op == ROBO_MOVE) {
        cut_move(u);
        return;
    }
    uint8_t bytes[4096];
    ptrdiff_t n = robo_message_encode(u->first, &u->start, bytes, sizeof bytes, NULL);
    n += robo_message_encode(u->body, u->msg, bytes + n, sizeof bytes - (size_t)n, NULL);
    assert_int_equal(n, u->head.size);
    struct robo_entry head = u->head;
    for (head.size = 0; head.size < u->head.size; head.size++) {
        struct robo_cmd cmd, untouched;
        memset(&untouched, 0xa5, sizeof untouched);
        memcpy(&cmd, &untouched, sizeof cmd);
        const char *where = NULL;
        assert_int_equal(robo_command_decode(&head, guard(bytes, head.size), &cmd, &where),
                         ROBO_EBODY);
        assert_string_equal(where, "size");
        assert_memory_equal(&cmd, &untouched, sizeof cmd);
    }
}

ONCE(load_vectors, free_vectors);

TEST(prefixes)
{
    static uint8_t out[LARGEST_VECTOR];
    for (size_t i = 0; i < vector_count; i++) {
        const struct vector *v = &vectors[i];
        struct package k = { 0 };
        for (size_t n = 0; n < v->n; n++) {
            ptrdiff_t used = repack(&k, guard(v->bytes, n), n, out, sizeof out);
            if (!v->bad)
                assert_int_equal(used, 0);
            else
                assert_true(used <= 0);
            if (n < ROBO_HEADER_SIZE) {
                struct robo_header header;
                assert_int_equal(
                    robo_message_decode(&robo_header_message, guard(v->bytes, n), n, &header, NULL),
                    0);
            }
        }
        if (v->bad || v->skip)
            continue;
        k.entry = cut_entry;
        repack(&k, v->bytes, v->n, out, sizeof out);
        k.entry = cut_command;
        if (k.header.type == ROBO_TYPE_COMMAND)
            repack(&k, v->bytes, v->n, out, sizeof out);

        /* a payload that ends early ends between entries or is of the wrong size */
        const size_t payload = v->n - ROBO_HEADER_SIZE;
        for (size_t n = 0; n < payload; n++) {
            const uint8_t *cut = guard(v->bytes + ROBO_HEADER_SIZE, n), *body = NULL;
            struct robo_entry head;
            size_t at = 0, before = 0;
            int more;
            while ((more = robo_next_entry(cut, n, &at, &head, &body)) > 0)
                before = at;
            assert_int_equal(at, before);
            assert_int_equal(more, at == n ? 0 : ROBO_ESIZE);
        }
    }
    size_t beyond = 9;
    struct robo_entry head;
    const uint8_t *body;
    assert_int_equal(robo_next_entry(out, 8, &beyond, &head, &body), ROBO_ESIZE);
}

TEST(bit_flips)
{
    static uint8_t out[ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD];
    for (size_t i = 0; i < vector_count; i++) {
        struct vector *v = &vectors[i];
        for (size_t bit = 0; bit < v->n * 8; bit++) {
            const uint8_t mask = (uint8_t)(1U << (bit % 8));
            v->bytes[bit / 8] ^= mask;
            struct package k = { 0 };
            ptrdiff_t used = repack(&k, guard(v->bytes, v->n), v->n, out, sizeof out);
            assert_true(used <= (ptrdiff_t)v->n);
            assert_true(used >= 0 || used == ROBO_EMAGIC || used == ROBO_EVERSION ||
                        used == ROBO_ETYPE || used == ROBO_ESIZE || used == ROBO_ERANGE ||
                        used == ROBO_EOP || used == ROBO_EBODY);
            if (used > 0 && !k.skipped)
                assert_memory_equal(out, v->bytes, (size_t)used);
            v->bytes[bit / 8] ^= mask;
        }
    }
}

TEST(small_buffers)
{
    for (size_t i = 0; i < vector_count; i++) {
        const struct vector *v = &vectors[i];
        if (v->bad || v->skip)
            continue;
        for (size_t room = 0; room < v->n; room++) {
            struct package k = { 0 };
            /* repack_entry sees to it that the package stays as it was */
            assert_int_equal(repack(&k, v->bytes, v->n, guarded_room(room), room), ROBO_EFULL);
        }
    }
}

/* ---- packages as they are made ---- */

/* A refused entry leaves what is there, and the package can go on. */
TEST(refused_entry)
{
    uint8_t out[128];
    struct robo_package p;
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .id = 1 };

    assert_int_equal(robo_package_begin(&p, out, ROBO_HEADER_SIZE - 1), ROBO_EFULL);
    assert_int_equal(p.used, 0);
    assert_int_equal(robo_package_add_command(&p, &cmd), ROBO_EINVAL);
    struct robo_header header = { .type = ROBO_TYPE_COMMAND, .id = 5 };
    assert_int_equal(robo_package_end(&p, &header), ROBO_EINVAL);
    /* a frame without what it counts */
    struct robo_move none = { .frames = 1 };
    struct robo_cmd frame = { .op = ROBO_MOVE, .start = ROBO_AT_ONCE };
    assert_int_equal(robo_package_begin(&p, out, sizeof out), 0);
    assert_int_equal(robo_package_add_command(&p, &frame), ROBO_EINVAL);
    frame.body.move = &none;
    assert_int_equal(robo_package_add_command(&p, &frame), ROBO_EINVAL);
    assert_int_equal(p.used, ROBO_HEADER_SIZE);

    assert_int_equal(robo_package_begin(&p, out, sizeof out), 0);
    assert_int_equal(robo_package_add_command(&p, &cmd), 0);
    const size_t used = p.used;
    cmd.body.set_speed.theta = NAN;
    assert_int_equal(robo_package_add_command(&p, &cmd), ROBO_ERANGE);
    assert_int_equal(p.used, used);
    assert_int_equal(p.count, 1);
    cmd.op = ROBO_LAST_OP + 1;
    assert_int_equal(robo_package_add_command(&p, &cmd), ROBO_EOP);
    assert_int_equal(p.used, used);
    assert_int_equal(p.count, 1);
    cmd = (struct robo_cmd){ .op = ROBO_STOP, .id = 2, .start = INT64_MAX };
    assert_int_equal(robo_package_add_command(&p, &cmd), ROBO_ERANGE);
    assert_int_equal(p.used, used);
    assert_int_equal(p.count, 1);
    cmd.start = 0;
    assert_int_equal(robo_package_add_command(&p, &cmd), 0);

    /* and a header that nobody would take does not leave */
    struct robo_header wrong = header;
    wrong.type = ROBO_TYPE_NOTICE + 1;
    assert_int_equal(robo_package_end(&p, &wrong), ROBO_ETYPE);
    wrong = header;
    wrong.flags = 4;
    assert_int_equal(robo_package_end(&p, &wrong), ROBO_ETYPE);
    wrong = header;
    wrong.type = ROBO_TYPE_NONE;
    assert_int_equal(robo_package_end(&p, &wrong), ROBO_ESIZE);
    wrong = header;
    wrong.stamp = INT64_MIN + 1;
    assert_int_equal(robo_package_end(&p, &wrong), ROBO_ERANGE);
    assert_int_equal(wrong.count, 0);
    assert_int_equal(robo_package_end(&p, &header), 32 + 40 + 19);
    assert_int_equal(header.count, 2);
    assert_int_equal(header.size, 59);
    struct robo_header read;
    assert_int_equal(robo_header_decode(out, &read), 0);
    assert_memory_equal(&read, &header, sizeof read);
}

/* A command has its word however far the frame is from its goal. */
TEST(result_far_away)
{
    const double most = 0x1p51 / 1e6, far[] = { most, 3.9e9, 1e300, INFINITY, NAN };
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        uint8_t out[128];
        struct robo_package p;
        struct robo_result said = { .op = ROBO_SET_FRAME,
                                    .signal = ROBO_MODIFIED,
                                    .reason = ROBO_WHY_LIMIT,
                                    .position_error = far[i],
                                    .rotation_error = far[i] },
                           heard;
        assert_int_equal(robo_package_begin(&p, out, sizeof out), 0);
        assert_int_equal(robo_package_add_result(&p, &said), 0);
        size_t at = 0;
        struct robo_entry entry;
        const uint8_t *body;
        const size_t size = p.used - ROBO_HEADER_SIZE;
        assert_int_equal(robo_next_entry(out + ROBO_HEADER_SIZE, size, &at, &entry, &body), 1);
        assert_int_equal(robo_result_decode(&entry, body, &heard), 0);
        assert_true(heard.position_error == most);
        assert_true(heard.rotation_error == most);
    }
}

/* The errors of control frames stand behind the result of a move where there is an error to tell, or a list of parts. */
TEST(result_of_a_move)
{
    const struct robo_part parts[] = { { .signal = ROBO_MODIFIED, .reason = ROBO_WHY_LIMIT } };
    const struct {
        double error;
        size_t count, size;
    } cases[] = { { 0, 0, 26 }, { 0.25, 0, 42 }, { 0, 1, 49 }, { 0.25, 1, 49 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t out[128];
        struct robo_package p;
        struct robo_result said = { .op = ROBO_MOVE,
                                    .signal = ROBO_SUCCESS,
                                    .position_error = cases[i].error };
        assert_int_equal(robo_package_begin(&p, out, sizeof out), 0);
        assert_int_equal(robo_package_add_parts(&p, &said, parts, cases[i].count), 0);
        assert_int_equal(p.used, ROBO_HEADER_SIZE + ROBO_ENTRY_SIZE + cases[i].size);
    }
}

TEST(largest_package)
{
    static uint8_t out[2 * ROBO_MAX_PAYLOAD];
    struct robo_package p;
    struct robo_header header = { .type = ROBO_TYPE_QUERY };
    const struct robo_message *none = robo_operation_find(robo__queries, ROBO_Q_STATUS)->request;
    assert_int_equal(robo_package_begin(&p, out, sizeof out), 0);
    for (uint32_t i = 0; i < ROBO_MAX_PAYLOAD / ROBO_ENTRY_SIZE; i++)
        assert_int_equal(robo_package_add(&p, ROBO_Q_STATUS, i, NULL, NULL, none, NULL), 0);
    assert_int_equal(robo_package_add(&p, ROBO_Q_STATUS, 0, NULL, NULL, none, NULL), ROBO_EFULL);
    assert_int_equal(robo_package_end(&p, &header), ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD);
    struct package k = { 0 };
    static uint8_t again[2 * ROBO_MAX_PAYLOAD];
    assert_int_equal(repack(&k, out, sizeof out, again, sizeof again),
                     ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD);
    assert_memory_equal(out, again, ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD);
}

TEST(header_filled)
{
    /* of another version, too: a server says which package it refused */
    static const uint8_t in[ROBO_HEADER_SIZE] = { 0x52, 0x54, 7, 1, 9, 1, 0, 2, 0, 2, 0, 0,   0,
                                                  0,    0,    5, 0, 0, 0, 6, 0, 8, 0, 9, 0x80 };
    struct robo_header h;
    assert_int_equal(robo_header_decode(in, &h), ROBO_EVERSION);
    assert_int_equal(h.version, 7);
    assert_int_equal(h.flags, ROBO_FLAG_PANIC);
    assert_int_equal(h.count, 2);
    assert_int_equal(h.size, 131072);
    assert_int_equal(h.id, 5);
    assert_int_equal(h.session, 6);
    assert_int_equal(h.epoch, 8);
    assert_int_equal(h.stops, 9);
    assert_int_equal(h.stamp, ROBO_NO_TIME);
}

/* It is read and written by hand: just as its table says. */
TEST(header_as_its_table)
{
    const struct robo_header said = { .magic = ROBO_MAGIC,
                                      .version = ROBO_VERSION,
                                      .flags = ROBO_FLAG_RESET,
                                      .type = ROBO_TYPE_COMMAND,
                                      .revision = 0x11,
                                      .id = 0x12131415,
                                      .session = 0x16171819,
                                      .epoch = 0x1a1b,
                                      .stops = 0x1c1d,
                                      .stamp = -0x1e1f20212223 * 1000 };
    struct robo_header header = said, read, table = { 0 };
    uint8_t out[ROBO_HEADER_SIZE], by_table[ROBO_HEADER_SIZE];
    struct robo_package p;
    assert_int_equal(robo_header_message.bytes, ROBO_HEADER_SIZE);
    for (int i = 0; i < 2; i++, header.stamp = ROBO_NO_TIME) {
        assert_int_equal(robo_package_begin(&p, out, sizeof out), 0);
        assert_int_equal(robo_package_end(&p, &header), sizeof out);
        assert_int_equal(
            robo_message_encode(&robo_header_message, &header, by_table, sizeof by_table, NULL),
            sizeof by_table);
        assert_memory_equal(out, by_table, sizeof out);
        assert_int_equal(robo_header_decode(out, &read), 0);
        assert_int_equal(robo_message_decode(&robo_header_message, out, sizeof out, &table, NULL),
                         sizeof out);
        assert_memory_equal(&read, &table, sizeof read);
        assert_memory_equal(&read, &header, sizeof read);
    }
}
