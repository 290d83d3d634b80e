/* Every message of the wire: its golden vectors, field by field, and its tables. */
#include <math.h>

#include "wire_vectors.h"

/* ---- a reader for the Lua of the vectors: numbers, plain strings, tables ---- */

struct node {
    char kind; /* n number, s string, t table */
    const char *text, *key;
    int length, key_length; /* key_length 0: by position */
    struct node *child, *next;
};

static struct node nodes[8192];
static size_t node_count;

static void blank(const char **at)
{
    *at += strspn(*at, " \t\n");
}

static struct node *read_node(const char **at)
{
    assert_true(node_count < sizeof nodes / sizeof *nodes);
    struct node *v = &nodes[node_count++];
    *v = (struct node){ 0 };
    blank(at);
    if (**at == '"') {
        v->kind = 's';
        v->text = *at + 1;
        v->length = (int)strcspn(v->text, "\"\\");
        *at = v->text + v->length;
        assert_int_equal(**at, '"');
        ++*at;
    } else if (**at == '{') {
        v->kind = 't';
        struct node **last = &v->child;
        for (++*at, blank(at); **at != '}'; blank(at)) {
            const char *key = *at;
            int length = (int)strspn(key, "abcdefghijklmnopqrstuvwxyz_");
            if (strncmp(key, "false", 5) == 0) /* an item of a list */
                length = 0;
            *at += length;
            if (length) {
                blank(at);
                assert_int_equal(**at, '=');
                ++*at;
            }
            struct node *child = read_node(at);
            child->key = key;
            child->key_length = length;
            *last = child;
            last = &child->next;
            blank(at);
            if (**at == ',')
                ++*at;
            else
                assert_int_equal(**at, '}');
        }
        ++*at;
    } else if (strncmp(*at, "false", 5) == 0) {
        v->kind = 'f';
        *at += 5;
    } else {
        v->kind = 'n';
        v->text = *at;
        v->length = (int)strspn(*at, "+-.0123456789");
        assert_true(v->length > 0);
        *at += v->length;
    }
    return v;
}

static const struct node *member(const struct node *table, const char *key)
{
    assert_int_equal(table->kind, 't');
    for (const struct node *v = table->child; v; v = v->next)
        if (v->key_length == (int)strlen(key) && memcmp(v->key, key, strlen(key)) == 0)
            return v;
    return NULL;
}

static size_t members(const struct node *table)
{
    size_t n = 0;
    for (const struct node *v = table->child; v; v = v->next)
        n++;
    return n;
}

static int says(const struct node *v, const char *text)
{
    return v && v->kind == 's' && v->length == (int)strlen(text) &&
           memcmp(v->text, text, strlen(text)) == 0;
}

/* Decimal seconds to nanoseconds, exactly. */
static robo_time nanoseconds(const struct node *v)
{
    assert_int_equal(v->kind, 'n');
    int negative = *v->text == '-', decimals = -1;
    uint64_t ns = 0;
    for (int i = negative; i < v->length; i++) {
        if (v->text[i] == '.') {
            decimals = 0;
            continue;
        }
        ns = ns * 10 + (uint64_t)(v->text[i] - '0');
        decimals += decimals >= 0;
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 9; decimals++)
        ns *= 10;
    assert_true(ns <= INT64_MAX);
    return negative ? -(robo_time)ns : (robo_time)ns;
}

/* ---- every field of every vector ---- */

static const char *const types[] = { "none", "query", "command", "reply", "signal", "notice" };

