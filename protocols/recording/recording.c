/* The life of a recording: its file, its topics, its ticks. */
#include "recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/readers.h"
#include "base/sized.h"
#include "base/time.h"
#include "robot/facts.h"
#include "robot/journal.h"
#include "robot/world/world.h"
#include "robotalk/description.h"
#include "robotalk/host.h"

static const robo_time SECOND = 1000000000, LONGEST_TICK = 50 * 1000000;
enum { JOURNAL = 4 << 20 };

/* ---- the file ---- */

static struct robo_mcap_bytes text_of(const char *text)
{
    return (struct robo_mcap_bytes){ text, strlen(text) };
}

/* Into the ring: whether there was room. */
static bool keep(robo_recording *r, const struct robo_mcap_record *record)
{
    const uint64_t lost = atomic_load(&r->ring.lost);
    r->record.used = 0;
    if (robo__mcap_room(&r->record, robo__mcap_size(record)) < 0)
        return false;
    robo__mcap_encode(&r->record, record);
    robo__journal_put(&r->ring, (struct robo__journal_entry){ .kind = ROBO__JOURNAL_RECORD },
                      &(struct robo__journal_part){ r->record.bytes, r->record.used }, 1);
    return atomic_load(&r->ring.lost) == lost;
}

size_t robo__recording_take(robo_recording *r, uint8_t *to, size_t room)
{
    size_t n = 0;
    for (const struct robo__journal_entry *e;
         n < room && (e = robo__journal_next(&r->ring)) != NULL;) {
        const size_t left = e->size - r->taken, some = left < room - n ? left : room - n;
        memcpy(to + n, (const uint8_t *)robo__journal_body(e) + r->taken, some);
        n += some;
        r->taken = some < left ? r->taken + some : 0;
        if (some == left)
            robo__journal_take(&r->ring, e);
    }
    return n;
}

bool robo__recording_next(robo_recording *r, struct robo_mcap_record *record)
{
    const struct robo__journal_entry *e = robo__journal_next(&r->ring);
    if (!e)
        return false;
    const uint8_t *at = robo__journal_body(e);
    *record = (struct robo_mcap_record){ .kind = at[0] };
    return !robo__mcap_decode((struct robo__mcap_in){ at + ROBO__MCAP_PREFIX, at + e->size, false },
                              record);
}

void robo__recording_pass(robo_recording *r)
{
    robo__journal_take(&r->ring, robo__journal_next(&r->ring));
}

/* Whether it is written; otherwise that is tried again after a second, and until then nothing is. */
static bool write_record(robo_recording *r, const struct robo_mcap_record *record)
{
    char why[256] = "";
    if (!r->writer)
        return keep(r, record);
    if (r->broken)
        return false;
    const int error = robo_mcap_write(r->writer, record, why);
    if (error == ROBO_ESYSTEM) {
        r->broken = true;
        r->retry = robo_now(r->world) + SECOND;
        if (!r->why[0])
            robo__world_log(r->world, ROBO_LOG_WARNING, "%s: %s; the robots go on", r->path, why);
        if (!r->why[0])
            snprintf(r->why, sizeof r->why, "%s", why);
    }
    return error == 0;
}

static void try_again(robo_recording *r, robo_time now)
{
    char why[256];
    if (!r->broken || now < r->retry)
        return;
    r->broken = robo_mcap_flush(r->writer, why) < 0;
    r->retry = now + SECOND;
}

static uint64_t file_time(const robo_recording *r, robo_time time)
{
    return (uint64_t)(time + r->shift);
}

