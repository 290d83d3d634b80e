/* The wire: golden vectors of tests/wire, and what must hold for any bytes and values. Everything
 * is read and written with its end against a page that may not be touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these four before it */
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../wire/package.h"
#include "status.h"

enum { MOST_VECTORS = 256, LARGEST_FILE = 65536, LARGEST_VECTOR = 8192, GUARDED = 1 << 17 };

/* ---- bytes whose end is the end of what may be touched ---- */

static uint8_t *guarded_end[2];

static int make_guards(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < 2; i++) {
        uint8_t *map =
            mmap(NULL, GUARDED + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED || mprotect(map + GUARDED, page, PROT_NONE))
            return -1;
        guarded_end[i] = map + GUARDED;
    }
    return 0;
}

static const uint8_t *guard(const uint8_t *bytes, size_t n)
{
    uint8_t *to = guarded_end[0] - n;
    memcpy(to, bytes, n);
    return to;
}

static uint8_t *guarded_room(size_t n)
{
    memset(guarded_end[1] - n, 0xee, n);
    return guarded_end[1] - n;
}

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

/* ---- vectors ---- */

struct vector {
    char name[64];
    uint8_t bytes[LARGEST_VECTOR];
    size_t n;
    char *file;
    const char *lua;
    int bad;
};

static struct vector *vectors;
static size_t vector_count;

static int is_vector(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".txt") == 0;
}

static void load_folder(const char *folder, int bad)
{
    const char *source = getenv("ROBO_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", folder);
    struct dirent **list;
    int n = scandir(path, &list, is_vector, alphasort);
    if (n < 0)
        fail_msg("%s: %s", path, strerror(errno));
    for (int i = 0; i < n; i++) {
        assert_true(vector_count < MOST_VECTORS);
        struct vector *v = &vectors[vector_count++];
        snprintf(v->name, sizeof v->name, "%.60s", list[i]->d_name);
        v->bad = bad;
        snprintf(path, sizeof path, "%s/%s/%s", source ? source : ".", folder, list[i]->d_name);
        free(list[i]);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        v->file = calloc(1, LARGEST_FILE);
        assert_non_null(v->file);
        assert_true(fread(v->file, 1, LARGEST_FILE - 1, f) < LARGEST_FILE - 1);
        fclose(f);

        v->lua = strstr(v->file, "\n\n");
        assert_non_null(v->lua);
        for (const char *at = v->file; at < v->lua; at += 2) {
            at += strspn(at, " \n");
            char digits[3] = { at[0], at[1], 0 }, *end;
            assert_true(v->n < sizeof v->bytes);
            v->bytes[v->n++] = (uint8_t)strtoul(digits, &end, 16);
            assert_ptr_equal(end, digits + 2);
        }
    }
    free(list);
}

static int load_vectors(void **state)
{
    if (make_guards(state))
        return -1;
    vectors = calloc(MOST_VECTORS, sizeof *vectors);
    if (!vectors)
        return -1;
    load_folder("tests/wire", 0);
    load_folder("tests/wire/bad", 1);
    return 0;
}

static int free_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < vector_count; i++)
        free(vectors[i].file);
    free(vectors);
    return 0;
}

/* ---- every field of every vector ---- */

static const char *const types[] = { "none", "query", "command", "reply", "signal", "notice" };

static void compare_value(const struct node *v, const struct robo__field *f, const uint8_t *at)
{
    uint64_t integer = 0;
    double real;
    int64_t time;
    switch ((enum robo__kind)f->kind) {
    case ROBO__U8:
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
    case ROBO__U16: {
        uint16_t u;
        memcpy(&u, at, sizeof u);
        integer = u;
        break;
    }
    case ROBO__U32: {
        uint32_t u;
        memcpy(&u, at, sizeof u);
        integer = u;
        break;
    }
    case ROBO__U64:
    case ROBO__I64: memcpy(&integer, at, sizeof integer); break;
    case ROBO__TIME:
        memcpy(&time, at, sizeof time);
        assert_int_equal(time, nanoseconds(v));
        return;
    case ROBO__REAL64:
    case ROBO__REAL32:
        /* to the last bit: decoding gives the double nearest to the decimal number */
        memcpy(&real, at, sizeof real);
        assert_int_equal(v->kind, 'n');
        assert_true(real == strtod(v->text, NULL));
        return;
    case ROBO__TEXT:
    case ROBO__CHARS: assert_true(says(v, (const char *)at)); return;
    }
    assert_int_equal(v->kind, 'n');
    assert_true(integer == (*v->text == '-' ? (uint64_t)strtoll(v->text, NULL, 10)
                                            : strtoull(v->text, NULL, 10)));
}

