/* A client reloads a robot. Its configuration block arrives in pieces and is checked here, once. Then devices are closed
 * and opened, which takes as long as their drivers like, and the connection's thread does not wait for that: the program's
 * script does it, if it has one (net/inbox.h), since some drivers are scripts; else a worker (net/blocking_work.h). In a
 * virtual world of a program without a script it is done at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "configuration.h"
#include "net/blocking_work.h"
#include "robot/client.h"
#include "server_session.h"

/* Belongs to its connection while pieces come and while the script is asked, then to its worker. */
struct robo__reload {
    struct robo__work work;    /* of the worker */
    struct robo__serve *serve; /* the connection's thread only; NULL: the connection is closed */
    uint32_t session, package, query;
    robo_robot *robot; /* held */
    uint8_t *bytes;    /* NULL: the block is whole, and was read */
    uint32_t size, received;
    robo_body *body; /* held */
    int error;
    char why[128];
    struct robo_reload_report report;
};

static void forget_bytes(struct robo__reload *r)
{
    if (r->bytes)
        robo__budget_give(robo__world_memory(robo__robot_world(r->robot)), r->size);
    free(r->bytes);
    r->bytes = NULL;
}

static void discard(struct robo__reload *r)
{
    forget_bytes(r);
    robo_body_release(r->body);
    robo_release(r->robot);
    free(r);
}

/* The reload of a connection ends, or never began. */
static void end(struct robo__serve *serve)
{
    struct robo__reload *r = serve->reload;
    serve->reload = NULL;
    if (r)
        discard(r);
}

static struct robo_reply_reload reply_of(const struct robo__reload *r)
{
    return (struct robo_reply_reload){ .received = r->received,
                                       .revision = robo__robot_revision(r->robot),
                                       .kept = r->report.kept,
                                       .dropped = r->report.dropped };
}

/* Answers the query of the last piece. */
static void answer(struct robo__serve *serve, robo_time now)
{
    struct robo__reload *r = serve->reload;
    const struct robo_operation *op = robo_operation_find(robo__queries, ROBO_Q_RELOAD);
    const struct robo_header header = { .id = r->package, .session = r->session };
    const struct robo_reply_reload reply = reply_of(r);
    if (r->error < 0) {
        robo__serve_fault(serve, &header, r->error, r->query, 0, r->why[0] ? r->why : NULL, now);
    } else if (robo__serve_begin(serve, ROBO_HEADER_SIZE + sizeof reply + 64)) {
        robo_package_add(&serve->out, op->op, r->query, NULL, NULL, op->reply, &reply);
        robo__serve_end(serve, ROBO_TYPE_REPLY, robo__server_session_find(serve, r->session),
                        r->package, now);
    }
    end(serve);
    robo__conn_kick(serve->conn);
}

static void run(struct robo__work *work)
{
    struct robo__reload *r = robo__container_of(work, struct robo__reload, work);
    r->error = robo_reload_body(r->robot, r->body, &r->report);
    if (r->report.lost)
        snprintf(r->why, sizeof r->why, "neither the new drivers nor the old ones can be opened");
}

static void on_reloaded(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__reload *r = robo__container_of(wakeup, struct robo__reload, work.wakeup);
    if (r->serve)
        answer(r->serve, now);
    else
        discard(r);
}

/* ---- by the script ---- */

/* An enum robo_error or 0, of an answer's number. Scripts leave the sign out. */
static int error_of(double number)
{
    const double code = fabs(number);
    return code < 1 ? 0 : code <= UINT8_MAX ? -(int)code : ROBO_EDEVICE;
}

/* Numbers of its answer: an error or 0, and the report. */
static void on_answered(struct robo__asker *asker, const struct robo__question *question,
                        robo_time now)
{
    struct robo__serve *serve = robo__container_of(asker, struct robo__serve, asker);
    struct robo__reload *r = serve->reload;
    if (question->answered && question->answers == 3) {
        r->error = error_of(question->answer[0]);
        r->report.kept = (unsigned)question->answer[1];
        r->report.dropped = (unsigned)question->answer[2];
        /* the fault itself begins with the text of the error */
        if (strcmp(question->text, robo_strerror(r->error)) != 0)
            snprintf(r->why, sizeof r->why, "%.*s", (int)sizeof r->why - 1, question->text);
    } else {
        r->error = ROBO_EDEVICE;
    }
    answer(serve, now);
}

