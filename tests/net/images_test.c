/* Pictures over sockets, with real threads: senders on one loop, servers on another that has its own, and the keeper's. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../test.h"
#include "../patience.h"
#include "../unit/jpegs.h"
#include "net/picture_writer.h"
#include "net/loop.h"
#include "robotalk/images.h"

enum { SENDERS = 4, PICTURES = 100, SIZE = 20000 };
static const robo_time TURN = 10 * 1000000;

static char folder[] = "/tmp/images_XXXXXX", address[64], kept[64];
static robo_world *world;
static robo_loop *servers, *senders;
static robo_images *images;
static uint8_t *picture;

static int set_up(void **state)
{
    strcpy(folder, "/tmp/images_XXXXXX");
    world = robo_open(NULL);
    servers = robo_loop_open(world);
    senders = robo_loop_open(world);
    picture = malloc(ROBO_IMAGE_MOST);
    images = NULL;
    if (!world || !servers || !senders || !picture || !mkdtemp(folder))
        return -1;
    snprintf(address, sizeof address, "images+unix:%s/s", folder);
    snprintf(kept, sizeof kept, "%s/kept", folder);
    return 0;
}

static int tear_down(void **state)
{
    robo_loop_close(senders);
    robo_loop_close(servers);
    robo_images_close(images);
    robo_close(world);
    free(picture);
    DIR *d = opendir(kept);
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(kept);
    char path[64];
    snprintf(path, sizeof path, "%s/s", folder);
    unlink(path);
    rmdir(folder);
    return 0;
}

static robo_server *serve(const char *at, uint64_t most)
{
    const struct robo_images_options options = { .size = sizeof options,
                                                 .folder = kept,
                                                 .most = most };
    char why[256];
    images = robo_images_open(world, &options, NULL, why);
    assert_non_null(images);
    assert_int_equal(robo_loop_use_images(servers, images), 0);
    robo_server *server = robo_serve(servers, at, NULL, NULL, why);
    assert_non_null(server);
    assert_int_equal(robo_loop_start(servers), 0);
    return server;
}

static robo_image_sender *dial(const char *url, int lossless, unsigned window)
{
    const struct robo_image_sender_options options = {
        .size = sizeof options, .lossless = lossless, .window = window, .name = "a/b"
    };
    char why[256];
    robo_image_sender *sender = robo_image_sender_open(senders, url, &options, NULL, why);
    assert_non_null(sender);
    return sender;
}

static struct robo_image_sender_state look(robo_image_sender *sender)
{
    struct robo_image_sender_state s;
    robo_image_sender_look(sender, &s);
    return s;
}

FIXTURE(set_up, tear_down);

TEST(all_of_several_senders_are_kept)
{
    robo_server *server = serve(address, 0);
    robo_image_sender *sender[SENDERS];
    unsigned given[SENDERS] = { 0 }, left = SENDERS * PICTURES;
    make_jpeg(picture, SIZE, 7);
    for (int i = 0; i < SENDERS; i++)
        sender[i] = dial(address, 1, 8);
    REPEAT_UNTIL(left == 0, {
        for (int i = 0; i < SENDERS; i++) {
            while (given[i] < PICTURES &&
                   robo_image_sender_put(sender[i], picture, SIZE, NULL) == 0)
                given[i]++;
        }
        robo_loop_dispatch(senders, TURN);
        left = SENDERS * PICTURES;
        for (int i = 0; i < SENDERS; i++)
            left -= (unsigned)look(sender[i]).kept;
    });
    for (int i = 0; i < SENDERS; i++) {
        assert_int_equal(look(sender[i]).refused, 0);
        robo_image_sender_close(sender[i]);
    }
    struct robo_images_counts counts;
    robo_images_counts(images, &counts);
    assert_int_equal(counts.pictures, SENDERS * PICTURES);
    robo_unserve(server);
    robo_image_list *list = robo_image_list_open(kept, NULL, NULL);
    assert_non_null(list);
    assert_int_equal(robo_image_list_count(list), SENDERS * PICTURES);
    robo_image_list_close(list);
}

TEST(the_largest_picture_goes_by_tcp)
{
    robo_server *server = serve("images://localhost:0", 0);
    char url[320];
    robo_server_url(server, url);
    robo_image_sender *sender = dial(url, 1, 1);
    make_jpeg(picture, ROBO_IMAGE_MOST, 7);
    assert_int_equal(robo_image_sender_put(sender, picture, ROBO_IMAGE_MOST, NULL), 0);
    REPEAT_UNTIL(look(sender).kept == 1, robo_loop_dispatch(senders, TURN));
    robo_image_sender_close(sender);
    robo_unserve(server);
    robo_image_list *list = robo_image_list_open(kept, NULL, NULL);
    assert_non_null(list);
    assert_int_equal(robo_image_list_count(list), 1);
    assert_int_equal(robo_image_list_at(list, 0)->size, ROBO_IMAGE_MOST);
    robo_image_list_close(list);
}

TEST(servers_may_end_while_pictures_are_on_their_way)
{
    robo_image_sender *sender = dial(address, 0, 0);
    make_jpeg(picture, SIZE, 7);
    for (int round = 0; round < 10; round++) {
        robo_server *server = serve(address, 40 * SIZE);
        const uint64_t before = look(sender).kept;
        REPEAT_UNTIL(look(sender).kept > before + (uint64_t)round, {
            robo_image_sender_put(sender, picture, SIZE, NULL);
            robo_loop_dispatch(senders, TURN / 10);
        });
        robo_image_sender_put(sender, picture, SIZE, NULL);
        robo_unserve(server);
        robo_loop_stop(servers);
        robo_images_close(images);
        images = NULL;
    }
    assert_true(look(sender).links >= 10);
    robo_image_sender_close(sender);
}

/* A host whose mailbox is emptied by who fills it, which is the keeper's job: it looks back again then, while others wait. */
static struct robo__host at_once;
static struct robo__glance glance[4];
static atomic_uint found;