static size_t host_size(const struct robo__field *f)
{
    switch ((enum robo__kind)f->kind) {
    case ROBO__U8: return 1;
    case ROBO__U16: return 2;
    case ROBO__U32: return 4;
    case ROBO__TEXT:
    case ROBO__CHARS: return (size_t)f->max + 1;
    default: return 8;
    }
}

static size_t wire_size(const struct robo__field *f)
{
    return f->kind == ROBO__REAL32 ? 4 : f->kind == ROBO__TEXT ? 2 : host_size(f);
}

static void compare_message(const struct node *table, const struct robo__message *message,
                            const void *msg)
{
    const uint8_t *base = msg;
    for (size_t i = 0; i < message->nfields; i++) {
        const struct robo__field *f = &message->fields[i];
        const struct node *v = member(table, f->name);
        if (!v)
            fail_msg("no %s.%s", message->name, f->name);
        if (f->kind == ROBO__TEXT || f->kind == ROBO__CHARS ||
            (f->counter == ROBO__FIXED && f->count == 1)) {
            compare_value(v, f, base + f->offset);
            continue;
        }
        size_t count = robo__field_count(f, base);
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

struct expected {
    const struct node *entry; /* the next one */
};

static void compare_entry(void *context, unsigned index, const struct unpacked *u)
{
    (void)index;
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
    assert_int_equal(members(e), fields);
}

static void test_vectors(void **state)
{
    (void)state;
    size_t good = 0;
    for (size_t i = 0; i < vector_count; i++) {
        const struct vector *v = &vectors[i];
        if (v->bad)
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

/* Every message of the specification has a vector. */
static unsigned char seen[ROBO_TYPE_NOTICE + 1][1024];

static void note_entry(void *context, unsigned index, const struct unpacked *u)
{
    (void)index;
    const uint8_t *type = context;
    seen[*type][u->head.op] = 1;
}

static void test_all_messages_have_vectors(void **state)
{
    (void)state;
    static uint8_t out[LARGEST_VECTOR];
    for (size_t i = 0; i < vector_count; i++) {
        struct package k = { .entry = note_entry };
        k.context = &k.header.type;
        if (!vectors[i].bad)
            repack(&k, vectors[i].bytes, vectors[i].n, out, sizeof out);
    }
    for (const struct robo__op *op = robo__queries; op->name; op++)
        if (!seen[ROBO_TYPE_QUERY][op->op] || !seen[ROBO_TYPE_REPLY][op->op])
            fail_msg("query %s has no vectors", op->name);
    for (const struct robo__op *op = robo__commands; op->name; op++)
        if (!seen[ROBO_TYPE_COMMAND][op->op])
            fail_msg("command %s has no vector", op->name);
    for (const struct robo__op *op = robo__notices; op->name; op++)
        if (!seen[ROBO_TYPE_NOTICE][op->op])
            fail_msg("notice %s has no vector", op->name);
}

static void test_malformed(void **state)
{
    (void)state;
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
        if (!says(member(table, "error"), robo__error_code((int)used)))
            fail_msg("%s: %s", v->name, robo__error_code((int)used));
        if (k.offset != strtoull(member(table, "offset")->text, NULL, 10))
            fail_msg("%s: at %zu", v->name, k.offset);
        if (field ? !k.field || !says(field, k.field) : k.field != NULL)
            fail_msg("%s: field %s", v->name, k.field ? k.field : "none");
        bad++;
    }
    assert_true(bad >= 50);
}

/* ---- prefixes, flips, small buffers ---- */

/* What is cut short is never an error of its body, and never read beyond. */
static void cut_message(const struct robo__message *message, const void *msg)
{
    uint8_t bytes[4096];
    ptrdiff_t n = robo__encode(message, msg, bytes, sizeof bytes, NULL);
    assert_true(n >= 0);
    for (size_t k = 0; k < (size_t)n; k++) {
        uint8_t untouched[16400], place[16400];
        memset(untouched, 0xa5, sizeof untouched);
        memcpy(place, untouched, sizeof place);
        assert_int_equal(robo__decode(message, guard(bytes, k), k, place, NULL), 0);
        assert_memory_equal(place, untouched, sizeof place);
        assert_int_equal(robo__encode(message, msg, guarded_room(k), k, NULL), ROBO_EFULL);
    }
}

static void cut_entry(void *context, unsigned index, const struct unpacked *u)
{
    (void)context, (void)index;
    if (u->first)
        cut_message(u->first, u->first_msg);
    if (u->body)
        cut_message(u->body, u->msg);
}

static void cut_command(void *context, unsigned index, const struct unpacked *u)
{
    (void)context, (void)index;
    uint8_t bytes[4096];
    ptrdiff_t n = robo__encode(u->first, &u->start, bytes, sizeof bytes, NULL);
    n += robo__encode(u->body, u->msg, bytes + n, sizeof bytes - (size_t)n, NULL);
    assert_int_equal(n, u->head.size);
    struct robo_entry head = u->head;
    for (head.size = 0; head.size < u->head.size; head.size++) {
        struct robo_cmd cmd, untouched;
        memset(&untouched, 0xa5, sizeof untouched);
        memcpy(&cmd, &untouched, sizeof cmd);
        const char *where = NULL;
        assert_int_equal(robo__command_decode(&head, guard(bytes, head.size), &cmd, &where),
                         ROBO_EBODY);
        assert_string_equal(where, "size");
        assert_memory_equal(&cmd, &untouched, sizeof cmd);
    }
}

static void test_prefixes(void **state)
{
    (void)state;
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
            if (n < ROBO__HEADER_SIZE) {
                struct robo_header header;
                assert_int_equal(
                    robo__decode(&robo_header_message, guard(v->bytes, n), n, &header, NULL), 0);
            }
        }
        if (v->bad)
            continue;
        k.entry = cut_entry;
        repack(&k, v->bytes, v->n, out, sizeof out);
        k.entry = cut_command;
        if (k.header.type == ROBO_TYPE_COMMAND)
            repack(&k, v->bytes, v->n, out, sizeof out);

        /* a payload that ends early ends between entries or is of the wrong size */
        const size_t payload = v->n - ROBO__HEADER_SIZE;
        for (size_t n = 0; n < payload; n++) {
            const uint8_t *cut = guard(v->bytes + ROBO__HEADER_SIZE, n), *body = NULL;
            struct robo_entry head;
            size_t at = 0, before = 0;
            int more;
            while ((more = robo__next_entry(cut, n, &at, &head, &body)) > 0)
                before = at;
            assert_int_equal(at, before);
            assert_int_equal(more, at == n ? 0 : ROBO_ESIZE);
        }
    }
    size_t beyond = 9;
    struct robo_entry head;
    const uint8_t *body;
    assert_int_equal(robo__next_entry(out, 8, &beyond, &head, &body), ROBO_ESIZE);
}

static void test_bit_flips(void **state)
{
    (void)state;
    static uint8_t out[ROBO__HEADER_SIZE + ROBO_MAX_PAYLOAD];
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
            if (used > 0)
                assert_memory_equal(out, v->bytes, (size_t)used);
            v->bytes[bit / 8] ^= mask;
        }
    }
}