static void compare_value(const struct node *v, const struct robo_field *f, const uint8_t *at)
{
    uint64_t integer = 0;
    double real;
    int64_t time;
    switch ((enum robo_field_kind)f->kind) {
    case ROBO_FIELD_U8:
        if (v->kind == 's') { /* a word for a number */
            const char *word = strcmp(f->name, "signal") == 0   ? robo_signal_name(*at)
                               : strcmp(f->name, "reason") == 0 ? robo_reason_name(*at)
                               : strcmp(f->name, "type") == 0   ? types[*at]
                                                                : "";
            assert_true(says(v, word));
            return;
        }
        integer = *at;
        break;
    case ROBO_FIELD_U16: {
        uint16_t u;
        memcpy(&u, at, sizeof u);
        integer = u;
        break;
    }
    case ROBO_FIELD_U32: {
        uint32_t u;
        memcpy(&u, at, sizeof u);
        integer = u;
        break;
    }
    case ROBO_FIELD_U64:
    case ROBO_FIELD_I64: memcpy(&integer, at, sizeof integer); break;
    case ROBO_FIELD_TIME:
        memcpy(&time, at, sizeof time);
        /* false: there is no such instant */
        assert_int_equal(time, v->kind == 'f' ? ROBO_NO_TIME : nanoseconds(v));
        return;
    case ROBO_FIELD_REAL64:
    case ROBO_FIELD_REAL32:
        /* to the last bit: decoding gives the double nearest to the decimal number */
        memcpy(&real, at, sizeof real);
        assert_int_equal(v->kind, 'n');
        assert_true(real == strtod(v->text, NULL));
        return;
    case ROBO_FIELD_PACKED:
        memcpy(&real, at, sizeof real);
        assert_true(v->kind == 'f' ? isnan(real) : real == strtod(v->text, NULL));
        return;
    case ROBO_FIELD_TEXT:
    case ROBO_FIELD_CHARS: assert_true(says(v, (const char *)at)); return;
    }
    assert_int_equal(v->kind, 'n');
    assert_true(integer == (*v->text == '-' ? (uint64_t)strtoll(v->text, NULL, 10)
                                            : strtoull(v->text, NULL, 10)));
}

static size_t host_size(const struct robo_field *f)
{
    switch ((enum robo_field_kind)f->kind) {
    case ROBO_FIELD_U8: return 1;
    case ROBO_FIELD_U16: return 2;
    case ROBO_FIELD_U32: return 4;
    case ROBO_FIELD_TEXT:
    case ROBO_FIELD_CHARS: return (size_t)f->max + 1;
    default: return 8;
    }
}

static void compare_message(const struct node *table, const struct robo_message *message,
                            const void *msg)
{
    const uint8_t *base = msg;
    for (size_t i = 0; i < message->nfields; i++) {
        const struct robo_field *f = &message->fields[i];
        const struct node *v = member(table, f->name);
        if (!v)
            fail_msg("no %s.%s", message->name, f->name);
        if (f->kind == ROBO_FIELD_TEXT || f->kind == ROBO_FIELD_CHARS ||
            (f->counter == ROBO_FIELD_FIXED && f->count == 1)) {
            compare_value(v, f, base + f->offset);
            continue;
        }
        size_t count = robo_field_count(f, base);
        assert_int_equal(members(v), count);
        const uint8_t *at = base + f->offset;
        for (const struct node *e = v->child; e; e = e->next, at += host_size(f))
            compare_value(e, f, at);
        /* and nothing beyond the count */
        for (; count < f->max; count++, at += host_size(f))
            for (size_t b = 0; b < host_size(f); b++)
                assert_int_equal(at[b], 0);
    }
}

/* ---- a move, which no table tells ---- */

static void compare_reals(const struct node *list, const double *at, size_t stride, size_t n)
{
    assert_non_null(list);
    assert_int_equal(members(list), n);
    for (const struct node *v = list->child; v; v = v->next, at += stride)
        assert_true(*at == strtod(v->text, NULL));
}

static int is_number(const struct node *v, unsigned long number)
{
    return v && v->kind == 'n' && strtoul(v->text, NULL, 10) == number;
}