/* The metadata of the file: which program, which clock. */
static void describe(robo_recording *r)
{
    struct robo__mcap_out map = { NULL };
    char seed[32], shift[32], rate[32];
    snprintf(seed, sizeof seed, "%lld", (long long)robo__world_seed(r->world));
    snprintf(shift, sizeof shift, "%lld", (long long)r->shift);
    snprintf(rate, sizeof rate, "%.17g", 1e9 / (double)r->period);
    const bool is_virtual = robo_is_virtual(r->world);
    const char *words[] = { "version",  ROBOTALK_VERSION,
                            "clock",    is_virtual ? "virtual" : "monotonic",
                            "seed",     is_virtual ? seed : "",
                            "shift_ns", shift,
                            "rate",     rate };
    if (r->broken || robo__mcap_room(&map, 512) < 0)
        return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        robo__mcap_put_text(&map, text_of(words[i]));
    r->described = write_record(r, &(struct robo_mcap_record){ .kind = ROBO_MCAP_METADATA,
                                                               .name = text_of("robotalk"),
                                                               .map = { map.bytes, map.used } });
    free(map.bytes);
}

/* ---- topics ---- */

struct robo__topic *robo__topic_find(robo_recording *r, const char *robot, const char *name,
                                     const char *schema, const char *members,
                                     const struct robo_message *message)
{
    char whole[sizeof((struct robo__topic *)0)->name];
    snprintf(whole, sizeof whole, "/%s/%s", robot, name);
    for (struct robo__topic *t = r->topics; t; t = t->next)
        if (strcmp(t->name, whole) == 0)
            return t;
    struct robo__topic *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (struct robo__topic){
        .next = r->topics, .schema = schema, .members = members, .message = message
    };
    memcpy(t->name, whole, sizeof whole);
    t->id = ++r->channels;
    return r->topics = t;
}

/* The id of a schema, which is written when it is new; 0: it could not be. */
static uint16_t schema_of(robo_recording *r, const struct robo__topic *t)
{
    struct robo__json text = { NULL };
    for (uint16_t i = 1; i <= r->schemas; i++)
        if (strcmp(r->schema[i], t->schema) == 0)
            return i;
    if (r->schemas + 1u >= sizeof r->schema / sizeof *r->schema)
        return 0;
    const uint16_t id = (uint16_t)(r->schemas + 1);
    robo__json_schema(&text, t->message, t->members);
    const bool written =
        !text.failed &&
        write_record(r, &(struct robo_mcap_record){ .kind = ROBO_MCAP_SCHEMA,
                                                    .id = id,
                                                    .name = text_of(t->schema),
                                                    .encoding = text_of("jsonschema"),
                                                    .data = { text.at, text.used } });
    robo__json_free(&text);
    if (!written)
        return 0;
    r->schema[id] = t->schema;
    r->schemas = id;
    return id;
}

static bool make_known(robo_recording *r, struct robo__topic *t)
{
    const uint16_t schema = schema_of(r, t);
    t->known =
        schema != 0 && write_record(r, &(struct robo_mcap_record){ .kind = ROBO_MCAP_CHANNEL,
                                                                   .id = t->id,
                                                                   .schema = schema,
                                                                   .name = text_of(t->name),
                                                                   .encoding = text_of("json") });
    return t->known;
}