static void test_small_buffers(void **state)
{
    (void)state;
    for (size_t i = 0; i < vector_count; i++) {
        const struct vector *v = &vectors[i];
        if (v->bad)
            continue;
        for (size_t room = 0; room < v->n; room++) {
            struct package k = { 0 };
            /* repack_entry sees to it that the package stays as it was */
            assert_int_equal(repack(&k, v->bytes, v->n, guarded_room(room), room), ROBO_EFULL);
        }
    }
}

/* A refused entry leaves what is there, and the package can go on. */
static void test_refused_entry(void **state)
{
    (void)state;
    uint8_t out[128];
    struct robo__package p;
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .id = 1 };

    assert_int_equal(robo__package_begin(&p, out, ROBO__HEADER_SIZE - 1), ROBO_EFULL);
    assert_int_equal(p.used, 0);
    assert_int_equal(robo__package_add_command(&p, &cmd), ROBO_EINVAL);
    struct robo_header header = { .type = ROBO_TYPE_COMMAND, .id = 5 };
    assert_int_equal(robo__package_end(&p, &header), ROBO_EINVAL);

    assert_int_equal(robo__package_begin(&p, out, sizeof out), 0);
    assert_int_equal(robo__package_add_command(&p, &cmd), 0);
    const size_t used = p.used;
    cmd.body.set_speed.theta = NAN;
    assert_int_equal(robo__package_add_command(&p, &cmd), ROBO_ERANGE);
    assert_int_equal(p.used, used);
    assert_int_equal(p.count, 1);
    cmd.op = ROBO_LAST_OP + 1;
    assert_int_equal(robo__package_add_command(&p, &cmd), ROBO_EOP);
    assert_int_equal(p.used, used);
    assert_int_equal(p.count, 1);
    cmd = (struct robo_cmd){ .op = ROBO_STOP, .id = 2, .start = INT64_MAX };
    assert_int_equal(robo__package_add_command(&p, &cmd), ROBO_ERANGE);
    assert_int_equal(p.used, used);
    assert_int_equal(p.count, 1);
    cmd.start = 0;
    assert_int_equal(robo__package_add_command(&p, &cmd), 0);

    /* and a header that nobody would take does not leave */
    struct robo_header wrong = header;
    wrong.type = ROBO_TYPE_NOTICE + 1;
    assert_int_equal(robo__package_end(&p, &wrong), ROBO_ETYPE);
    wrong = header;
    wrong.flags = 4;
    assert_int_equal(robo__package_end(&p, &wrong), ROBO_ETYPE);
    wrong = header;
    wrong.type = ROBO_TYPE_NONE;
    assert_int_equal(robo__package_end(&p, &wrong), ROBO_ESIZE);
    wrong = header;
    wrong.stamp = INT64_MIN;
    assert_int_equal(robo__package_end(&p, &wrong), ROBO_ERANGE);
    assert_int_equal(wrong.count, 0);
    assert_int_equal(robo__package_end(&p, &header), 32 + 40 + 16);
    assert_int_equal(header.count, 2);
    assert_int_equal(header.size, 56);
    struct robo_header read;
    assert_int_equal(robo__header_decode(out, &read), 0);
    assert_memory_equal(&read, &header, sizeof read);
}

