/* Queries about the scripts that live in the server, and about the episodes that it records. The program has them, and answers when the
 * request is done (net/inbox.h); the connection's thread does not wait. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "server_session.h"

/* A question carries its package and its query in its tag. */
static uint64_t tag_of(uint32_t package, uint32_t query)
{
    return (uint64_t)package << 32 | query;
}

/* Copies a line of the text, as far as there is room, and steps over it. */
static void take_line(const char **text, char *out, size_t size)
{
    size_t n = strcspn(*text, "\n");
    snprintf(out, size, "%.*s", (int)n, *text);
    *text += n + ((*text)[n] == '\n');
}

/* A number within the range of a field; 0 for NaN. */
static double within(double number, double most)
{
    return number > most ? most : number > 0 ? number : 0;
}

static robo_time time_of(double seconds)
{
    return llround(within(seconds, 2e9) * 1e9);
}

/* Of the program's answer: an error or 0, starts, since in s, memory in bytes, processor time in s; name, state, restart, file
 * and why, a line each. */
static struct robo_reply_script reply_of(const struct robo__question *question)
{
    const double *number = question->answer;
    const char *text = question->text;
    struct robo_reply_script reply = { .starts = (uint32_t)within(number[1], UINT32_MAX),
                                       .since = time_of(number[2]),
                                       .memory = (uint64_t)within(number[3], 1e15),
                                       .seconds = time_of(number[4]) };
    take_line(&text, reply.name, sizeof reply.name);
    take_line(&text, reply.state, sizeof reply.state);
    take_line(&text, reply.restart, sizeof reply.restart);
    take_line(&text, reply.file, sizeof reply.file);
    take_line(&text, reply.why, sizeof reply.why);
    return reply;
}

/* An error or 0, whether an episode is under way, episodes, frames, its length in s; robot and note, a line each. */
static struct robo_reply_episode episode_of(const struct robo__question *question)
{
    const double *number = question->answer;
    const char *text = question->text;
    struct robo_reply_episode reply = { .recording = (uint8_t)within(number[1], 2),
                                        .episodes = (uint32_t)within(number[2], UINT32_MAX),
                                        .frames = (uint32_t)within(number[3], UINT32_MAX),
                                        .length = time_of(number[4]) };
    take_line(&text, reply.robot, sizeof reply.robot);
    take_line(&text, reply.note, sizeof reply.note);
    return reply;
}

/* Numbers of an answer: an error or 0, and what the reply has. */
static unsigned numbers_of(const struct robo_operation *op)
{
    return op->op == ROBO_Q_SCRIPT || op->op == ROBO_Q_EPISODE ? 5 : 1;
}

static int error_of(const struct robo__question *question, const struct robo_operation *op)
{
    if (!question->answered || question->answers != numbers_of(op))
        return ROBO_ENONE;
    const double code = question->answer[0];
    return code == 0 ? 0 : code >= 1 && code <= UINT8_MAX ? -(int)code : ROBO_ESYSTEM;
}

static void on_answered(struct robo__asker *asker, const struct robo__question *question,
                        robo_time now)
{
    struct robo__serve *serve = robo__container_of(asker, struct robo__serve, scripts);
    const struct robo_operation *op = robo_operation_named(robo__queries, question->action);
    const struct robo_header header = { .id = (uint32_t)(question->tag >> 32) };
    const uint32_t query = (uint32_t)question->tag;
    int error = error_of(question, op);
    if (error == 0 && robo__serve_begin(serve, ROBO_HEADER_SIZE + op->reply->size + 64)) {
        union {
            struct robo_reply_script script;
            struct robo_reply_episode episode;
        } reply = { 0 };
        if (op->op == ROBO_Q_SCRIPT)
            reply.script = reply_of(question);
        if (op->op == ROBO_Q_EPISODE)
            reply.episode = episode_of(question);
        error = robo_package_add(&serve->out, op->op, query, NULL, NULL, op->reply, &reply);
        robo__serve_end(serve, ROBO_TYPE_REPLY, NULL, header.id, now);
    }
    char words[sizeof question->text + 1];
    snprintf(words, sizeof words, "=%s", question->text);
    if (error < 0)
        robo__serve_fault(serve, &header, error, query, 0,
                          question->answered && question->text[0] ? words : NULL, now);
    robo__conn_kick(serve->conn);
}

int robo__serve_script(struct robo__serve *serve, const struct robo_header *header, uint32_t query,
                       const struct robo_operation *op, const void *request)
{
    const struct robo_request_episode *episode = op->op == ROBO_Q_EPISODE ? request : NULL;
    const bool listing = op->op == ROBO_Q_SCRIPT;
    const double number = listing   ? ((const struct robo_request_script *)request)->index
                          : episode ? episode->action
                                    : 0;
    if (!serve->scripts.inbox)
        robo__asker_open(&serve->scripts, serve->conn->host, "robotalk", "", on_answered);
    char text[sizeof episode->task + ROBO__HOLDER_NAME + 16];
    /* queries that start, end and replace have a name alone, and so one form; then the client */
    if (!listing)
        snprintf(text, sizeof text, "%s\n%s %" PRIu32,
                 episode ? episode->task
                         : ((const struct robo_request_script_start *)request)->name,
                 serve->name, serve->who.number);
    return robo__ask(&serve->scripts, op->name, listing ? NULL : text, &number, listing || episode,
                     tag_of(header->id, query));
}