static int ask_script(struct robo__serve *serve)
{
    struct robo__host *host = serve->conn->host;
    if (!serve->asker.inbox)
        robo__asker_open(&serve->asker, host, "robotalk", "", on_answered);
    return robo__ask_about(&serve->asker, "reload", serve->reload->body, 0);
}

/* ---- pieces ---- */

/* Starts again. */
static int expect(struct robo__serve *serve, const struct robo__server_session *ss,
                  const struct robo_request_reload *request)
{
    robo_robot *robot = robo__session_robot(ss->session);
    end(serve);
    if (request->size > robo__configuration_most())
        return ROBO_ERANGE;
    struct robo__reload *r = calloc(1, sizeof *r);
    if (!r)
        return ROBO_ENOMEM;
    *r = (struct robo__reload){
        .work = { .job.name = "reload", .wakeup.run = on_reloaded, .run = run },
        .serve = serve,
        .session = ss->id,
        .robot = robo_hold(robot),
        .size = request->size
    };
    serve->reload = r;
    if (!robo__budget_take(robo__world_memory(robo__robot_world(robot)), serve->conn->memory,
                           r->size))
        return ROBO_ENOMEM;
    r->bytes = malloc((size_t)r->size + 1);
    if (!r->bytes)
        robo__budget_give(robo__world_memory(robo__robot_world(robot)), r->size);
    return r->bytes ? 0 : ROBO_ENOMEM;
}

/* The block is whole: it is read, with the drivers that the robot has. */
static int read_block(struct robo__reload *r, char text[128])
{
    char why[192];
    const struct robo_description *old = robo__robot_description(r->robot);
    int error = robo__configuration_renew(r->bytes, r->size, old, &r->body, why);
    snprintf(text, 128, "%.127s", error == ROBO_EBODY ? why : "");
    forget_bytes(r);
    if (error == 0 && strcmp(robo_body_description(r->body)->name, old->name) != 0) {
        snprintf(text, 128, "the block is of another robot: %s",
                 robo_body_description(r->body)->name);
        error = ROBO_EINVAL;
    }
    return error;
}

static int begin(struct robo__serve *serve)
{
    struct robo__host *host = serve->conn->host;
    if (host->inbox)
        return ask_script(serve);
    if (!robo_is_virtual(host->world))
        return robo__work_begin(&serve->reload->work, host->loop);
    run(&serve->reload->work);
    return serve->reload->error < 0 ? serve->reload->error : 1;
}

static int take_piece(struct robo__serve *serve, const struct robo__server_session *ss,
                      const struct robo_request_reload *request, char text[128])
{
    int error = request->offset == 0 ? expect(serve, ss, request) : 0;
    struct robo__reload *r = serve->reload;
    if (error < 0)
        return error;
    if (!r || r->session != ss->id || r->size != request->size || r->received != request->offset ||
        request->count > r->size - r->received) {
        snprintf(text, 128, "pieces of one block come in their order");
        return ROBO_ERANGE;
    }
    memcpy(r->bytes + r->received, request->bytes, request->count);
    r->received += request->count;
    if (r->received < r->size)
        return 1;
    error = read_block(r, text);
    return error < 0 ? error : begin(serve);
}

int robo__serve_reload(struct robo__serve *serve, const struct robo__server_session *ss,
                       const struct robo_header *header, uint32_t query,
                       const struct robo_request_reload *request, struct robo_reply_reload *reply,
                       char text[128])
{
    if (serve->reload && !serve->reload->bytes) {
        snprintf(text, 128, "a reload is under way");
        return ROBO_ELIMIT;
    }
    int answered = take_piece(serve, ss, request, text);
    struct robo__reload *r = serve->reload;
    if (answered < 0) {
        end(serve);
    } else if (answered == 0) {
        r->package = header->id;
        r->query = query;
    } else {
        *reply = reply_of(r);
        if (!r->bytes)
            end(serve);
    }
    return answered;
}

void robo__serve_leave_reload(struct robo__serve *serve)
{
    robo__asker_close(&serve->asker);
    if (serve->reload && serve->reload->work.loop) {
        serve->reload->serve = NULL; /* its thread ends it */
        serve->reload = NULL;
    }
    end(serve);
}