/* A command has its word however far the frame is from its goal. */
static void test_result_far_away(void **state)
{
    (void)state;
    const double most = 0x1p51 / 1e6, far[] = { most, 3.9e9, 1e300, INFINITY, NAN };
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        uint8_t out[128];
        struct robo__package p;
        struct robo_result said = { .op = ROBO_SET_FRAME,
                                    .signal = ROBO_MODIFIED,
                                    .reason = ROBO_WHY_LIMIT,
                                    .position_error = far[i],
                                    .rotation_error = far[i] },
                           heard;
        assert_int_equal(robo__package_begin(&p, out, sizeof out), 0);
        assert_int_equal(robo__package_add_result(&p, &said), 0);
        size_t at = 0;
        struct robo_entry entry;
        const uint8_t *body;
        const size_t size = p.used - ROBO__HEADER_SIZE;
        assert_int_equal(robo__next_entry(out + ROBO__HEADER_SIZE, size, &at, &entry, &body), 1);
        assert_int_equal(robo__result_decode(&entry, body, &heard), 0);
        assert_true(heard.position_error == most);
        assert_true(heard.rotation_error == most);
    }
}

static void test_largest_package(void **state)
{
    (void)state;
    static uint8_t out[2 * ROBO_MAX_PAYLOAD];
    struct robo__package p;
    struct robo_header header = { .type = ROBO_TYPE_QUERY };
    const struct robo__message *none = robo__op_find(robo__queries, ROBO_Q_STATE)->ask;
    assert_int_equal(robo__package_begin(&p, out, sizeof out), 0);
    for (uint32_t i = 0; i < ROBO_MAX_PAYLOAD / ROBO__ENTRY_SIZE; i++)
        assert_int_equal(robo__package_add(&p, ROBO_Q_STATE, i, NULL, NULL, none, NULL), 0);
    assert_int_equal(robo__package_add(&p, ROBO_Q_STATE, 0, NULL, NULL, none, NULL), ROBO_EFULL);
    assert_int_equal(robo__package_end(&p, &header), ROBO__HEADER_SIZE + ROBO_MAX_PAYLOAD);
    struct package k = { 0 };
    static uint8_t again[2 * ROBO_MAX_PAYLOAD];
    assert_int_equal(repack(&k, out, sizeof out, again, sizeof again),
                     ROBO__HEADER_SIZE + ROBO_MAX_PAYLOAD);
    assert_memory_equal(out, again, ROBO__HEADER_SIZE + ROBO_MAX_PAYLOAD);
}

/* ---- values ---- */

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t random64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1d;
}

struct one {
    uint8_t pad; /* the field is not at offset 0 */
    union {
        double real;
        robo_time time;
        int64_t i64;
        uint64_t u64;
        uint32_t u32;
        uint16_t u16;
        uint8_t u8;
        char text[8];
    } v;
};

static struct robo__field one_field = { .name = "one",
                                        .offset = offsetof(struct one, v),
                                        .counter = ROBO__FIXED,
                                        .count = 1,
                                        .max = 1,
                                        .per = 1 };
static const struct robo__message one_message = { "one", sizeof(struct one), 1, &one_field };

