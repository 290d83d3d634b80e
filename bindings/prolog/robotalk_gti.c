/* The Golog-Tekkotsu interface for SWI-Prolog: one connection of a client, and a predicate for each command.
 * robotalk.pl makes of them the predicates of paper 002. Calls block: a Golog interpreter in Prolog waits for its
 * actions. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <SWI-Prolog.h>

#include "gti/server.h"
#include "net/socket.h"
#include "protocols.h"

static int fd = -1; /* the connection; only Prolog's main thread uses it */
static struct robo__gti_format format;
static const int PATIENCE = 60000; /* ms for a reply: a head may search for as long */

static foreign_t link_error(const char *what)
{
    term_t e = PL_new_term_ref();
    if (fd >= 0)
        close(fd);
    fd = -1;
    return PL_unify_term(e, PL_FUNCTOR_CHARS, "error", 2, PL_FUNCTOR_CHARS, "robotalk_error", 1,
                         PL_UTF8_CHARS, what, PL_VARIABLE) &&
           PL_raise_exception(e);
}

static foreign_t gti_disconnect(void)
{
    if (fd >= 0)
        close(fd);
    fd = -1;
    return TRUE;
}

/* gti_connect(+URL, +BigEndian, +Packed, +ShortWalk) */
static foreign_t gti_connect(term_t url, term_t big_endian, term_t packed, term_t short_walk)
{
    struct robo__url address;
    char *text, why[256];
    int big, pack, brief;
    if (!PL_get_chars(url, &text, CVT_ATOM | CVT_STRING | CVT_EXCEPTION | REP_UTF8) ||
        !PL_get_bool_ex(big_endian, &big) || !PL_get_bool_ex(packed, &pack) ||
        !PL_get_bool_ex(short_walk, &brief))
        return FALSE;
    gti_disconnect();
    int error = robo__url_parse(text, robo__protocols, &address, why);
    if (error == 0 && address.medium == ROBO__TLS)
        return link_error("expected an address without +tls");
    if (error == 0)
        error = robo__socket_connect(&address, 2000000000, why);
    if (error < 0)
        return link_error(why);
    fd = error;
    format = robo__gti_format_of(&address); /* either way of saying it */
    format.big_endian |= big;
    format.packed |= pack;
    format.short_walk |= brief;
    return TRUE;
}

static bool read_whole(uint8_t *out, size_t size)
{
    for (size_t got = 0; got < size;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, PATIENCE) <= 0)
            return false;
        ssize_t n = recv(fd, out + got, size - got, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        got += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Sends a command and reads its reply, if it has one. */
static foreign_t perform(const struct robo__gti_request *request, struct robo__gti_reply *reply)
{
    uint8_t out[ROBO__GTI_HEADER + ROBO__GTI_BODY], in[ROBO__GTI_MOST * 8];
    size_t n = robo__gti_encode(format, request, out), size = robo__gti_reply_size(format, request);
    if (fd < 0)
        return link_error("not connected: connect(URL) comes first");
    if (n == 0)
        return (foreign_t)PL_domain_error("command of the Golog-Tekkotsu interface",
                                          PL_new_term_ref());
    for (size_t sent = 0; sent < n;) {
        ssize_t k = send(fd, out + sent, n - sent, MSG_NOSIGNAL);
        if (k < 0 && errno != EINTR)
            return link_error("the robot is gone");
        sent += k > 0 ? (size_t)k : 0;
    }
    if (!read_whole(in, size))
        return link_error("the robot does not answer");
    if (!robo__gti_read_reply(format, request, in, reply))
        return link_error("a reply's number is none");
    return TRUE;
}

/* gti_query_sensors(+Places, -Values) */
static foreign_t gti_query_sensors(term_t places, term_t values)
{
    struct robo__gti_request r = { .type = ROBO__GTI_QUERY_SENSORS };
    struct robo__gti_reply reply;
    term_t list = PL_copy_term_ref(places), head = PL_new_term_ref();
    int place;
    while (PL_get_list_ex(list, head, list)) {
        if (!PL_get_integer_ex(head, &place))
            return FALSE;
        if (r.count == ROBO__GTI_MOST)
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
    struct robo__gti_request r = { .type = ROBO__GTI_QUERY_BALL };
    struct robo__gti_reply reply;
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
    struct robo__gti_request r = { .type = ROBO__GTI_SEARCH_BALL };
    struct robo__gti_reply reply;
    int number;
    if (!PL_get_integer_ex(color, &number))
        return FALSE;
    r.color = number;
    return perform(&r, &reply) && PL_unify_integer(found, reply.found);
}

/* gti_move_joints(+List) of joint(Place, Degrees, Percent) */
static foreign_t gti_move_joints(term_t joints)
{
    struct robo__gti_request r = { .type = ROBO__GTI_MOVE_JOINTS };
    struct robo__gti_reply reply;
    term_t list = PL_copy_term_ref(joints), head = PL_new_term_ref(), a = PL_new_term_ref();
    while (PL_get_list_ex(list, head, list)) {
        if (r.count == ROBO__GTI_MOST)
            return (foreign_t)PL_resource_error("joints: at most 64");
        struct robo__gti_joint *j = &r.joint[r.count++];
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
    struct robo__gti_request r = { .type = ROBO__GTI_MOTION };
    struct robo__gti_reply reply;
    char *text;
    if (!PL_get_chars(file, &text, CVT_ATOM | CVT_STRING | CVT_EXCEPTION | REP_UTF8))
        return FALSE;
    if (strlen(text) > ROBO__GTI_NAME)
        return (foreign_t)PL_domain_error("name of at most 255 bytes", file);
    strcpy(r.file, text);
    return perform(&r, &reply);
}

static foreign_t walk(enum robo__gti_type type, term_t dx, term_t dy, term_t da, term_t seconds)
{
    struct robo__gti_request r = { .type = type };
    struct robo__gti_reply reply;
    if (!PL_get_float_ex(dx, &r.dx) || !PL_get_float_ex(dy, &r.dy) || !PL_get_float_ex(da, &r.da) ||
        (type == ROBO__GTI_WALK_FOR && !PL_get_float_ex(seconds, &r.seconds)))
        return FALSE;
    return perform(&r, &reply);
}

/* gti_walk(+Dx, +Dy, +Da), gti_walk_for(+Dx, +Dy, +Da, +Seconds) */
static foreign_t gti_walk(term_t dx, term_t dy, term_t da)
{
    return walk(ROBO__GTI_WALK, dx, dy, da, 0);
}

static foreign_t gti_walk_for(term_t dx, term_t dy, term_t da, term_t seconds)
{
    return walk(ROBO__GTI_WALK_FOR, dx, dy, da, seconds);
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
