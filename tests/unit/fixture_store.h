/* A folder of pictures for tests, in `folder`, and its store. */
#pragma once

#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"
#include "jpegs.h"
#include "store/store.h"

#define UNUSED __attribute__((unused))

enum { SIZE = 5000, COST = 8192 + ROBO__STORE_LINES };

static char folder[32], why[256], last_log[400];
static int logs;
static struct robo__store *store;

UNUSED static void on_log(void *owner, enum robo_log_level level, const char *line)
{
    snprintf(last_log, sizeof last_log, "%s", line);
    logs++;
}

UNUSED static int make_folder(void **state)
{
    strcpy(folder, "/tmp/store.XXXXXX");
    logs = 0;
    store = NULL;
    return mkdtemp(folder) ? 0 : -1;
}

UNUSED static int remove_folder(void **state)
{
    robo__store_close(store);
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    return rmdir(folder);
}

UNUSED static void open_store(uint64_t most)
{
    robo__store_close(store);
    store = NULL;
    assert_int_equal(robo__store_open(folder, most, on_log, NULL, &store, why), 0);
    assert_non_null(store);
}

/* Keeps n pictures of SIZE bytes; the error of the last. Their times count up from `at`. */
UNUSED static int keep(int n, int64_t at)
{
    uint8_t jpeg[SIZE];
    struct robo__stored p[40];
    make_jpeg(jpeg, sizeof jpeg, 7);
    for (int i = 0; i < n; i++)
        p[i] = (struct robo__stored){
            .bytes = jpeg, .size = sizeof jpeg, .time = at + i, .source = "r/c"
        };
    robo__store_keep(store, p, (size_t)n);
    return p[n - 1].error;
}

UNUSED static bool has_file(const char *name)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &status) == 0;
}

UNUSED static void write_file(const char *name, const void *bytes, size_t n, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | flags, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), n);
    close(fd);
}

/* The numbers of the index, each with its file; asserts that it tells exactly `n` and nothing else. */
UNUSED static void has_lines(int n, uint64_t first, uint64_t last)
{
    char path[64], text[ROBO__STORE_LINE], name[ROBO__STORE_NAME];
    struct robo_image_entry line = { 0 };
    int count = 0;
    snprintf(path, sizeof path, "%s/index", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (size_t got; (got = fread(text, 1, sizeof text, f)) > 0; count++) {
        assert_int_equal(got, sizeof text);
        assert_true(robo__store_read_line(text, &line));
        if (count == 0)
            assert_int_equal(line.number, first);
        robo__store_name(line.number, ".jpg", name);
        assert_true(has_file(name));
    }
    fclose(f);
    assert_int_equal(count, n);
    assert_int_equal(line.number, last);
}

UNUSED static uint64_t pictures(void)
{
    return robo__store_counts(store).pictures;
}