void robo__recording_write(robo_recording *r, struct robo__topic *t, robo_time time, robo_time sent)
{
    const bool written =
        t && (t->known || make_known(r, t)) && !r->json.failed &&
        write_record(r, &(struct robo_mcap_record){
                            .kind = ROBO_MCAP_MESSAGE,
                            .id = t->id,
                            .sequence = t->sequence,
                            .log_time = file_time(r, time),
                            .publish_time = file_time(r, sent == ROBO_NO_TIME ? time : sent),
                            .data = { r->json.at, r->json.used } });
    if (written)
        t->sequence++;
    r->json.failed = false;
    uint64_t _Atomic *count = written ? &r->messages : &r->lost; /* no other thread counts */
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* ---- ticks ---- */

/* The body of a robot, before the first message that is of it; later where the disk was full. */
static void attach_body(struct robo__track *t, robo_time now)
{
    robo_recording *r = t->recording;
    char name[64], why[192];
    if (!t->body)
        t->body = robo_robot_body(t->robot);
    const ptrdiff_t size = r->broken ? 0 : robo_body_write(t->body, NULL, 0, why);
    uint8_t *block = size > 0 ? malloc((size_t)size) : NULL;
    snprintf(name, sizeof name, "%s.%u.block", robo_robot_name(t->robot), (unsigned)t->bodies);
    const struct robo_mcap_record record = { .kind = ROBO_MCAP_ATTACHMENT,
                                             .name = text_of(name),
                                             .encoding = text_of("application/octet-stream"),
                                             .data = { block, (size_t)size },
                                             .log_time = file_time(r, now),
                                             .publish_time = file_time(r, now) };
    if (block && robo_body_write(t->body, block, (size_t)size, why) == size)
        t->attached = write_record(r, &record) || !r->writer;
    t->bodies += t->attached;
    free(block);
}

/* Nothing more comes of its robot: only its counts stay. */
static void end_track(struct robo__track *t)
{
    robo_robot *robot = atomic_exchange(&t->robot, NULL);
    if (!robot)
        return;
    robo__journal_leave(robot, &t->journal);
    robo__track_see_no_more(t);
    robo_body_release(t->body);
    robo__journal_close(&t->journal);
    robo_release(robot);
    atomic_fetch_add(&t->recording->ended, 1);
}

/* missed: states that were due before, which count in the sequence of these messages. */
static void follow(struct robo__track *t, robo_time now, bool looks, uint32_t missed)
{
    if (!t->topic[ROBO__TRACK_TOPICS - 1] && robo__track_open(t) < 0)
        return; /* there is no memory now */
    if (!t->attached)
        attach_body(t, now);
    const bool ends = t->over && robo__journal_is_over(t->robot);
    robo__track_drain(t);
    if (ends)
        end_track(t);
    if (t->over)
        return;
    if (looks) {
        t->topic[ROBO__TRACK_STATES]->sequence += t->looked ? missed : 0;
        t->looked = true;
        robo__track_show(t, now);
    }
    robo__track_see(t, now);
}

static robo_time tick(robo_recording *r, robo_time now)
{
    const bool looks = now >= r->state_due;
    const robo_time missed = looks ? (now - r->state_due) / r->period : 0;
    try_again(r, now);
    if (!r->described)
        describe(r);
    for (struct robo__track *t = atomic_load(&r->tracks); t; t = atomic_load(&t->next))
        if (t->robot)
            follow(t, now, looks, (uint32_t)missed);
    for (struct robo__topic *t = r->topics; r->live && t; t = t->next)
        if (!t->known)
            make_known(r, t);
    if (looks)
        r->state_due += (missed + 1) * r->period;
    return r->state_due < now + LONGEST_TICK ? r->state_due : now + LONGEST_TICK;
}

static robo_time run(struct robo__workers_job *job)
{
    robo_recording *r = robo__container_of(job, robo_recording, job);
    robo__reading_begin();
    const robo_time next = tick(r, robo_now(r->world));
    robo__reading_end();
    return next;
}

static void on_timer(struct robo__timer *timer, robo_time now)
{
    robo_recording *r = robo__container_of(timer, robo_recording, timer);
    robo__timer_start(robo__world_timers(r->world), timer, tick(r, now));
}

static void leave_alone(struct robo__mailbox *mailbox)
{
    (void)mailbox; /* the next tick drains it */
}

/* ---- its life ---- */

/* Its options; NULL, or what is wrong. */
static const char *take_options(robo_recording *r, const struct robo_record_options *from,
                                const char **compression)
{
    struct robo_record_options o;
    if (robo__sized_take(&o, sizeof o, from) < 0)
        return "options without a size";
    const double rate = o.rate == 0 ? 50 : o.rate;
    if (!(rate >= 1 && rate <= 1000))
        return "rate: expected states a second, 1 to 1000";
    if (!(o.images >= 0 && o.images <= 100))
        return "images: expected pictures a second, 0 to 100";
    r->period = (robo_time)llround(1e9 / rate);
    r->picture_period = o.images > 0 ? (robo_time)llround(1e9 / o.images) : 0;
    r->journal = o.journal ? o.journal : JOURNAL;
    *compression = o.compression;
    return NULL;
}

static void free_recording(robo_recording *r)
{
    for (struct robo__topic *t = r->topics, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    robo__json_free(&r->json);
    robo__journal_close(&r->ring);
    free(r->record.bytes);
    robo__world_release(r->world);
    free(r->path);
    free(r);
}

robo_recording *robo_record_open(robo_world *world, const char *path,
                                 const struct robo_record_options *options, int *error,
                                 char why[256])
{
    struct robo_mcap_options mcap = { .size = sizeof mcap };
    robo_recording *r = calloc(1, sizeof *r);
    *error = ROBO_ENOMEM;
    snprintf(why, 256, "%s", robo_strerror(ROBO_ENOMEM));
    if (!r)
        return NULL;
    r->world = robo__world_hold(world);
    r->path = path ? strdup(path) : NULL;
    const char *wrong = take_options(r, options, &mcap.compression);
    if (wrong) {
        *error = ROBO_EINVAL;
        snprintf(why, 256, "%s", wrong);
    } else if (!path)
        *error = robo__journal_open(&r->ring, JOURNAL);
    r->writer = r->path && !wrong ? robo_mcap_create(path, &mcap, error, why) : NULL;
    if (!r->writer && !r->ring.bytes) {
        free_recording(r);
        return NULL;
    }
    r->mailbox.notify = leave_alone;
    r->job.name = "recorder";
    r->job.run = run;
    r->timer.fire = on_timer;
    if (!robo_is_virtual(world))
        r->shift = robo__time_read(CLOCK_REALTIME) - robo_now(world);
    r->state_due = robo_now(world);
    describe(r);
    *error = 0;
    if (robo_is_virtual(world))
        robo__timer_start(robo__world_timers(world), &r->timer, robo_now(world));
    else
        *error = robo__workers_run(&r->job, 0);
    if (*error == 0)
        return r;
    snprintf(why, 256, "%s", robo_strerror(*error));
    robo_mcap_finish(r->writer, r->why);
    free_recording(r);
    return NULL;
}

int robo_record_robot(robo_recording *r, robo_robot *robot)
{
    if (robo__robot_world(robot) != r->world)
        return ROBO_EINVAL;
    struct robo__track *_Atomic *end = &r->tracks;
    for (struct robo__track *t; (t = atomic_load(end)) != NULL; end = &t->next)
        if (t->robot == robot)
            return ROBO_EEXISTS;
    struct robo__track *track = calloc(1, sizeof *track);
    if (!track || robo__journal_open(&track->journal, r->journal) < 0) {
        free(track);
        return ROBO_ENOMEM;
    }
    track->recording = r;
    track->robot = robo_hold(robot);
    robo__journal_enter(robot, &track->journal);
    atomic_store(end, track);
    return 0;
}

void robo_record_counts(const robo_recording *r, struct robo_record_counts *counts)
{
    *counts = (struct robo_record_counts){ .messages = atomic_load(&r->messages),
                                           .lost = atomic_load(&r->lost) };
    for (const struct robo__track *t = atomic_load(&r->tracks); t; t = atomic_load(&t->next))
        counts->lost += atomic_load(&t->journal.lost);
}

unsigned robo__recording_ended(robo_recording *r)
{
    return atomic_exchange(&r->ended, 0);
}

int robo_record_close(robo_recording *r, char why[256])
{
    if (!r)
        return 0;
    if (robo_is_virtual(r->world))
        robo__timer_stop(robo__world_timers(r->world), &r->timer);
    else
        robo__workers_end(&r->job);
    for (struct robo__track *t = atomic_load(&r->tracks); t; t = atomic_load(&t->next))
        if (t->robot)
            robo__journal_leave(t->robot, &t->journal);
    robo__reading_begin();
    r->retry = 0;
    r->state_due = robo_now(r->world);
    tick(r, r->state_due);
    robo__reading_end();
    for (struct robo__track *t = atomic_load(&r->tracks), *next; t; t = next) {
        next = atomic_load(&t->next);
        end_track(t);
        free(t);
    }
    const int error = robo_mcap_finish(r->writer, why), failed = r->why[0] ? ROBO_ESYSTEM : error;
    if (r->why[0])
        snprintf(why, 256, "%s", r->why);
    free_recording(r);
    return failed;
}