static void look_back(unsigned number)
{
    glance[number].host = &at_once;
    robo__picture_writer_look(images, &glance[number]);
}

static void on_found(struct robo__wakeup *wakeup, robo_time now)
{
    const unsigned before = atomic_load(&found);
    if (before == 0) {
        look_back(1);
        look_back(2);
    } else if (before == 1) {
        look_back(3); /* 2 waits */
    }
    atomic_store(&found, before + 1);
}

static void on_posted(struct robo__mailbox *mailbox)
{
    robo__wakeup_drain(mailbox, 0);
}

TEST(all_who_look_back_at_once_are_answered)
{
    robo_server *server = serve(address, 0);
    atomic_store(&found, 0);
    memset(glance, 0, sizeof glance);
    at_once.mailbox.notify = on_posted;
    for (int i = 0; i < 4; i++)
        glance[i].wakeup.run = on_found;
    look_back(0);
    REPEAT_UNTIL(atomic_load(&found) == 4, robo_loop_dispatch(senders, TURN));
    for (int i = 0; i < 4; i++)
        assert_int_equal(glance[i].answer.error, ROBO_ENONE);
    robo_unserve(server);
}

/* The answer to a request; how many bytes. */
static size_t get(const char *path, char *out, size_t size)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    char request[128];
    size_t have = 0;
    ssize_t n = 1;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s/s", folder);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    const int length =
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path);
    assert_int_equal(send(fd, request, (size_t)length, MSG_NOSIGNAL), length);
    while (n > 0 && have < size - 1) {
        n = recv(fd, out + have, size - 1 - have, 0);
        have += n > 0 ? (size_t)n : 0;
    }
    out[have] = 0;
    close(fd);
    return have;
}

TEST(who_looks_back_sees_whole_pictures_while_others_come)
{
    static char got[1 << 17];
    robo_server *server = serve(address, 20 * SIZE);
    robo_image_sender *sender = dial(address, 1, 8);
    unsigned given = 0, seen = 0;
    make_jpeg(picture, SIZE, 7);
    REPEAT_UNTIL(look(sender).kept == PICTURES, {
        while (given < PICTURES && robo_image_sender_put(sender, picture, SIZE, NULL) == 0)
            given++;
        robo_loop_dispatch(senders, TURN / 10);
        const size_t n = get(given % 2 ? "/a/b?step=-3" : "/?most=5", got, sizeof got);
        assert_true(n > 100);
        if (strncmp(got, "HTTP/1.1 404", 12) ==
            0) /* none is there yet, or it has gone for a newer one */
            continue;
        assert_memory_equal(got, "HTTP/1.1 200", 12);
        if (given % 2)
            assert_memory_equal(got + n - SIZE, picture, SIZE);
        else
            assert_string_equal(got + n - 2, "]\n");
        seen++;
    });
    assert_true(seen > 0);
    assert_true(get("/a/b", got, sizeof got) > SIZE);
    robo_image_sender_close(sender);
    robo_unserve(server);
}

