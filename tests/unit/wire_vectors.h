/* The golden vectors of tests/wire: their bytes, and the Lua that says what they mean. Loaded before the first test of a
 * program and freed after the last. What is read and written has its end against a page that may not be touched. */
#pragma once

#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../test.h"
#include "../wire/package.h"

enum { MOST_VECTORS = 256, LARGEST_FILE = 65536, LARGEST_VECTOR = 8192, GUARDED = 1 << 17 };

/* ---- bytes whose end is the end of what may be touched ---- */

static uint8_t *guarded_end[2];

static int make_guards(void **state)
{
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

/* ---- vectors ---- */

struct vector {
    char name[64];
    uint8_t bytes[LARGEST_VECTOR];
    size_t n;
    char *file;
    const char *lua;
    int bad, skip; /* of tests/wire/bad, of tests/wire/skip */
};

static struct vector *vectors;
static size_t vector_count;

static int is_vector(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".txt") == 0;
}

static void load_folder(const char *folder, int bad, int skip)
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
        v->skip = skip;
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
    load_folder("tests/wire", 0, 0);
    load_folder("tests/wire/bad", 1, 0);
    load_folder("tests/wire/skip", 0, 1);
    return 0;
}

static int free_vectors(void **state)
{
    for (size_t i = 0; i < vector_count; i++)
        free(vectors[i].file);
    free(vectors);
    return 0;
}