/* The status of writing; when it goes, it is also read back. */
static ptrdiff_t there_and_back(enum robo__kind kind, double scale, const struct one *in,
                                struct one *back)
{
    uint8_t bytes[16];
    const char *where = NULL;
    one_field.kind = (uint8_t)kind;
    one_field.per = 1 / scale;
    ptrdiff_t n = robo__encode(&one_message, in, bytes + 1, sizeof bytes - 1, &where);
    if (n < 0) {
        assert_string_equal(where, "one");
        return n;
    }
    assert_int_equal(robo__decode(&one_message, bytes + 1, (size_t)n, back, NULL), n);
    uint8_t again[16];
    assert_int_equal(robo__encode(&one_message, back, again, sizeof again, NULL), n);
    assert_memory_equal(again, bytes + 1, (size_t)n);
    return n;
}

static void test_random_quantities(void **state)
{
    (void)state;
    const double most = 0x1p51 / 1e6;
    for (int i = 0; i < 1000000; i++) {
        /* every magnitude is as likely as every other, from denormal to what is refused */
        double x = ldexp((double)(random64() >> 11) * 0x1p-53, (int)(random64() % 60) - 24);
        if (random64() & 1)
            x = -x;
        struct one in = { .v.real = x }, back;
        ptrdiff_t n = there_and_back(ROBO__REAL64, 1e-6, &in, &back);
        if (fabs(x) <= most) {
            assert_int_equal(n, 8);
            assert_true(fabs(back.v.real - x) <= 0.5e-6 + fabs(x) * DBL_EPSILON);
        } else {
            assert_int_equal(n, ROBO_ERANGE);
        }
        n = there_and_back(ROBO__REAL32, 1e-6, &in, &back);
        if (n == 4)
            assert_true(fabs(back.v.real - x) <= 0.5e-6 + fabs(x) * DBL_EPSILON);
        else
            assert_true(n == ROBO_ERANGE && fabs(x) > 2147.483647);
    }
}

/* Every count that is read is written again, up to the very last. */
static void test_random_counts(void **state)
{
    (void)state;
    one_field.kind = ROBO__REAL64;
    one_field.per = 1e6;
    for (int i = 0; i < 1000000; i++) {
        int64_t count = i < 1000 ? ((int64_t)1 << 51) - i : (int64_t)(random64() >> 13);
        if (i >= 1000)
            count >>= random64() % 3 == 0 ? random64() % 51 : 0;
        if (random64() & 1)
            count = -count;
        uint8_t bytes[8], again[8];
        for (int b = 0; b < 8; b++)
            bytes[b] = (uint8_t)((uint64_t)count >> (56 - 8 * b));
        struct one back;
        assert_int_equal(robo__decode(&one_message, bytes, 8, &back, NULL), 8);
        assert_int_equal(robo__encode(&one_message, &back, again, 8, NULL), 8);
        assert_memory_equal(bytes, again, 8);
    }
}

static void test_edges_of_quantities(void **state)
{
    (void)state;
    static const struct {
        double x;
        enum robo__kind kind;
        int good;
        double back;
    } cases[] = {
        { 0.0, ROBO__REAL64, 1, 0 },
        { -0.0, ROBO__REAL64, 1, 0 },
        { 0.3, ROBO__REAL64, 1, 0.3 },
        { 1e-6, ROBO__REAL64, 1, 1e-6 },
        { 0.4e-6, ROBO__REAL64, 1, 0 },
        { 0.6e-6, ROBO__REAL64, 1, 1e-6 },
        { -0.6e-6, ROBO__REAL64, 1, -1e-6 },
        { DBL_TRUE_MIN, ROBO__REAL64, 1, 0 },
        { 2251799813.685248, ROBO__REAL64, 1, 2251799813.685248 },
        { -2251799813.685248, ROBO__REAL64, 1, -2251799813.685248 },
        { 2251799813.68525, ROBO__REAL64, 0, 0 },
        { -2251799813.68525, ROBO__REAL64, 0, 0 },
        { 9223372036854.775807, ROBO__REAL64, 0, 0 },
        { 9223372036854775807.0, ROBO__REAL64, 0, 0 },
        { -9223372036854775808.0, ROBO__REAL64, 0, 0 },
        { DBL_MAX, ROBO__REAL64, 0, 0 },
        { -DBL_MAX, ROBO__REAL64, 0, 0 },
        { INFINITY, ROBO__REAL64, 0, 0 },
        { -INFINITY, ROBO__REAL64, 0, 0 },
        { NAN, ROBO__REAL64, 0, 0 },
        { 2147.483647, ROBO__REAL32, 1, 2147.483647 },
        { 2147.4836474, ROBO__REAL32, 1, 2147.483647 },
        { 2147.483648, ROBO__REAL32, 0, 0 },
        { 2147.4836476, ROBO__REAL32, 0, 0 },
        { -2147.483648, ROBO__REAL32, 1, -2147.483648 },
        { -2147.4836484, ROBO__REAL32, 1, -2147.483648 },
        { -2147.483649, ROBO__REAL32, 0, 0 },
        { -2147.4836486, ROBO__REAL32, 0, 0 },
        { DBL_MAX, ROBO__REAL32, 0, 0 },
        { -INFINITY, ROBO__REAL32, 0, 0 },
        { NAN, ROBO__REAL32, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one in = { .v.real = cases[i].x }, back;
        ptrdiff_t n = there_and_back(cases[i].kind, 1e-6, &in, &back);
        if (n != (cases[i].good ? (cases[i].kind == ROBO__REAL64 ? 8 : 4) : ROBO_ERANGE))
            fail_msg("case %zu, %.17g: %td", i, cases[i].x, n);
        if (n > 0)
            assert_true(back.v.real == cases[i].back);
    }
    /* rounding, seen with a scale of one: what is just under a half does not become one */
    static const double halves[][2] = { { 0.49999999999999994, 0 },
                                        { 0.5, 1 },
                                        { 1.5, 2 },
                                        { 2.5, 3 },
                                        { 2.4999999999999996, 2 },
                                        { 2251799813685247.5, 2251799813685248 } };
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct one in = { .v.real = sign * halves[i][0] }, back;
            assert_int_equal(there_and_back(ROBO__REAL64, 1, &in, &back), 8);
            assert_true(back.v.real == sign * halves[i][1]);
        }
}

