/* Any bytes as the index of a folder with some pictures: for who lists it, and for a server that begins there, which writes one that tells of
 * exactly these pictures. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../unit/jpegs.h"
#include "store/store.h"

enum { PICTURES = 4, SIZE = 40 };

static char folder[] = "/tmp/images_index.XXXXXX", file[64];

static void need(int condition)
{
    if (!condition)
        __builtin_trap();
}

static void write_file(const char *name, const uint8_t *bytes, size_t n)
{
    snprintf(file, sizeof file, "%s/%s", folder, name);
    const int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    need(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    close(fd);
}

static void clear(void)
{
    char name[ROBO__STORE_NAME];
    for (uint64_t i = 1; i <= PICTURES; i++) {
        robo__store_name(i, ".jpg", name);
        snprintf(file, sizeof file, "%s/%s", folder, name);
        unlink(file);
    }
    snprintf(file, sizeof file, "%s/index", folder);
    unlink(file);
    snprintf(file, sizeof file, "%s/lock", folder);
    unlink(file);
    rmdir(folder);
}

static void set_up(void)
{
    uint8_t jpeg[SIZE];
    char name[ROBO__STORE_NAME];
    need(mkdtemp(folder) != NULL);
    make_jpeg(jpeg, sizeof jpeg, 7);
    for (uint64_t i = 1; i <= PICTURES; i++) {
        robo__store_name(i, ".jpg", name);
        write_file(name, jpeg, sizeof jpeg);
    }
    atexit(clear);
}

static size_t list(void)
{
    robo_image_list *l = robo_image_list_open(folder, NULL, NULL);
    need(l != NULL);
    const size_t count = robo_image_list_count(l);
    for (size_t i = 0; i < count; i++)
        need(robo_image_list_at(l, i)->number <= PICTURES);
    robo_image_list_close(l);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static int ready;
    struct robo__store *store;
    char why[256];
    if (!ready++)
        set_up();
    write_file("index", in, n);
    need(list() <= PICTURES);
    need(robo__store_open(folder, 0, NULL, NULL, &store, why) == 0);
    need(robo__store_counts(store).pictures == PICTURES);
    robo__store_close(store);
    need(list() == PICTURES);
    return 0;
}