/* How many fields of the entry were looked at. */
static size_t compare_move(const struct node *e, const struct robo_move *m)
{
    static const struct {
        const char *name;
        uint8_t servo;
    } groups[] = { { "setpoints", ROBO_SERVO_SETPOINT },
                   { "speeds", ROBO_SERVO_SPEED },
                   { "forces", ROBO_SERVO_FORCE } };
    const size_t stride = sizeof *m->dof / sizeof(double);
    size_t fields = 1, at = 0;
    assert_true(is_number(member(e, "parts"), m->parts));
    if (m->parts & (ROBO_MOVE_PLACE | ROBO_MOVE_SPEED)) {
        compare_reals(member(e, "base"), m->base, 1, 3);
        fields++;
    }
    for (size_t g = 0; g < 3; g++) {
        const struct node *group = member(e, groups[g].name);
        size_t n = 0, inside = 2;
        while (at + n < m->dofs && m->dof[at + n].servo == groups[g].servo)
            n++;
        assert_int_equal(group != NULL, n > 0);
        if (n == 0)
            continue;
        const struct node *dof = member(group, "dofs")->child;
        for (size_t i = 0; i < n; i++, dof = dof->next)
            assert_true(is_number(dof, m->dof[at + i].dof));
        assert_null(dof);
        compare_reals(member(group, "value"), &m->dof[at].value, stride, n);
        if (g == 0 && m->parts & ROBO_MOVE_VELOCITIES && ++inside)
            compare_reals(member(group, "velocity"), &m->dof[at].velocity, stride, n);
        if (g == 0 && m->parts & ROBO_MOVE_LIMITS && ++inside)
            compare_reals(member(group, "limit"), &m->dof[at].limit, stride, n);
        assert_int_equal(members(group), inside);
        at += n;
        fields++;
    }
    assert_int_equal(at, m->dofs);
    if (m->frames == 0)
        return fields;
    const struct node *list = member(e, "frames");
    assert_non_null(list);
    assert_int_equal(members(list), m->frames);
    const struct robo_move_frame *frame = m->frame;
    for (const struct node *v = list->child; v; v = v->next, frame++) {
        assert_true(is_number(member(v, "frame"), frame->frame));
        assert_true(is_number(member(v, "servo"), frame->servo));
        assert_true(is_number(member(v, "free"), frame->free));
        compare_reals(member(v, "values"), frame->value, 1, 6);
    }
    return fields + 1;
}

struct expected {
    const struct node *entry; /* the next one */
};

static void compare_entry(void *context, unsigned index, const struct unpacked *u)
{
    struct expected *expected = context;
    const struct node *e = expected->entry;
    assert_non_null(e);
    expected->entry = e->next;
    assert_true(says(member(e, "op"), u->name));
    const struct node *id = member(e, "id");
    assert_non_null(id);
    assert_int_equal(u->head.id, strtoull(id->text, NULL, 10));
    size_t fields = 2;
    if (u->first) {
        compare_message(e, u->first, u->first_msg);
        fields += u->first->nfields;
    }
    if (u->body) {
        compare_message(e, u->body, u->msg);
        fields += u->body->nfields;
    }
    if (u->name && strcmp(u->name, "move") == 0 && u->first == &robo_start_message)
        fields += compare_move(e, &u->move);
    if (u->part_count > 0) {
        const struct node *parts = member(e, "parts");
        assert_non_null(parts);
        assert_int_equal(members(parts), u->part_count);
        const struct robo_part *part = u->part;
        for (const struct node *v = parts->child; v; v = v->next, part++)
            compare_message(v, &robo_part_message, part);
        fields++;
    }
    assert_int_equal(members(e), fields);
}

ONCE(load_vectors, free_vectors);

TEST(vectors)
{
    size_t good = 0;
    for (size_t i = 0; i < vector_count; i++) {
        const struct vector *v = &vectors[i];
        if (v->bad || v->skip)
            continue;
        node_count = 0;
        const char *at = v->lua;
        const struct node *table = read_node(&at);
        blank(&at);
        assert_int_equal(*at, 0);
        assert_int_equal(members(table), 2);

        struct expected expected = { member(table, "entries")->child };
        struct package k = { .entry = compare_entry, .context = &expected };
        uint8_t *out = guarded_room(v->n);
        ptrdiff_t used = repack(&k, guard(v->bytes, v->n), v->n, out, v->n);
        if (used != (ptrdiff_t)v->n)
            fail_msg("%s: %s at %zu, %s", v->name, robo_strerror((int)used), k.offset,
                     k.field ? k.field : "");
        assert_null(expected.entry);
        compare_message(member(table, "header"), &robo_header_message, &k.header);
        assert_int_equal(members(member(table, "header")), robo_header_message.nfields);
        assert_memory_equal(out, v->bytes, v->n);
        good++;
    }
    assert_true(good >= 55);
}