static void test_times(void **state)
{
    (void)state;
    const robo_time last = INT64_MAX / 1000 * 1000;
    static const robo_time cases[][2] = { { 0, 0 },
                                          { 1, 0 },
                                          { 499, 0 },
                                          { 500, 1000 },
                                          { 999, 1000 },
                                          { 1499, 1000 },
                                          { 1500, 2000 },
                                          { -1, 0 },
                                          { -499, 0 },
                                          { -500, -1000 },
                                          { -1499, -1000 },
                                          { -1500, -2000 },
                                          { 86400000000499, 86400000000000 },
                                          { -1000, -1000 } };
    struct one in = { 0 }, back;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        in.v.time = cases[i][0];
        assert_int_equal(there_and_back(ROBO__TIME, 1, &in, &back), 8);
        assert_int_equal(back.v.time, cases[i][1]);
    }
    for (robo_time over = 0; over <= INT64_MAX - last; over++)
        for (int sign = -1; sign <= 1; sign += 2) {
            in.v.time = sign * (last + over);
            assert_int_equal(there_and_back(ROBO__TIME, 1, &in, &back),
                             over < 500 ? 8 : ROBO_ERANGE);
            if (over < 500)
                assert_int_equal(back.v.time, sign * last);
        }
    in.v.time = INT64_MIN;
    assert_int_equal(there_and_back(ROBO__TIME, 1, &in, &back), ROBO_ERANGE);

    static const uint8_t ends[][8] = { { 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
                                       { 0x80 } };
    for (int i = 0; i < 2; i++) {
        const char *where = NULL;
        assert_int_equal(robo__decode(&one_message, ends[i], 8, &back, &where), ROBO_EBODY);
        assert_string_equal(where, "one");
    }
}

