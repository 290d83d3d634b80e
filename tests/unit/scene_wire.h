/* How the clients of a scene act over RoboTalk: each is a robo_client with a connection and a session of its own. What it receives
 * is kept until it looks: answers as the client library gives them, notices as they travel. The stage, with its connections, is
 * included before. */
#pragma once

#include "robotalk/client_internal.h"
#include "robotalk/session.h"

enum { CARRIED = 128 };

struct carried {
    robo_client *client; /* NULL: it has not opened yet, or has closed */
    robo_session_id session;
    uint32_t held; /* the holder that it was told last; UINT32_MAX: none */
    size_t count;
    struct carried_item *item;
};

#include "scene_told.h"

/* An answer or a notice that a client has received and has not looked at. */
struct carried_item {
    uint16_t notice; /* 0: an answer, */
    uint32_t query;  /* to that; 0: to a command */
    struct robo_result result;
    unsigned parts;
    struct robo_part part[SCENE_PARTS];
    union robo_notice_body told;
};

static struct carried_item items[CLIENTS][CARRIED];
static size_t carried_bytes; /* that all have received */

/* ---- what they receive ---- */

static void keep(struct client *c, const struct carried_item *item)
{
    assert_true(c->by.count < CARRIED);
    c->by.item[c->by.count++] = *item;
}

static void keep_notices(struct client *c, const struct robo_header *header, const uint8_t *payload)
{
    struct robo_entry entry;
    const uint8_t *body;
    size_t at = 0;
    while (robo_next_entry(payload, header->size, &at, &entry, &body) == 1) {
        const struct robo_message *m = robo_operation_find(robo__notices, entry.op)->request;
        struct carried_item item = { .notice = entry.op };
        assert_int_equal(robo_message_decode_body(m, body, entry.size, &item.told, NULL), 0);
        if (entry.op != ROBO_N_FAULT || item.told.fault.query == 0)
            keep(c, &item);
    }
}

/* The library says nothing of a stop or a latch that its caller knows of. */
static bool may_be_unsaid(const struct carried_item *item)
{
    return item->notice == ROBO_N_STOPPED || item->notice == ROBO_N_LATCHED;
}

/* notice: the first of those that have just come, each of which the library reports. */
static void keep_answers(struct client *c, size_t notice)
{
    const size_t end = c->by.count;
    struct robo_event e;
    while (robo_next_event(c->by.client, &e, sizeof e)) {
        struct carried_item item = { .query = (uint32_t)e.id.value };
        if (e.kind == ROBO_EVENT_NOTICE) {
            while (notice < end && c->by.item[notice].notice != e.op)
                assert_true(may_be_unsaid(&c->by.item[notice++]));
            assert_true(notice++ < end);
        }
        if (e.kind == ROBO_EVENT_RESULT) {
            item.query = 0;
            item.parts = (unsigned)robo_parts(c->by.client, e.id, item.part, SCENE_PARTS);
            assert_true(item.parts <= SCENE_PARTS);
            assert_int_equal(robo_take(c->by.client, e.id, &item.result, sizeof item.result), 1);
        }
        if (e.kind == ROBO_EVENT_RESULT || e.kind == ROBO_EVENT_REPLY)
            keep(c, &item);
    }
    while (notice < end)
        assert_true(may_be_unsaid(&c->by.item[notice++]));
}

/* In the place of the library's own function, which gets one package at a time. */
static size_t on_received(struct robo__stream *stream, const uint8_t *bytes, size_t n,
                          robo_time now)
{
    struct client *c = robo__container_of(stream, robo_client, stream)->options.owner;
    struct robo_header header;
    size_t used = 0;
    carried_bytes += n;
    while (stream->up && n - used >= ROBO_HEADER_SIZE) {
        assert_int_equal(robo_header_decode(bytes + used, &header), 0);
        const size_t size = ROBO_HEADER_SIZE + (size_t)header.size;
        if (n - used < size)
            break;
        const size_t first = c->by.count;
        if (header.type == ROBO_TYPE_NOTICE)
            keep_notices(c, &header, bytes + used + ROBO_HEADER_SIZE);
        robo__client_received(stream, bytes + used, size, now);
        keep_answers(c, first);
        used += size;
    }
    return used;
}

