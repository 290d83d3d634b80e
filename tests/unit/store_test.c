/* A folder of pictures: what is kept and what goes, also when the disk is full or fails: calls of the system fail on demand
 * (CMakeLists.txt wraps them). */
#include "fixture_store.h"

#include <errno.h>
#include <sys/statvfs.h>

/* ---- calls that fail ---- */

static struct {
    const char *call;
    int after, times, error; /* so many succeed first; then so many fail */
    uint64_t room;           /* of the disk, with `used` of it; 0: no bound */
} fault;

static bool fails(const char *call)
{
    if (!fault.call || strcmp(fault.call, call) != 0 || fault.after-- > 0 || fault.times == 0)
        return false;
    fault.after = 0;
    fault.times--;
    errno = fault.error;
    return true;
}

/* Bytes of what is in the folder. */
static uint64_t used(void)
{
    uint64_t sum = 0;
    DIR *d = opendir(folder);
    struct stat status;
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (fstatat(dirfd(d), e->d_name, &status, 0) == 0 && S_ISREG(status.st_mode))
            sum += (uint64_t)status.st_size;
    closedir(d);
    return sum;
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    if (fails("pwrite"))
        return -1;
    if (fault.room > 0 && used() + n > fault.room) {
        errno = ENOSPC;
        return -1;
    }
    /* in two pieces, as a system may take it */
    return __real_pwrite(fd, bytes, n > 1 ? (n + 1) / 2 : n, at);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    return fails("fsync") ? -1 : __real_fsync(fd);
}

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
    return fails("fdatasync") ? -1 : __real_fdatasync(fd);
}

int __real_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new)
{
    return fails("renameat") ? -1 : __real_renameat(from, old, to, new);
}

int __real_fstatvfs(int fd, struct statvfs *disk);
int __wrap_fstatvfs(int fd, struct statvfs *disk);
int __wrap_fstatvfs(int fd, struct statvfs *disk)
{
    const int error = __real_fstatvfs(fd, disk);
    if (fault.room > 0) {
        disk->f_frsize = 1;
        disk->f_bavail = fault.room > used() ? fault.room - used() : 0;
    }
    return error;
}

static int make_sound_folder(void **state)
{
    memset(&fault, 0, sizeof fault);
    return make_folder(state);
}

/* ---- keeping ---- */

FIXTURE(make_sound_folder, remove_folder);

TEST(a_picture_is_a_file_and_a_line)
{
    open_store(0);
    assert_int_equal(keep(3, 5), 0);
    has_lines(3, 1, 3);
    assert_false(has_file("000000000003.part"));
    assert_int_equal(robo__store_counts(store).bytes, 3 * COST);
    open_store(0);
    assert_int_equal(pictures(), 3);
    assert_int_equal(keep(40, 5), 0);
    has_lines(43, 1, 43);
}

TEST(a_folder_is_made_where_its_parent_is)
{
    rmdir(folder);
    open_store(0);
    robo__store_close(store);
    store = NULL;
    char deep[64];
    snprintf(deep, sizeof deep, "%s/a/b", folder);
    assert_int_equal(robo__store_open(deep, 0, NULL, NULL, &store, why), ROBO_ESYSTEM);
    assert_non_null(strstr(why, "/a/b: No such file or directory"));
    assert_null(store);
}