/* lo and hi hold both ways, for every integer, to the ends of its type. */
static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        enum robo__kind kind;
        int64_t lo, hi;
        uint64_t value; /* as the bits of the type */
        int good;
    } cases[] = {
        { ROBO__U8, 1, 7, 0, 0 },
        { ROBO__U8, 1, 7, 1, 1 },
        { ROBO__U8, 1, 7, 7, 1 },
        { ROBO__U8, 1, 7, 8, 0 },
        { ROBO__U8, 0, 0, 255, 1 },
        { ROBO__U16, 0, 999, 999, 1 },
        { ROBO__U16, 0, 999, 1000, 0 },
        { ROBO__U32, 5, 0xffffffff, 4, 0 },
        { ROBO__U32, 5, 0xffffffff, 0xffffffff, 1 },
        { ROBO__U32, 0, 5, 0x80000000, 0 },
        { ROBO__I64, -2, 2, 3, 0 },
        { ROBO__I64, -2, 2, (uint64_t)-2, 1 },
        { ROBO__I64, -2, 2, (uint64_t)-3, 0 },
        { ROBO__I64, INT64_MIN, -1, (uint64_t)1 << 63, 1 },
        { ROBO__I64, INT64_MIN, -1, 0, 0 },
        { ROBO__I64, 0, 0, (uint64_t)1 << 63, 1 },
        { ROBO__U64, 1, INT64_MAX, INT64_MAX, 1 },
        { ROBO__U64, 1, INT64_MAX, (uint64_t)1 << 63, 0 },
        { ROBO__U64, -5, 5, UINT64_MAX, 0 },
        { ROBO__U64, 0, 0, UINT64_MAX, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one in = { 0 }, back;
        switch (cases[i].kind) {
        case ROBO__U8: in.v.u8 = (uint8_t)cases[i].value; break;
        case ROBO__U16: in.v.u16 = (uint16_t)cases[i].value; break;
        case ROBO__U32: in.v.u32 = (uint32_t)cases[i].value; break;
        default: in.v.u64 = cases[i].value; break;
        }
        one_field.lo = one_field.hi = 0;
        ptrdiff_t size = there_and_back(cases[i].kind, 1, &in, &back);
        assert_true(size > 0);
        assert_memory_equal(&in.v, &back.v, sizeof in.v);
        uint8_t bytes[8];
        assert_int_equal(robo__encode(&one_message, &in, bytes, 8, NULL), size);

        one_field.lo = cases[i].lo;
        one_field.hi = cases[i].hi;
        if (robo__encode(&one_message, &in, bytes, 8, NULL) != (cases[i].good ? size : ROBO_ERANGE))
            fail_msg("case %zu, writing", i);
        if (robo__decode(&one_message, bytes, 8, &back, NULL) !=
            (cases[i].good ? size : ROBO_EBODY))
            fail_msg("case %zu, reading", i);
    }
    one_field.lo = one_field.hi = 0;
}

static void test_texts(void **state)
{
    (void)state;
    struct one in = { 0 }, back;
    one_field.kind = ROBO__TEXT;
    one_field.max = 7;
    uint8_t bytes[16];
    const char *where = NULL;

    memcpy(in.v.text, "seven..", 8);
    assert_int_equal(robo__encode(&one_message, &in, bytes, 9, &where), 9);
    memset(&back, 0xff, sizeof back);
    assert_int_equal(robo__decode(&one_message, bytes, 9, &back, &where), 9);
    assert_string_equal(back.v.text, "seven..");
    /* no NUL within the array: nothing behind it is looked at */
    in.v.text[7] = '!';
    assert_int_equal(robo__encode(&one_message, &in, bytes, 16, &where), ROBO_ERANGE);
    assert_string_equal(where, "one");

    /* what follows a text in its array is zero, whatever was there */
    memcpy(in.v.text, "a\0junk!", 8);
    assert_int_equal(robo__encode(&one_message, &in, bytes, 16, &where), 3);
    memset(&back, 0xff, sizeof back);
    assert_int_equal(robo__decode(&one_message, bytes, 3, &back, &where), 3);
    assert_memory_equal(back.v.text, "a\0\0\0\0\0\0", 8);

    /* too long is known before it has come */
    assert_int_equal(robo__decode(&one_message, (const uint8_t[]){ 0, 8 }, 2, &back, &where),
                     ROBO_EBODY);
    assert_int_equal(robo__decode(&one_message, (const uint8_t[]){ 0, 7 }, 2, &back, &where), 0);
    assert_int_equal(
        robo__decode(&one_message, (const uint8_t[]){ 0, 2, 'a', 0 }, 4, &back, &where),
        ROBO_EBODY);
    one_field.max = 1;
}

static void test_counts(void **state)
{
    (void)state;
    static struct robo_state s, back;
    static uint8_t bytes[16400];
    const char *where = NULL;
    s.dofs = 64;
    for (int i = 0; i < 64; i++)
        s.position[i] = s.speed[i] = i + 1;
    assert_int_equal(robo__encode(&robo_state_message, &s, bytes, sizeof bytes, &where),
                     119 + 64 * 16);
    s.dofs = 65;
    assert_int_equal(robo__encode(&robo_state_message, &s, bytes, sizeof bytes, &where),
                     ROBO_ERANGE);
    assert_string_equal(where, "position");

    /* beyond the count nothing is written, not even looked at, and what is read there is zero */
    s.dofs = 1;
    s.position[1] = NAN;
    assert_int_equal(robo__encode(&robo_state_message, &s, bytes, sizeof bytes, &where), 119 + 16);
    memset(&back, 0xff, sizeof back);
    assert_int_equal(robo__decode(&robo_state_message, bytes, sizeof bytes, &back, &where),
                     119 + 16);
    s.position[1] = 0;
    for (int i = 1; i < 64; i++)
        s.position[i] = s.speed[i] = 0;
    assert_memory_equal(&back, &s, sizeof s);

    struct robo_signalled word = { .signal = 0 };
    assert_int_equal(robo__encode(&robo_signalled_message, &word, bytes, sizeof bytes, &where),
                     ROBO_ERANGE);
    assert_string_equal(where, "signal");
}