/* What this version does not know is skipped: the package means what another vector says. */
TEST(skipped)
{
    static uint8_t out[LARGEST_VECTOR];
    size_t skipped = 0;
    for (size_t i = 0; i < vector_count; i++) {
        const struct vector *v = &vectors[i], *same = vectors;
        if (!v->skip)
            continue;
        node_count = 0;
        const char *at = v->lua;
        const struct node *name = member(read_node(&at), "same");
        while (same < vectors + vector_count &&
               (same->skip || strncmp(same->name, name->text, (size_t)name->length) != 0 ||
                strcmp(same->name + name->length, ".txt") != 0))
            same++;
        assert_true(same < vectors + vector_count);
        struct package k = { 0 };
        ptrdiff_t used = repack(&k, guard(v->bytes, v->n), v->n, out, sizeof out);
        if (used != (ptrdiff_t)v->n || !k.skipped || memcmp(out, same->bytes, same->n) != 0)
            fail_msg("%s: %s at %zu, %s", v->name, robo_strerror((int)used), k.offset,
                     k.field ? k.field : "");
        skipped++;
    }
    assert_true(skipped >= 12);
}

/* Whatever follows what an entry has to say. */
static void lengthen(const struct vector *v, size_t by, uint8_t *longer, size_t *n)
{
    size_t at = 0, from = 0;
    struct robo_entry head;
    const uint8_t *body, *payload = v->bytes + ROBO_HEADER_SIZE;
    memcpy(longer, v->bytes, ROBO_HEADER_SIZE);
    *n = ROBO_HEADER_SIZE;
    while (robo_next_entry(payload, v->n - ROBO_HEADER_SIZE, &at, &head, &body) > 0) {
        memcpy(longer + *n, payload + from, at - from);
        longer[*n + 2] = (uint8_t)((head.size + by) >> 8);
        longer[*n + 3] = (uint8_t)(head.size + by);
        memset(longer + *n + (at - from), 0xaa, by);
        *n += at - from + by;
        from = at;
    }
    size_t size = *n - ROBO_HEADER_SIZE;
    for (int i = 0; i < 4; i++)
        longer[8 + i] = (uint8_t)(size >> (24 - 8 * i));
}

/* Behind an entry that ends before the fields that may be missing, bytes would be those. */
static void note_end(void *context, unsigned index, const struct unpacked *u)
{
    const struct robo_message *m = u->body;
    if (m && m->least < m->nfields && ((const uint8_t *)u->msg)[m->fields[m->least].offset] == 0)
        *(int *)context = 1;
}

TEST(trailing_bytes)
{
    static uint8_t longer[2 * LARGEST_VECTOR], out[LARGEST_VECTOR];
    for (size_t i = 0; i < vector_count; i++) {
        const struct vector *v = &vectors[i];
        /* behind a result stand what it missed and its parts: two bytes there would be a number of them */
        const size_t most = v->n > 4 && v->bytes[4] == ROBO_TYPE_SIGNAL ? 2 : 16;
        int ends_early = 0;
        struct package seen_whole = { .entry = note_end, .context = &ends_early };
        if (v->bad || v->skip || v->n == ROBO_HEADER_SIZE)
            continue;
        repack(&seen_whole, guard(v->bytes, v->n), v->n, out, sizeof out);
        for (size_t by = 1; by < most && !ends_early; by += 7) {
            size_t n;
            lengthen(v, by, longer, &n);
            struct package k = { 0 };
            assert_int_equal(repack(&k, guard(longer, n), n, out, sizeof out), n);
            assert_true(k.skipped);
            assert_memory_equal(out, v->bytes, v->n);
        }
    }
}

/* Every message of the specification has a vector. */
static unsigned char seen[ROBO_TYPE_NOTICE + 1][1024];

static void note_entry(void *context, unsigned index, const struct unpacked *u)
{
    const uint8_t *type = context;
    seen[*type][u->head.op] = 1;
}

TEST(all_messages_have_vectors)
{
    static uint8_t out[LARGEST_VECTOR];
    for (size_t i = 0; i < vector_count; i++) {
        struct package k = { .entry = note_entry };
        k.context = &k.header.type;
        if (!vectors[i].bad && !vectors[i].skip)
            repack(&k, vectors[i].bytes, vectors[i].n, out, sizeof out);
    }
    for (const struct robo_operation *op = robo__queries; op->name; op++)
        if (!seen[ROBO_TYPE_QUERY][op->op] || !seen[ROBO_TYPE_REPLY][op->op])
            fail_msg("query %s has no vectors", op->name);
    for (const struct robo_operation *op = robo__commands; op->name; op++)
        if (!seen[ROBO_TYPE_COMMAND][op->op])
            fail_msg("command %s has no vector", op->name);
    for (const struct robo_operation *op = robo__notices; op->name; op++)
        if (!seen[ROBO_TYPE_NOTICE][op->op])
            fail_msg("notice %s has no vector", op->name);
}

