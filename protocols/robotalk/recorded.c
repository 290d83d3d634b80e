/* A recording that a client fetches: one for a connection, until that is closed. */
#include <stdlib.h>

#include "base/budget.h"
#include "queries.h"
#include "recording/recording.h"
#include "robot/world/world.h"
#include "robotalk/host.h"

/* Bytes for what a robot does until it is written; and what the first robot is charged with for all that a recording has. */
enum { JOURNAL = 1 << 20, FIRST = 6 << 20 };

static struct robo__budget *budget_of(const struct robo__serve *serve)
{
    return robo__world_memory(serve->conn->host->world);
}

/* A robot, unless it is in the recording already. All recordings leave half of the memory to what drives robots. */
static int add(struct robo__serve *serve, robo_robot *robot)
{
    struct robo__budget *budget = budget_of(serve);
    struct robo__share *share = serve->conn->share;
    const size_t memory = serve->recorded == 0 ? FIRST : JOURNAL;
    const size_t have = robo__share_have(share, serve->recorded, share->recordings);
    if (!robo__budget_take(budget, have + budget->total / 2, memory))
        return ROBO_ENOMEM;
    const int error = robo_record_robot(serve->recording, robot);
    if (error < 0) {
        robo__budget_give(budget, memory);
        return error == ROBO_EEXISTS ? 0 : error;
    }
    serve->recorded += memory;
    share->recordings += memory;
    return 0;
}

/* Memory of robots that were removed. */
static void give_back(struct robo__serve *serve)
{
    const size_t memory = (size_t)robo__recording_ended(serve->recording) * JOURNAL;
    robo__budget_give(budget_of(serve), memory);
    serve->recorded -= memory;
    serve->conn->share->recordings -= memory;
}

/* Those of that name; "": all that there are now. */
static int add_all(const struct asked *q, const char *name)
{
    struct robo__serve *serve = q->serve;
    robo_world *world = serve->conn->host->world;
    uint64_t cursor = 0;
    robo_robot *robot = name[0] ? robo_find(world, name) : robo_next_robot(world, &cursor);
    int error = robot || !name[0] ? 0 : robo__answer_no_robot(q, name);
    while (robot) {
        const int added = add(serve, robot);
        error = added < 0 ? added : error;
        robo_release(robot);
        robot = name[0] ? NULL : robo_next_robot(world, &cursor);
    }
    return error;
}

int robo__answer_recording(const struct asked *q, const struct robo_request_recording *request)
{
    struct robo__serve *serve = q->serve;
    const struct robo_record_options options = {
        .size = sizeof options, .rate = request->rate, .images = request->images, .journal = JOURNAL
    };
    struct robo_record_counts counts;
    char why[256];
    int error = 0;
    if (!serve->recording) {
        serve->recording = robo_record_open(serve->conn->host->world, NULL, &options, &error, why);
        serve->recorded_all = request->robot[0] == '\0';
        if (serve->recording)
            error = add_all(q, request->robot);
        if (error < 0)
            robo__serve_leave_recording(serve);
    } else {
        give_back(serve);
        if (serve->recorded_all)
            add_all(q, ""); /* one for which there is no memory now is tried again */
    }
    struct robo_reply_recording *a = error == 0 ? malloc(sizeof *a) : NULL;
    if (!a)
        return error < 0 ? error : ROBO_ENOMEM;
    robo_record_counts(serve->recording, &counts);
    a->lost = counts.lost;
    a->count = (uint16_t)robo__recording_take(serve->recording, a->bytes, sizeof a->bytes);
    error = answer(q, a);
    free(a);
    return error;
}

void robo__serve_leave_recording(struct robo__serve *serve)
{
    char why[256];
    robo_record_close(serve->recording, why);
    robo__budget_give(budget_of(serve), serve->recorded);
    serve->conn->share->recordings -= serve->recorded;
    serve->recording = NULL;
    serve->recorded = 0;
}
