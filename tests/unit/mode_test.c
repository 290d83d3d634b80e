/* Command modes of a C host: functions that the library calls, through robotalk.h alone. */
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "../base_robot.h"
#include "robotalk.h"
#include "robotalk/description.h"
#include "robotalk/mode.h"
#include "../ids.h"

#define S(seconds) ((robo_time)((seconds)*1e9))

static robo_world *world;
static robo_loop *loop;

/* What the functions of a mode were called with. */
struct noted {
    int opened, decided, closed, released;
    struct robo_mode_request asked;
    char name[32], options[64];
    struct robo_mode_seen seen;
    uint64_t enough; /* frames; 0: it does not hold */
    int fails;       /* an error of the next call */
};

static int own; /* what sessions get */

static int failed(struct noted *n, char why[128])
{
    snprintf(why, 128, "the drummer is %s", "ill");
    return n->fails;
}

static int open_mode(void *owner, const struct robo_mode_request *request,
                     struct robo_mode_decision *decision, void **mine, char why[128])
{
    struct noted *n = owner;
    n->opened++;
    n->asked = *request;
    strcpy(n->name, request->name);
    strcpy(n->options, request->options);
    assert_int_equal(decision->hold || decision->blocking || decision->buffered, 0);
    assert_int_equal(decision->expiry, -1);
    *mine = &own;
    if (n->fails)
        return failed(n, why);
    decision->buffered = 1;
    decision->hold = n->enough > 0;
    decision->shift = request->delay;
    return 0;
}

static int decide(void *owner, void *mine, const struct robo_mode_seen *seen,
                  struct robo_mode_decision *decision, char why[128])
{
    struct noted *n = owner;
    assert_ptr_equal(mine, &own);
    assert_true(decision->hold && decision->buffered);
    assert_true(robo_mode_need(seen, 0.5, 1, 0.1) <= robo_mode_need(seen, 0.99, 100, 0.1));
    n->decided++;
    n->seen = *seen;
    if (n->fails)
        return failed(n, why);
    decision->hold = seen->frames < n->enough && !seen->finished;
    decision->shift = S(3);
    return 0;
}

static void close_mode(void *owner, void *mine)
{
    assert_ptr_equal(mine, &own);
    ((struct noted *)owner)->closed++;
}

static void release_mode(void *owner)
{
    ((struct noted *)owner)->released++;
}

static struct robo_mode mode_of(const char *name, struct noted *n)
{
    return (struct robo_mode){ .size = sizeof(struct robo_mode),
                               .name = name,
                               .owner = n,
                               .open = open_mode,
                               .decide = decide,
                               .close = close_mode,
                               .release = release_mode };
}

static int open_world(void **state)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    struct robo_description cart = base_robot("cart", "sim");
    cart.commands = 1 << (ROBO_SET_SPEED - ROBO_FIRST_OP) | 1 << (ROBO_STOP - ROBO_FIRST_OP);
    world = robo_open(&options);
    return world && robo_add_drivers(world) == 0 && robo_add(world, &cart, NULL) == 0 &&
                   (loop = robo_loop_open(world)) != NULL
               ? 0
               : -1;
}

static int close_world(void **state)
{
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}

static robo_client *connect_here(void)
{
    robo_client *c = robo_client_open(loop, "local:", NULL, NULL, NULL);
    assert_non_null(c);
    assert_int_equal(robo_client_wait(c, S(5), NULL), 0);
    return c;
}

static int64_t open_session(robo_client *c, const char *mode, const char *options, robo_time delay)
{
    const struct robo_session_options o = {
        .size = sizeof o, .mode = mode, .options = options, .delay = delay
    };
    return robo_session(c, &o, S(5));
}

static uint32_t send_speed(robo_client *c, int64_t session, robo_time start, double x)
{
    struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = start, .body.set_speed.x = x };
    int64_t id = robo_send(c, (uint32_t)session, &cmd, 1);
    assert_true(id > 0);
    return (uint32_t)id;
}

static struct robo_result result_of(robo_client *c, uint32_t id)
{
    struct robo_result result;
    assert_int_equal(robo_wait(c, id, S(20)), 0);
    assert_int_equal(robo_take(c, id, &result, sizeof result), 1);
    return result;
}

FIXTURE(open_world, close_world);

TEST(a_mode_shifts)
{
    static struct noted n; /* until the world is closed */
    n = (struct noted){ 0 };
    const struct robo_mode late = mode_of("late", &n);
    assert_int_equal(robo_loop_add_mode(loop, &late), 0);
    robo_client *c = connect_here();
    int64_t s = open_session(c, "late", "bpm=120,loud=1", S(2));
    assert_true(s > 0);
    assert_int_equal(n.opened, 1);
    assert_string_equal(n.name, "late");
    assert_string_equal(n.options, "bpm=120,loud=1");
    assert_int_equal(n.asked.delay, S(2));
    robo_time start = robo_now(world) + S(0.5);
    struct robo_result result = result_of(c, send_speed(c, s, start, 0.1));
    assert_int_equal(result.signal, ROBO_SUCCESS);
    assert_int_equal(result.executed, start + S(2));
    assert_int_equal(n.decided, 0);
    /* direct is there by itself, others are not */
    assert_true(open_session(c, "direct", NULL, 0) > 0);
    assert_int_equal(open_session(c, "waltz", NULL, 0), ROBO_EMODE);
    assert_non_null(strstr(robo_client_why(c), "there is no mode 'waltz'; there are direct late"));
    robo_disconnect(c);
    assert_int_equal(n.closed, 1);
    assert_int_equal(n.released, 0);
    robo_loop_close(loop);
    assert_int_equal(n.released, 1);
    loop = NULL;
}

