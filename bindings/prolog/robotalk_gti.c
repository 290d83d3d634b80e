/* The Golog-Tekkotsu interface for SWI-Prolog: one connection of a client, and a predicate for each command.
 * robotalk.pl makes of them the predicates of paper 002. Calls block: a Golog interpreter in Prolog waits for its
 * actions. */
#include <string.h>

#include <SWI-Prolog.h>

#include "robotalk.h"
#include "robotalk/gti.h"
#include "robotalk/socket.h"

static const robo_time SECOND = 1000000000,
                       PATIENCE = 60000000000; /* a head may search for as long */

static robo_world *world; /* once there was a connection, until the process ends */
static robo_loop *loop;
static robo_socket *robot; /* NULL: not connected; only Prolog's main thread uses it */
static struct robo_gti_format format;
static uint8_t in[ROBO_GTI_MOST * 8]; /* received from the robot */
static size_t got;
static bool lost;

static void on_received(void *owner, const void *bytes, size_t n)
{
    (void)owner;
    lost |= n > sizeof in - got; /* more than it was asked for */
    if (lost)
        return;
    memcpy(in + got, bytes, n);
    got += n;
}

static void on_lost(void *owner, int error, const char *why)
{
    (void)owner, (void)error, (void)why;
    lost = true;
}

static foreign_t gti_disconnect(void)
{
    robo_socket_close(robot);
    robot = NULL;
    return TRUE;
}

static foreign_t link_error(const char *what)
{
    term_t e = PL_new_term_ref();
    gti_disconnect();
    return PL_unify_term(e, PL_FUNCTOR_CHARS, "error", 2, PL_FUNCTOR_CHARS, "robotalk_error", 1,
                         PL_UTF8_CHARS, what, PL_VARIABLE) &&
           PL_raise_exception(e);
}

/* The present exchange has ended, perhaps since Prolog was interrupted: its reply may still come, so the connection ends,
 * too. */
static foreign_t break_off(const char *what)
{
    if (!PL_exception(0))
        return link_error(what);
    gti_disconnect();
    return FALSE;
}

/* gti_connect(+URL, +BigEndian, +Packed, +ShortWalk) */
static foreign_t gti_connect(term_t url, term_t big_endian, term_t packed, term_t short_walk)
{
    const struct robo_dial_options options = { .size = sizeof options,
                                               .received = on_received,
                                               .lost = on_lost };
    char *text, why[256];
    int big, pack, brief;
    if (!PL_get_chars(url, &text, CVT_ATOM | CVT_STRING | CVT_EXCEPTION | REP_UTF8) ||
        !PL_get_bool_ex(big_endian, &big) || !PL_get_bool_ex(packed, &pack) ||
        !PL_get_bool_ex(short_walk, &brief))
        return FALSE;
    gti_disconnect();
    if (!world)
        world = robo_open(NULL);
    if (world && !loop)
        loop = robo_loop_open(world);
    if (!loop)
        return (foreign_t)PL_resource_error("memory");
    got = 0;
    lost = false;
    robot = robo_dial(loop, text, 2 * SECOND, &options, NULL, why);
    if (!robot)
        return link_error(why);
    format = (struct robo_gti_format){ big || robo_socket_option(robot, "big") == 1,
                                       pack || robo_socket_option(robot, "packed") == 1,
                                       brief || robo_socket_option(robot, "short_walk") == 1 };
    return TRUE;
}

/* One turn; false: the connection is over, the time is, or Prolog was interrupted. */
static bool turn(robo_time until)
{
    return !lost && robo_now(world) < until && robo_loop_dispatch(loop, SECOND / 4) == 0 &&
           PL_handle_signals() >= 0;
}

/* Sends a command and reads its reply, if it has one. */
static foreign_t perform(const struct robo_gti_request *request, struct robo_gti_reply *reply)
{
    uint8_t out[ROBO_GTI_HEADER + ROBO_GTI_BODY];
    const size_t n = robo_gti_encode(format, request, out),
                 size = robo_gti_reply_size(format, request);
    if (!robot)
        return link_error("not connected: connect(URL) comes first");
    if (n == 0)
        return (foreign_t)PL_domain_error("command of the Golog-Tekkotsu interface",
                                          PL_new_term_ref());
    const robo_time until = robo_now(world) + PATIENCE;
    got = 0;
    for (size_t sent = 0; sent < n;) {
        ptrdiff_t k = robo_socket_write(robot, out + sent, n - sent);
        if (k < 0 || (k == 0 && !turn(until)))
            return break_off("the robot is gone");
        sent += (size_t)k;
    }
    while (got < size)
        if (!turn(until))
            return break_off("the robot does not answer");
    if (!robo_gti_read_reply(format, request, in, reply))
        return link_error("a reply's number is none");
    return TRUE;
}

/* gti_query_sensors(+Places, -Values) */
static foreign_t gti_query_sensors(term_t places, term_t values)
{
    struct robo_gti_request r = { .type = ROBO_GTI_QUERY_SENSORS };
    struct robo_gti_reply reply;
    term_t list = PL_copy_term_ref(places), head = PL_new_term_ref();
    int place;
    while (PL_get_list_ex(list, head, list)) {
        if (!PL_get_integer_ex(head, &place))
            return FALSE;
        if (r.count == ROBO_GTI_MOST)
            return (foreign_t)PL_resource_error("sensors: at most 64");
        r.sensor[r.count++] = place;
    }
    if (!PL_get_nil_ex(list) || !perform(&r, &reply))
        return FALSE;
    term_t out = PL_copy_term_ref(values);
    for (int i = 0; i < r.count; i++)
        if (!PL_unify_list(out, head, out) || !PL_unify_float(head, reply.value[i]))
            return FALSE;
    return (foreign_t)PL_unify_nil(out);
}