/* ---- a server by hand, which reads when it is told to ---- */

static int listen_by_hand(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    snprintf(at.sun_path, sizeof at.sun_path, "%s/s", folder);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 4), 0);
    return fd;
}

/* The sender's loop turns until so many bytes have come. */
static void take(int fd, uint8_t *out, size_t n)
{
    size_t have = 0;
    REPEAT_UNTIL(have == n, {
        robo_loop_dispatch(senders, 0);
        const ssize_t got = recv(fd, out + have, n - have, MSG_DONTWAIT);
        assert_true(got != 0);
        have += got > 0 ? (size_t)got : 0;
    });
}

static int accept_by_hand(int listening)
{
    uint8_t hello[2];
    int fd = -1;
    REPEAT_UNTIL(fd >= 0, {
        robo_loop_dispatch(senders, TURN);
        fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    });
    take(fd, hello, 2);
    assert_memory_equal(hello, "OK", 2);
    assert_int_equal(send(fd, "OK", 2, 0), 2);
    return fd;
}

TEST(a_slow_link_gets_the_newest)
{
    enum { LARGE = 4 << 20 };
    int listening = listen_by_hand();
    robo_image_sender *sender = dial(address, 0, 0);
    int fd = accept_by_hand(listening);
    REPEAT_UNTIL(look(sender).up, robo_loop_dispatch(senders, TURN));
    for (uint8_t i = 0; i < 100;
         i++) { /* nobody reads: the first goes out, and 99 wait for it in turn */
        make_jpeg(picture, LARGE, i);
        assert_int_equal(robo_image_sender_put(sender, picture, LARGE, NULL), 0);
        robo_loop_dispatch(senders, 0);
        assert_true(look(sender).waiting <= 2);
    }
    assert_int_equal(look(sender).skipped, 98);
    uint8_t *got = malloc(LARGE + 5), name[8];
    assert_non_null(got);
    take(fd, name, 8);
    assert_memory_equal(name, "\xff\0\0\0\3a/b", 8);
    take(fd, got, LARGE + 5);
    assert_int_equal(got[1000], 0);
    take(fd, got, LARGE + 5);
    assert_int_equal(got[1000], 99);
    free(got);
    robo_image_sender_close(sender);
    close(fd);
    close(listening);
}

TEST(a_picture_that_was_cut_off_with_the_link_is_skipped_or_goes_again)
{
    enum { LARGE = 4 << 20 };
    int listening = listen_by_hand();
    for (int lossless = 0; lossless < 2; lossless++) {
        robo_image_sender *sender = dial(address, lossless, 1);
        int fd = accept_by_hand(listening);
        uint8_t some[1000];
        make_jpeg(picture, LARGE, 7);
        assert_int_equal(robo_image_sender_put(sender, picture, LARGE, NULL), 0);
        take(fd, some, sizeof some);
        close(fd);
        fd = accept_by_hand(listening);
        REPEAT_UNTIL(look(sender).links == 2, robo_loop_dispatch(senders, TURN));
        assert_int_equal(look(sender).skipped, lossless ? 0 : 1);
        assert_int_equal(look(sender).waiting, lossless ? 1 : 0);
        if (lossless) {
            take(fd, some, 13); /* name and head, from the beginning on */
            assert_memory_equal(some, "\xff\0\0\0\3a/b\2\0\x40\0\0", 13);
        }
        robo_image_sender_close(sender);
        close(fd);
    }
    close(listening);
}