/* A holder is told before the first result that it explains, and once. */
static void look_at_holder(struct client *c, uint32_t holder, const struct carried_item *next)
{
    assert_int_not_equal(holder, c->by.held);
    assert_true(next->notice == 0 && next->query == 0);
    assert_true(next->result.signal == ROBO_BUSY && next->result.reason == ROBO_WHY_LEASE);
    c->by.held = holder;
}

/* Looks at what has come, up to the answer to that query; false: it has not. 0: at all. */
static bool look_until(struct client *c, uint32_t query)
{
    size_t i = 0;
    bool answered = false;
    while (i < c->by.count && !answered) {
        const struct carried_item item = c->by.item[i++];
        answered = query != 0 && item.query == query;
        if (item.notice == ROBO_N_HELD) {
            assert_true(i < c->by.count);
            look_at_holder(c, item.told.held.holder, &c->by.item[i]);
        } else if (item.notice)
            show_notice(c, item.notice, &item.told);
        else if (item.query == 0)
            show_result(c, &item.result, item.part, item.parts);
    }
    memmove(c->by.item, c->by.item + i, (c->by.count - i) * sizeof *c->by.item);
    c->by.count -= i;
    return answered;
}

static bool client_looks(struct client *c, bool acted)
{
    stage_advance(robo_now(world)); /* what has been posted */
    const bool any = c->by.count > 0;
    look_until(c, 0);
    return any;
}

/* ---- what they do ---- */

static void client_close(struct client *c)
{
    robo_disconnect(c->by.client);
    stage_deliver();
    c->by = (struct carried){ .client = NULL };
}

static void client_silent(struct client *c)
{
    c->silent = true;
    robo__timer_stop(c->by.client->host->timers, &c->by.client->life);
}

/* 0, or the error; *reply is that of the query. */
static int reply_of(struct client *c, robo_id id, void *reply, size_t size)
{
    if (id.value < 0)
        return (int)id.value;
    stage_deliver();
    assert_true(look_until(c, (uint32_t)id.value));
    const int error = robo_take_reply(c->by.client, id, reply, size);
    return error < 0 ? error : 0;
}

static int client_open(struct client *c, struct robo__session_request *r, bool program)
{
    struct robo__client_setup setup = {
        .name = r->who->name, .apart = r->who->key == 0, .key = r->who->key, .owner = c
    };
    const struct robo_session_options options = { .size = sizeof options,
                                                  .mode = r->name,
                                                  .delay = r->delay,
                                                  .duration = r->duration,
                                                  .deadman = r->deadman,
                                                  .gap = r->gap,
                                                  .expiry = r->expiry,
                                                  .newest = r->newest };
    struct robo_reply_open reply;
    robo_id id;
    int error;
    char why[256];
    c->by = (struct carried){ .held = UINT32_MAX, .item = items[c - clients] };
    stage_host.modes = r->name ? &modes.modes : NULL;
    /* numbers are the server's; a scene knows its clients by them */
    atomic_store(&world->connections, (program ? 0 : r->who->number) - 1);
    c->by.client = stage_connect(stage_url, &setup, &error, why);
    if (!c->by.client)
        return error;
    c->by.client->stream.received = on_received;
    assert_int_equal(robo_client_state(c->by.client), 1);
    stage_admit(c->by.client, r->who->local);
    while (robo_next_event(c->by.client, &(struct robo_event){ 0 }, sizeof(struct robo_event)))
        ;
    c->by.session = robo_session_begin(c->by.client, &options, &id);
    error =
        c->by.session.value < 0 ? (int)c->by.session.value : reply_of(c, id, &reply, sizeof reply);
    if (c->silent)
        client_silent(c);
    if (error < 0)
        client_close(c);
    return error;
}