/* gti_query_ball(+Color, -Visible, -X, -Y, -Area): without a visible ball X, Y and Area stay unbound */
static foreign_t gti_query_ball(term_t color, term_t visible, term_t x, term_t y, term_t area)
{
    struct robo_gti_request r = { .type = ROBO_GTI_QUERY_BALL };
    struct robo_gti_reply reply;
    int number;
    if (!PL_get_integer_ex(color, &number))
        return FALSE;
    r.color = number;
    if (!perform(&r, &reply) || !PL_unify_integer(visible, reply.visible))
        return FALSE;
    return !reply.visible || (PL_unify_float(x, reply.x) && PL_unify_float(y, reply.y) &&
                              PL_unify_float(area, reply.area));
}

/* gti_search_ball(+Color, -Found) */
static foreign_t gti_search_ball(term_t color, term_t found)
{
    struct robo_gti_request r = { .type = ROBO_GTI_SEARCH_BALL };
    struct robo_gti_reply reply;
    int number;
    if (!PL_get_integer_ex(color, &number))
        return FALSE;
    r.color = number;
    return perform(&r, &reply) && PL_unify_integer(found, reply.found);
}

/* gti_move_joints(+List) of joint(Place, Degrees, Percent) */
static foreign_t gti_move_joints(term_t joints)
{
    struct robo_gti_request r = { .type = ROBO_GTI_MOVE_JOINTS };
    struct robo_gti_reply reply;
    term_t list = PL_copy_term_ref(joints), head = PL_new_term_ref(), a = PL_new_term_ref();
    while (PL_get_list_ex(list, head, list)) {
        if (r.count == ROBO_GTI_MOST)
            return (foreign_t)PL_resource_error("joints: at most 64");
        struct robo_gti_joint *j = &r.joint[r.count++];
        int place;
        if (!PL_get_arg(1, head, a) || !PL_get_integer_ex(a, &place) || !PL_get_arg(2, head, a) ||
            !PL_get_float_ex(a, &j->angle) || !PL_get_arg(3, head, a) ||
            !PL_get_float_ex(a, &j->speed))
            return FALSE;
        j->joint = place;
    }
    return PL_get_nil_ex(list) && perform(&r, &reply);
}

/* gti_motion(+File) */
static foreign_t gti_motion(term_t file)
{
    struct robo_gti_request r = { .type = ROBO_GTI_MOTION };
    struct robo_gti_reply reply;
    char *text;
    if (!PL_get_chars(file, &text, CVT_ATOM | CVT_STRING | CVT_EXCEPTION | REP_UTF8))
        return FALSE;
    if (strlen(text) > ROBO_GTI_NAME)
        return (foreign_t)PL_domain_error("name of at most 255 bytes", file);
    strcpy(r.file, text);
    return perform(&r, &reply);
}

static foreign_t walk(enum robo_gti_type type, term_t dx, term_t dy, term_t da, term_t seconds)
{
    struct robo_gti_request r = { .type = type };
    struct robo_gti_reply reply;
    if (!PL_get_float_ex(dx, &r.dx) || !PL_get_float_ex(dy, &r.dy) || !PL_get_float_ex(da, &r.da) ||
        (type == ROBO_GTI_WALK_FOR && !PL_get_float_ex(seconds, &r.seconds)))
        return FALSE;
    return perform(&r, &reply);
}

/* gti_walk(+Dx, +Dy, +Da), gti_walk_for(+Dx, +Dy, +Da, +Seconds) */
static foreign_t gti_walk(term_t dx, term_t dy, term_t da)
{
    return walk(ROBO_GTI_WALK, dx, dy, da, 0);
}

static foreign_t gti_walk_for(term_t dx, term_t dy, term_t da, term_t seconds)
{
    return walk(ROBO_GTI_WALK_FOR, dx, dy, da, seconds);
}

/* Called by use_foreign_library. */
__attribute__((visibility("default"))) install_t install_robotalk_gti(void);
install_t install_robotalk_gti(void)
{
    PL_register_foreign("gti_connect", 4, (pl_function_t)gti_connect, 0);
    PL_register_foreign("gti_disconnect", 0, (pl_function_t)gti_disconnect, 0);
    PL_register_foreign("gti_query_sensors", 2, (pl_function_t)gti_query_sensors, 0);
    PL_register_foreign("gti_query_ball", 5, (pl_function_t)gti_query_ball, 0);
    PL_register_foreign("gti_search_ball", 2, (pl_function_t)gti_search_ball, 0);
    PL_register_foreign("gti_move_joints", 1, (pl_function_t)gti_move_joints, 0);
    PL_register_foreign("gti_motion", 1, (pl_function_t)gti_motion, 0);
    PL_register_foreign("gti_walk", 3, (pl_function_t)gti_walk, 0);
    PL_register_foreign("gti_walk_for", 4, (pl_function_t)gti_walk_for, 0);
}