TEST(what_answers_otherwise_is_no_image_server)
{
    int listening = listen_by_hand();
    robo_image_sender *sender = dial(address, 0, 0);
    static const char *const words[] = { "HTTP/1.1 400", "NO", "OKOK" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        int fd = -1;
        REPEAT_UNTIL(fd >= 0, {
            robo_loop_dispatch(senders, TURN);
            fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        });
        assert_true(send(fd, words[i], strlen(words[i]), MSG_NOSIGNAL) > 0);
        REPEAT_UNTIL(look(sender).error == ROBO_EBODY, robo_loop_dispatch(senders, TURN));
        assert_string_equal(look(sender).why, "what answers there is no image server");
        assert_false(look(sender).up);
        close(fd);
    }
    robo_image_sender_close(sender);
    close(listening);
}

/* A lossless one has nothing that such an answer could be to. */
TEST(an_answer_too_many_is_none_to_a_lossless_sender)
{
    int listening = listen_by_hand(), fd = -1;
    robo_image_sender *sender = dial(address, 1, 4);
    REPEAT_UNTIL(fd >= 0, {
        robo_loop_dispatch(senders, TURN);
        fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    });
    assert_true(send(fd, "OKOK", 4, MSG_NOSIGNAL) > 0);
    REPEAT_UNTIL(look(sender).error == ROBO_EBODY, robo_loop_dispatch(senders, TURN));
    assert_int_equal(look(sender).kept, 0);
    close(fd);
    robo_image_sender_close(sender);
    close(listening);
}

static int lost_links;

static void count_lost_links(void *owner, enum robo_log_level level, const char *line)
{
    lost_links += strstr(line, "the link is lost") != NULL;
}

/* It greets, and hangs up without an answer to a picture: attempts become fewer, and the log has one line. */
TEST(a_server_that_answers_no_picture_is_dialled_ever_more_rarely)
{
    enum { LINKS = 4 };
    robo_loop_close(senders);
    robo_loop_close(servers);
    robo_close(world);
    lost_links = 0;
    world = robo_open(
        &(struct robo_options){ .size = sizeof(struct robo_options), .log = count_lost_links });
    servers = robo_loop_open(world);
    senders = robo_loop_open(world);
    int listening = listen_by_hand();
    robo_image_sender *sender = dial(address, 0, 0);
    robo_time begin = 0;
    for (int i = 0; i < LINKS; i++) {
        int fd = -1;
        robo_image_sender_put(sender, picture, 100, NULL);
        REPEAT_UNTIL(fd >= 0, {
            robo_loop_dispatch(senders, TURN);
            fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        });
        begin = begin ? begin : robo_now(world);
        assert_true(send(fd, "OK", 2, MSG_NOSIGNAL) > 0);
        REPEAT_UNTIL(look(sender).links == i + 1u, robo_loop_dispatch(senders, TURN));
        close(fd);
        REPEAT_UNTIL(!look(sender).up, robo_loop_dispatch(senders, TURN));
    }
    /* 0.1, 0.2 and 0.4 s lie between these */
    assert_true(robo_now(world) - begin >= 690 * 1000000);
    assert_int_equal(lost_links, 1);
    /* it would be 1.6 s: once a picture was answered it begins anew */
    int fd = accept_by_hand(listening);
    const uint64_t before = look(sender).sent;
    robo_image_sender_put(sender, picture, 100, NULL);
    REPEAT_UNTIL(look(sender).sent > before, robo_loop_dispatch(senders, TURN));
    assert_int_equal(send(fd, "OK", 2, MSG_NOSIGNAL), 2);
    REPEAT_UNTIL(look(sender).kept == 1, robo_loop_dispatch(senders, TURN));
    close(fd);
    REPEAT_UNTIL(!look(sender).up, robo_loop_dispatch(senders, 0));
    assert_true(robo__timers_next(senders->host.timers) <= robo_now(world) + 100 * 1000000);
    assert_int_equal(lost_links, 2);
    robo_image_sender_close(sender);
    close(listening);
}

TEST(a_sender_may_be_closed_while_it_connects)
{
    for (int i = 0; i < 20; i++) {
        robo_image_sender *sender = dial("images://localhost:1", 0, 0);
        robo_image_sender_put(sender, picture, 100, NULL);
        robo_loop_dispatch(senders, i % 2 ? TURN : 0);
        robo_image_sender_close(sender);
    }
}