TEST(a_mode_holds)
{
    static struct noted n; /* until the world is closed */
    n = (struct noted){ .enough = 3 };
    const struct robo_mode mode = mode_of("gather", &n);
    assert_int_equal(robo_loop_add_mode(loop, &mode), 0);
    robo_client *c = connect_here();
    int64_t s = open_session(c, "gather", NULL, 0);
    assert_true(s > 0);
    assert_string_equal(n.options, "");
    robo_time start = robo_now(world);
    uint32_t id[3];
    for (int i = 0; i < 3; i++)
        id[i] = send_speed(c, s, start + i * S(0.5), 0.1 * i);
    for (int i = 0; i < 3; i++)
        assert_int_equal(result_of(c, id[i]).executed, start + S(3) + i * S(0.5));
    assert_int_equal(n.decided, 3);
    assert_int_equal(n.seen.frames, 3);
    assert_int_equal(n.seen.packages, 3);
    assert_int_equal(n.seen.first_start, start);
    assert_int_equal(n.seen.last_start, start + S(1));
    assert_int_equal(n.seen.finished, 0);
    /* the third has decided for those behind it */
    assert_int_equal(result_of(c, send_speed(c, s, start + S(2), 0)).executed, start + S(5));
    assert_int_equal(n.decided, 3);
    robo_disconnect(c);
    assert_int_equal(n.closed, 1);
}

TEST(what_a_mode_refuses)
{
    static struct noted n; /* until the world is closed */
    n = (struct noted){ .fails = ROBO_EMODE };
    const struct robo_mode mode = mode_of("sick", &n);
    assert_int_equal(robo_loop_add_mode(loop, &mode), 0);
    robo_client *c = connect_here();
    assert_int_equal(open_session(c, "sick", NULL, 0), ROBO_EMODE);
    assert_int_equal(n.closed, 1);
    /* neither 0 nor an error */
    n = (struct noted){ .fails = 7 };
    assert_int_equal(open_session(c, "sick", NULL, 0), ROBO_EMODE);
    assert_non_null(strstr(robo_client_why(c), "returned 7"));
    assert_int_equal(n.closed, 1);
    /* it fails while it holds */
    n = (struct noted){ .enough = 2 };
    int64_t s = open_session(c, "sick", NULL, 0);
    assert_true(s > 0);
    n.fails = ROBO_EMODE;
    struct robo_result result = result_of(c, send_speed(c, s, robo_now(world), 0.1));
    assert_int_equal(result.signal, ROBO_ERROR);
    assert_int_equal(result.reason, ROBO_WHY_MODE);
    /* it would hold for ever */
    n = (struct noted){ .enough = 2 };
    struct robo_mode silent = mode_of("silent", &n);
    silent.decide = NULL;
    assert_int_equal(robo_loop_add_mode(loop, &silent), 0);
    assert_int_equal(open_session(c, "silent", NULL, 0), ROBO_EMODE);
    robo_disconnect(c);
}

/* A session keeps the mode that it was opened in. */
TEST(a_mode_takes_the_place_of_another)
{
    static struct noted first, second, third; /* until the world is closed */
    first = second = third = (struct noted){ 0 };
    struct robo_mode mode = mode_of("late", &first);
    assert_int_equal(robo_loop_add_mode(loop, &mode), 0);
    robo_client *c = connect_here();
    int64_t s = open_session(c, "late", NULL, S(1));
    mode.owner = &second;
    assert_int_equal(robo_loop_add_mode(loop, &mode), 0);
    assert_int_equal(first.released, 0);
    assert_true(open_session(c, "late", NULL, S(2)) > 0);
    assert_int_equal(first.opened, 1);
    assert_int_equal(second.opened, 1);
    robo_time start = robo_now(world);
    assert_int_equal(result_of(c, send_speed(c, s, start, 0)).executed, start + S(1));
    robo_session_end(c, (uint32_t)s);
    robo_poll(c, S(0.1));
    assert_int_equal(first.closed, 1);
    assert_int_equal(first.released, 1);
    robo_disconnect(c);
    mode.owner = &third;
    assert_int_equal(robo_loop_add_mode(loop, &mode), 0);
    assert_int_equal(second.released, 1); /* at once: nobody has it */
}

TEST(what_is_no_mode)
{
    struct robo_mode mode = { 0 };
    assert_int_equal(robo_loop_add_mode(loop, &mode), ROBO_EINVAL);
    mode.size = sizeof mode;
    assert_int_equal(robo_loop_add_mode(loop, &mode), ROBO_EINVAL);
    mode.name = "";
    assert_int_equal(robo_loop_add_mode(loop, &mode), ROBO_EINVAL);
    mode.name = "a name that is longer than 31 bytes";
    assert_int_equal(robo_loop_add_mode(loop, &mode), ROBO_EINVAL);
    mode.name = "plain"; /* no functions: commands as they are */
    assert_int_equal(robo_loop_add_mode(loop, &mode), 0);
    robo_client *c = connect_here();
    int64_t s = open_session(c, "plain", NULL, 0);
    robo_time start = robo_now(world) + S(1);
    assert_int_equal(result_of(c, send_speed(c, s, start, 0)).executed, start);
    robo_disconnect(c);
}