TEST(malformed)
{
    static uint8_t out[LARGEST_VECTOR];
    size_t bad = 0;
    for (size_t i = 0; i < vector_count; i++) {
        const struct vector *v = &vectors[i];
        if (!v->bad)
            continue;
        node_count = 0;
        const char *at = v->lua;
        const struct node *table = read_node(&at), *field = member(table, "field");
        struct package k = { 0 };
        ptrdiff_t used = repack(&k, guard(v->bytes, v->n), v->n, out, sizeof out);
        if (used >= 0)
            fail_msg("%s: was read", v->name);
        if (!says(member(table, "error"), robo_error_name((int)used)))
            fail_msg("%s: %s", v->name, robo_error_name((int)used));
        if (k.offset != strtoull(member(table, "offset")->text, NULL, 10))
            fail_msg("%s: at %zu", v->name, k.offset);
        if (field ? !k.field || !says(field, k.field) : k.field != NULL)
            fail_msg("%s: field %s", v->name, k.field ? k.field : "none");
        bad++;
    }
    assert_true(bad >= 45);
}

/* ---- lists and tables ---- */

TEST(find)
{
    const struct robo_operation *const lists[] = { robo__queries, robo__commands, robo__notices,
                                                   robo__commands + 1 };
    for (size_t i = 0; i < 4; i++)
        for (unsigned op = 0; op <= UINT16_MAX; op++) {
            const struct robo_operation *want = NULL;
            for (const struct robo_operation *at = lists[i]; at->name; at++)
                if (at->op == op)
                    want = at;
            assert_ptr_equal(robo_operation_find(lists[i], (uint16_t)op), want);
            if (want)
                assert_ptr_equal(robo_operation_named(lists[i], want->name), want);
        }
    assert_null(robo_operation_named(robo__commands, "goto"));
    assert_null(robo_operation_named(robo__commands, ""));
}

static size_t wire_size(const struct robo_field *f)
{
    return f->kind == ROBO_FIELD_REAL32 ? 4 : f->kind == ROBO_FIELD_TEXT ? 2 : host_size(f);
}

static void check_table(const struct robo_message *m)
{
    size_t wire = 0;
    for (size_t i = 0; i < m->nfields; i++) {
        const struct robo_field *f = &m->fields[i];
        assert_true(f->counter != ROBO_FIELD_FIXED || f->count >= 1);
        size_t most = f->kind == ROBO_FIELD_TEXT || f->kind == ROBO_FIELD_CHARS ? 1
                      : f->counter == ROBO_FIELD_FIXED                          ? f->count
                                                                                : f->max;
        assert_true(f->offset + most * host_size(f) <= m->size);
        wire += most * wire_size(f) + (f->kind == ROBO_FIELD_TEXT ? f->max : 0);
        /* the loop relies on counts being short integers that come first */
        int counted = f->counter == ROBO_FIELD_FIXED;
        for (size_t j = 0; j < i; j++)
            counted |= m->fields[j].offset == f->counter &&
                       m->fields[j].kind == (f->wide ? ROBO_FIELD_U16 : ROBO_FIELD_U8);
        assert_true(counted);
        if (f->kind == ROBO_FIELD_REAL64 || f->kind == ROBO_FIELD_REAL32)
            assert_true(f->per == 1e6 || f->per == 1e9 || f->per == 1e12);
    }
    assert_true(m->least <= m->nfields);
    assert_true(m->size <= sizeof(struct robo_reply_state));
    assert_true(wire + 8 <= UINT16_MAX);
}

TEST(tables)
{
    const struct robo_operation *const lists[] = { robo__queries, robo__commands, robo__notices };
    for (size_t i = 0; i < 3; i++)
        for (const struct robo_operation *op = lists[i]; op->name; op++) {
            check_table(op->request);
            check_table(op->reply);
        }
    check_table(&robo_header_message);
    check_table(&robo_entry_message);
    check_table(&robo_start_message);
    check_table(&robo_result_entry_message);

    const struct robo_message *empty = robo_operation_find(robo__queries, ROBO_Q_STATUS)->request;
    assert_int_equal(robo_message_encode(empty, NULL, NULL, 0, NULL), 0);
    assert_int_equal(robo_message_decode(empty, NULL, 0, NULL, NULL), 0);
}