/* ---- lists and tables ---- */

static void test_find(void **state)
{
    (void)state;
    const struct robo__op *const lists[] = { robo__queries, robo__commands, robo__notices,
                                             robo__commands + 1 };
    for (size_t i = 0; i < 4; i++)
        for (unsigned op = 0; op <= UINT16_MAX; op++) {
            const struct robo__op *want = NULL;
            for (const struct robo__op *at = lists[i]; at->name; at++)
                if (at->op == op)
                    want = at;
            assert_ptr_equal(robo__op_find(lists[i], (uint16_t)op), want);
            if (want)
                assert_ptr_equal(robo__op_named(lists[i], want->name), want);
        }
    assert_null(robo__op_named(robo__commands, "goto"));
    assert_null(robo__op_named(robo__commands, ""));
}

static void check_table(const struct robo__message *m)
{
    size_t wire = 0;
    for (size_t i = 0; i < m->nfields; i++) {
        const struct robo__field *f = &m->fields[i];
        assert_true(f->counter != ROBO__FIXED || f->count >= 1);
        size_t most = f->kind == ROBO__TEXT || f->kind == ROBO__CHARS ? 1
                      : f->counter == ROBO__FIXED                     ? f->count
                                                                      : f->max;
        assert_true(f->offset + most * host_size(f) <= m->size);
        wire += most * wire_size(f) + (f->kind == ROBO__TEXT ? f->max : 0);
        /* the loop relies on counts being short integers that come first */
        int counted = f->counter == ROBO__FIXED;
        for (size_t j = 0; j < i; j++)
            counted |= m->fields[j].offset == f->counter &&
                       m->fields[j].kind == (f->wide ? ROBO__U16 : ROBO__U8);
        assert_true(counted);
        if (f->kind == ROBO__REAL64 || f->kind == ROBO__REAL32)
            assert_true(f->per == 1e6 || f->per == 1e9 || f->per == 1e12);
    }
    assert_true(m->size <= 16400);
    assert_true(wire + 8 <= UINT16_MAX);
}

static void test_tables(void **state)
{
    (void)state;
    const struct robo__op *const lists[] = { robo__queries, robo__commands, robo__notices };
    for (size_t i = 0; i < 3; i++)
        for (const struct robo__op *op = lists[i]; op->name; op++) {
            check_table(op->ask);
            check_table(op->answer);
        }
    check_table(&robo_header_message);
    check_table(&robo_entry_message);
    check_table(&robo_start_message);
    check_table(&robo_signalled_message);

    const struct robo__message *empty = robo__op_find(robo__commands, ROBO_STOP)->ask;
    assert_int_equal(robo__encode(empty, NULL, NULL, 0, NULL), 0);
    assert_int_equal(robo__decode(empty, NULL, 0, NULL, NULL), 0);
}

static void test_header_filled(void **state)
{
    (void)state;
    /* of another version, too: a server says which package it refused */
    static const uint8_t in[ROBO__HEADER_SIZE] = { 0x52, 0x54, 7, 1, 9, 1, 0, 2, 0, 2, 0, 0,   0,
                                                   0,    0,    5, 0, 0, 0, 6, 0, 8, 0, 9, 0x80 };
    struct robo_header h;
    assert_int_equal(robo__header_decode(in, &h), ROBO_EVERSION);
    assert_int_equal(h.version, 7);
    assert_int_equal(h.flags, ROBO_FLAG_PANIC);
    assert_int_equal(h.count, 2);
    assert_int_equal(h.size, 131072);
    assert_int_equal(h.id, 5);
    assert_int_equal(h.session, 6);
    assert_int_equal(h.epoch, 8);
    assert_int_equal(h.stops, 9);
    assert_int_equal(h.stamp, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_all_messages_have_vectors),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_bit_flips),
        cmocka_unit_test(test_small_buffers),
        cmocka_unit_test(test_refused_entry),
        cmocka_unit_test(test_largest_package),
        cmocka_unit_test(test_random_quantities),
        cmocka_unit_test(test_random_counts),
        cmocka_unit_test(test_edges_of_quantities),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_result_far_away),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_header_filled),
    };
    return cmocka_run_group_tests(tests, load_vectors, free_vectors);
}