static void take_away(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

TEST(only_one_has_a_folder)
{
    struct robo__store *other = NULL;
    open_store(0);
    assert_int_equal(robo__store_open(folder, 0, NULL, NULL, &other, why), ROBO_EEXISTS);
    assert_non_null(strstr(why, "another server keeps pictures there"));
    assert_null(other);
    robo__store_close(store);
    store = NULL;
    open_store(0);
}

TEST(a_folder_that_somebody_empties_goes_on)
{
    struct robo__store *other = NULL;
    open_store(0);
    keep(2, 5);
    take_away("lock");
    take_away("index");
    assert_int_equal(keep(1, 7), 0);
    has_lines(3, 1, 3);
    assert_int_equal(robo__store_open(folder, 0, NULL, NULL, &other, why), ROBO_EEXISTS);
    take_away("index");
    write_file("index", "x", 1, 0); /* another one in its place */
    assert_int_equal(keep(1, 8), 0);
    has_lines(4, 1, 4);
}

TEST(a_folder_that_another_server_has_taken_over_is_left_to_it)
{
    struct robo__store *other = NULL;
    open_store(0);
    keep(2, 5);
    take_away("lock");
    assert_int_equal(robo__store_open(folder, 0, NULL, NULL, &other, why), 0);
    assert_int_equal(keep(1, 7), ROBO_ESYSTEM);
    assert_non_null(strstr(last_log, "lock: Device or resource busy; pictures are refused"));
    has_lines(2, 1, 2);
    robo__store_close(other); /* it may have left pictures with the next numbers */
    assert_int_equal(keep(1, 7), ROBO_ESYSTEM);
    has_lines(2, 1, 2);
}

/* A directory in the folder, with a file in it: nobody can replace it, nor remove it without more ado. */
static void make_obstacle(const char *name)
{
    char path[64], file[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(file, sizeof file, "%s/x", path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(mkdir(file, 0777), 0);
}

static void remove_obstacle(const char *name)
{
    char path[64], file[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(file, sizeof file, "%s/x", path);
    assert_int_equal(rmdir(file), 0);
    assert_int_equal(rmdir(path), 0);
}

TEST(a_number_whose_name_a_directory_has_is_left_out)
{
    make_obstacle("000000000002.part");
    open_store(0);
    make_obstacle("000000000004.jpg");
    assert_int_equal(keep(3, 5), 0);
    has_lines(3, 1, 5);
    assert_false(has_file("000000000002.jpg"));
    assert_non_null(strstr(last_log, "000000000004.jpg: something is in the way"));
    remove_obstacle("000000000002.part");
    remove_obstacle("000000000004.jpg");
}

TEST(a_fifo_of_the_name_of_a_temporary_file_is_replaced)
{
    char path[64];
    open_store(0);
    snprintf(path, sizeof path, "%s/000000000001.part", folder);
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_int_equal(keep(1, 5), 0);
    has_lines(1, 1, 1);
}

TEST(a_picture_that_is_too_long_is_refused)
{
    open_store(COST - 1);
    assert_int_equal(keep(1, 5), ROBO_ESIZE);
    assert_int_equal(pictures(), 0);
    open_store(COST);
    assert_int_equal(keep(1, 5), 0);
}

/* ---- the bound ---- */

TEST(the_oldest_go_for_the_newest)
{
    open_store(10 * COST);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(keep(1, i), 0);
        assert_true(robo__store_counts(store).bytes <= 10 * COST);
    }
    assert_int_equal(pictures(), 10);
    assert_int_equal(robo__store_counts(store).removed, 40);
    assert_false(has_file("000000000040.jpg"));
    assert_true(has_file("000000000041.jpg"));
}

TEST(the_bound_holds_within_a_batch_too)
{
    open_store(10 * COST);
    assert_int_equal(keep(40, 0), 0);
    assert_true(robo__store_counts(store).bytes <= 10 * COST);
    assert_true(has_file("000000000040.jpg"));
}

TEST(a_smaller_bound_holds_from_the_beginning)
{
    open_store(0);
    keep(20, 0);
    open_store(5 * COST);
    assert_int_equal(pictures(), 5);
    assert_true(has_file("000000000020.jpg"));
}

TEST(the_index_is_written_anew_when_half_of_it_is_gone)
{
    open_store(10 * COST);
    for (int i = 0; i < 74; i++)
        keep(1, i);
    has_lines(10, 65, 74); /* 64 of 74 were gone */
    keep(1, 75);
    open_store(10 * COST);
    assert_int_equal(pictures(), 10);
    has_lines(10, 66, 75); /* a start puts it right, whatever is gone */
}

TEST(numbers_go_on_when_all_pictures_were_taken_away)
{
    open_store(0);
    keep(1, 5);
    robo__store_close(store);
    store = NULL;
    char path[64];
    snprintf(path, sizeof path, "%s/000000000001.jpg", folder);
    assert_int_equal(unlink(path), 0);
    open_store(0);
    assert_int_equal(pictures(), 0);
    keep(1, 6);
    has_lines(1, 2, 2);
}

/* ---- a full disk, and one that fails ---- */

TEST(a_full_disk_has_the_oldest_tenth_go)
{
    open_store(0);
    fault.room = 20 * (SIZE + ROBO__STORE_LINE) + 100;
    logs = 0;
    for (int i = 0; i < 60; i++)
        assert_int_equal(keep(1, i), 0);
    assert_int_equal(logs, 1);
    assert_true(pictures() >= 17 && pictures() <= 20);
    assert_int_equal(robo__store_counts(store).kept, 60);
    assert_true(has_file("000000000060.jpg"));
    open_store(0); /* and the index tells what is there */
    assert_true(pictures() >= 17);
}

/* A sender may try it again and again. */
TEST(a_picture_that_the_disk_could_never_hold_costs_no_other)
{
    static uint8_t large[40 * SIZE];
    make_jpeg(large, sizeof large, 7);
    struct robo__stored p = { .bytes = large, .size = sizeof large, .source = "r/c" };
    open_store(0);
    fault.room = 20 * (SIZE + ROBO__STORE_LINE) + 100;
    keep(10, 0);
    for (int i = 0; i < 50; i++) {
        robo__store_keep(store, &p, 1);
        assert_int_equal(p.error, ROBO_ESYSTEM);
    }
    assert_int_equal(pictures(), 10);
    assert_int_equal(robo__store_counts(store).removed, 0);
    p.size = 15 * SIZE; /* there would be room */
    robo__store_keep(store, &p, 1);
    assert_int_equal(robo__store_counts(store).removed > 0, 1);
}

TEST(a_disk_that_others_fill_refuses_pictures_and_says_so_once)
{
    open_store(0);
    keep(3, 0);
    fault.room = 1;
    logs = 0;
    assert_int_equal(keep(1, 5), ROBO_ESYSTEM);
    assert_int_equal(keep(1, 6), ROBO_ESYSTEM);
    assert_int_equal(keep(1, 7), ROBO_ESYSTEM);
    assert_int_equal(keep(1, 8), ROBO_ESYSTEM);
    assert_int_equal(logs, 2); /* that the oldest go, and that none is left */
    assert_non_null(strstr(last_log, "000000000004.jpg: No space left on device"));
    fault.room = 0;
    assert_int_equal(keep(1, 9), 0);
    open_store(0);
    assert_int_equal(pictures(), 1);
    has_lines(1, 4, 4);
}

/* Each call of the system fails once, wherever: the picture is refused or kept, and the folder tells which. */
TEST(whatever_fails_a_refused_picture_leaves_nothing)
{
    static const char *const calls[] = { "pwrite", "fsync", "fdatasync", "renameat" };
    int refused = 0;
    uint64_t count = 0;
    for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
        for (int after = 0; after < 40; after++) {
            open_store(0);
            fault.call = calls[c];
            fault.after = after;
            fault.times = 1;
            fault.error = EIO;
            const struct robo__store_counts before = robo__store_counts(store);
            keep(3, 5);
            const struct robo__store_counts now = robo__store_counts(store);
            assert_int_equal(now.kept + now.refused, before.kept + before.refused + 3);
            count += now.kept;
            refused += (int)now.refused;
            fault.call = NULL;
            open_store(0);
            assert_int_equal(pictures(), count);
        }
    }
    /* pwrite: 3 pictures in two pieces or more each; fsync: each, and the folder; fdatasync and renameat */
    assert_true(refused > 20);
}

static void fail_once(const char *call, int after, int error)
{
    fault.call = call;
    fault.after = after;
    fault.times = 1;
    fault.error = error;
}

/* Nobody has to start anew for that: who looks back reads the index meanwhile. */
TEST(a_line_that_fails_is_cut_off_again)
{
    static const char *const calls[] = { "pwrite", "fdatasync" };
    char index[64];
    struct stat file;
    open_store(0);
    keep(1, 0);
    snprintf(index, sizeof index, "%s/index", folder);
    for (int c = 0; c < 2; c++)
        for (int after = 0; after < (c ? 1 : 40); after++) {
            fail_once(calls[c], after, EIO);
            keep(1, 5);
            fault.call = NULL;
            assert_int_equal(stat(index, &file), 0);
            assert_int_equal(file.st_size, pictures() * ROBO__STORE_LINE);
        }
    assert_true(robo__store_counts(store).refused >= 20);
}

TEST(a_disk_that_is_full_at_the_line_has_the_oldest_tenth_go)
{
    open_store(0);
    keep(10, 0);
    fail_once("fdatasync", 0, ENOSPC);
    assert_int_equal(keep(1, 5), 0);
    assert_int_equal(robo__store_counts(store).removed, 1);
    assert_int_equal(pictures(), 10);
}

/* Each is on the disk before it has a line: its own file, and then the folder. */
TEST(a_picture_that_is_not_synced_is_refused_alone)
{
    open_store(0);
    fail_once("fsync", 1, EIO);
    keep(3, 0);
    assert_int_equal(robo__store_counts(store).kept, 2);
    fail_once("fsync", 3, EIO);
    keep(3, 5);
    assert_int_equal(robo__store_counts(store).kept, 2);
    assert_int_equal(robo__store_counts(store).refused, 4);
}

TEST(what_cannot_be_opened_says_where)
{
    robo__store_close(store);
    store = NULL;
    rmdir(folder);
    int fd = open(folder, O_WRONLY | O_CREAT, 0666);
    close(fd);
    assert_int_equal(robo__store_open(folder, 0, NULL, NULL, &store, why), ROBO_ESYSTEM);
    assert_non_null(strstr(why, folder));
    assert_non_null(strstr(why, ": Not a directory"));
    unlink(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    char path[64];
    snprintf(path, sizeof path, "%s/index", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(robo__store_open(folder, 0, NULL, NULL, &store, why), ROBO_ESYSTEM);
    assert_non_null(strstr(why, "/index: Is a directory"));
    rmdir(path);
}