/* How many are admitted; the ids of all are set. */
static size_t client_send(struct client *c, struct robo_cmd *cmds, size_t n, struct said said)
{
    robo_client *client = c->by.client;
    struct robo__stream *stream = &client->stream;
    const size_t before = stream->out_count;
    client->working = true; /* the package stays here, for its header to say what the scene says */
    const robo_id id = robo_send(client, c->by.session, cmds, n);
    client->working = false;
    if (id.value < 0) {
        effect("%s %s", c->name, robo_error_name((int)id.value));
        return n;
    }
    struct robo_header header;
    uint8_t *head = stream->out + stream->out_first + before;
    assert_int_equal(robo_header_decode(head, &header), 0);
    header.stamp = said.stamp != ROBO_NEVER ? said.stamp : robo_now(world);
    if (said.epoch >= 0)
        header.epoch = (uint16_t)said.epoch;
    if (said.stops >= 0)
        header.stops = (uint16_t)said.stops;
    robo_message_encode(&robo_header_message, &header, head, ROBO_HEADER_SIZE, NULL);
    robo__stream_flush(stream, robo_now(world));
    return n;
}

static void client_panic(struct client *c)
{
    robo_client_panic(c->by.client, c->by.session);
    stage_deliver();
    assert_true(c->by.count > 0); /* it is notified in the same turn */
}

static int client_reset(struct client *c, int epoch)
{
    const struct robo__client_session *s = robo__client_session_of(c->by.client, c->by.session);
    assert_non_null(s);
    const bool panic = robo__robot_alarm(robot).panic;
    const int error =
        epoch < 0 ? robo_client_reset(c->by.client, c->by.session)
                  : robo__client_header(c->by.client, s->wire, ROBO_FLAG_RESET, (uint32_t)epoch);
    stage_deliver();
    assert_true(c->by.count > 0 || !panic);
    return error;
}

static void client_heartbeat(struct client *c)
{
    robo__client_header(c->by.client, 0, 0, 0);
    robo__pulse_arm(c->by.client, robo_now(world));
}

/* A query: 0 and its reply, or the error. */
static int client_ask(struct client *c, enum robo_query query, const void *request, void *reply)
{
    char room[sizeof(struct robo_reply_pauses)];
    stage_role(c->by.client, c->role);
    const robo_id id = robo_request(c->by.client, c->by.session, query, request);
    const int error = reply_of(c, id, room, sizeof room);
    if (error == 0 && reply)
        memcpy(reply, room, robo_operation_find(robo__queries, query)->reply->size);
    return error;
}

/* ---- scenes that cannot be played so ---- */

static const struct {
    bool virtual, served; /* over which of the stages */
    const char *title, *why;
} differs[] = {
    { true, true, "A client whose protocol cannot resume is released by a pause of 5 s",
      "RoboTalk can resume" },
    { true, true, "A client whose protocol cannot resume is released by its own rest",
      "RoboTalk can resume" },
    { true, true, "A start in the past is late, or expired",
      "the start is as much earlier as the clock of the client may be off" },
    { true, true, "A stop whose date is long over, or can never be, acts at once",
      "the library sends no such instant" },
    { true, true,
      "Starts beyond the horizon of an hour are refused after the shift, and a stop there acts at "
      "once",
      "the library sends no such instant" },
    { false, true, "The client that has stopped resumes all", "a connection keeps its role" },
    { false, true,
      "A script of this process stays latched for any time, and its runs are listed once",
      "a client with a socket is not of the process" },
};

/* Why that scene has other effects; NULL: it has the same. */
static const char *why_it_differs(const char *title)
{
    for (size_t i = 0; i < sizeof differs / sizeof differs[0]; i++)
        if ((STAGE_IS_VIRTUAL ? differs[i].virtual : differs[i].served) &&
            strcmp(differs[i].title, title) == 0)
            return differs[i].why;
    return NULL;
}

/* ---- time: a client gives signs of life by itself ---- */

static robo_time client_next(const struct client *c)
{
    return ROBO_NEVER;
}

static void client_due(struct client *c, robo_time now)
{
}
