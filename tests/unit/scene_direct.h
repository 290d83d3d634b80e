/* How the clients of a scene act within the process, by the functions of their sessions, and are notified, as
 * protocols/robotalk/server_session.c notifies them. A client looks when it has acted, and when it is woken. */
#pragma once

#include "scene_virtual.h"

/* Its session, and what it was told last. */
struct carried {
    struct robo__session *session;
    bool woken;
    struct robo__news news;
    uint32_t retained[ROBO_RETAINED_KINDS];
    struct robo__alarm alarm;
    uint32_t asked, revision, paused, resumed;
    struct robo_notice_latched latch;
};

#include "scene_told.h"

static uint32_t last_id;

/* ---- what they are told ---- */

static void look_at_latch(struct client *c)
{
    struct robo_notice_latched now, *old = &c->by.latch;
    robo__session_latch(c->by.session, &now);
    if (now.stop != old->stop || now.holds != old->holds)
        show_latch(c, &now);
    *old = now;
}

/* The latch comes before a result that it explains. */
static void show_results(struct client *c)
{
    struct robo_result r;
    struct robo_part parts[SCENE_PARTS];
    while (robo__session_results(c->by.session, &r, 1) == 1) {
        const struct robo__session_move *m = robo__session_next_move(c->by.session);
        const unsigned count = m ? robo__move_report(m, parts, SCENE_PARTS) : 0;
        assert_true(count <= SCENE_PARTS);
        if (r.reason == ROBO_WHY_STOPPED || r.op == ROBO_STOP)
            look_at_latch(c);
        show_result(c, &r, parts, count);
    }
}

static void look_at_panic(struct client *c)
{
    const struct robo__alarm alarm = robo__robot_alarm(robot);
    if (alarm.epoch == c->by.alarm.epoch && alarm.panic == c->by.alarm.panic)
        return;
    if (alarm.epoch != c->by.alarm.epoch) {
        robo__session_panicked(c->by.session, robo_now(world));
        show_results(c);
        show_notice(c, ROBO_N_PANICKED, NULL);
    }
    if (!alarm.panic)
        show_notice(c, ROBO_N_RESET, NULL);
    c->by.alarm = alarm;
}

static void look_at_questions(struct client *c)
{
    union robo_notice_body body;
    while (robo__session_asked(c->by.session, &c->by.asked, &body.asked))
        show_notice(c, ROBO_N_ASKED, &body);
}

static void look_at_pauses(struct client *c)
{
    union robo_notice_body body;
    if (robo__session_paused(c->by.session, c->by.paused, &body.paused)) {
        c->by.paused = body.paused.count;
        show_notice(c, ROBO_N_PAUSED, &body);
    }
    if (robo__session_resumed(c->by.session, c->by.resumed, &body.resumed)) {
        c->by.resumed = body.resumed.count;
        show_notice(c, ROBO_N_RESUMED, &body);
    }
}

/* Looks for all that a client has been answered and told. */
static void look(struct client *c)
{
    struct carried *by = &c->by;
    struct robo__session *s = by->session;
    const struct robo__news news = robo__session_news(s, robo_now(world)), old = by->news;
    by->woken = false;
    by->news = news;
    look_at_latch(c);
    for (const struct robo_operation *n = robo_notices(); n->name; n++) {
        const unsigned kind = n->retained - 1u;
        union robo_notice_body body;
        while (n->retained && robo__session_retained(s, kind, &by->retained[kind], &body.retained))
            show_notice(c, n->op, &body);
    }
    show_results(c);
    if (news.silence != 0)
        show_notice(c, ROBO_N_DEADMAN,
                    &(union robo_notice_body){ .deadman.silence = news.silence });
    look_at_panic(c);
    if (news.loss.times != old.loss.times)
        show_notice(c, ROBO_N_LOST, &(union robo_notice_body){ .lost.holder = news.loss.to });
    if (news.stops != old.stops) {
        show_results(c);
        show_notice(c, ROBO_N_STOPPED, &(union robo_notice_body){ .stopped.stops = news.stops });
    }
    if (news.leases != old.leases)
        show_notice(c, ROBO_N_LEASES, NULL);
    if (news.asks != old.asks)
        look_at_questions(c);
    if (news.answer.count != old.answer.count)
        show_notice(c, ROBO_N_ANSWERED,
                    &(union robo_notice_body){ .answered.state = news.answer.state });
    if (robot->revisions->revision != by->revision)
        show_notice(c, ROBO_N_CHANGED, NULL);
    by->revision = robot->revisions->revision;
    if (news.gone && !old.gone) {
        robo__session_end(s, robo_now(world));
        show_results(c);
        show_notice(c, ROBO_N_REMOVED, NULL);
    }
}

/* Whether it has looked: at pauses and its answers if it has acted, then at all else if it was woken. */
static bool client_looks(struct client *c, bool acted)
{
    const bool looks = c->by.woken || acted;
    if (acted) {
        look_at_pauses(c);
        show_results(c);
    }
    if (c->by.woken)
        look(c);
    return looks;
}

/* ---- what they do ---- */

static void on_wake(void *owner)
{
    struct client *c = owner;
    c->by.woken = true;
}

static int client_open(struct client *c, struct robo__session_request *r, bool program)
{
    struct robo__identity who = *r->who;
    struct carried *by = &c->by;
    char text[128];
    r->who = program ? NULL : &who;
    const int error = robo__session_open(robot, r->name ? &modes.modes : NULL, r, on_wake, c,
                                         robo_now(world), &by->session, text);
    if (error)
        return error;
    by->news = robo__session_news(by->session, robo_now(world));
    if (robo__session_retains(by->session, by->retained))
        by->woken = true;
    by->alarm = robo__robot_alarm(robot);
    by->revision = robot->revisions->revision;
    by->paused = by->resumed = by->asked = 0;
    robo__session_latch(by->session, &by->latch);
    c->latch = by->latch;
    if (by->latch.holds)
        show_latch(c, &by->latch);
    return 0;
}

static void client_close(struct client *c)
{
    robo__session_close(c->by.session);
}

/* A frame of the session's own that says the same. */
static void keep_move(struct robo__session *s, struct robo_cmd *cmd)
{
    const struct robo_move *from = cmd->body.move;
    struct robo__session_move *m = robo__session_make_move(s, from->dofs, from->frames);
    assert_non_null(m);
    m->set.parts = from->parts;
    memcpy(m->set.base, from->base, sizeof from->base);
    memcpy(m->set.dof, from->dof, from->dofs * sizeof *from->dof);
    memcpy(m->set.frame, from->frame, from->frames * sizeof *from->frame);
    cmd->body.move = &m->set;
}

/* How many are admitted; the ids of all are set. */
static size_t client_send(struct client *c, struct robo_cmd *cmds, size_t n, struct said said)
{
    struct robo__session *s = c->by.session;
    const robo_time now = robo_now(world);
    const struct robo__known known = {
        (uint16_t)(said.epoch < 0 ? (int)robo__robot_alarm(robot).epoch : said.epoch),
        (uint16_t)(said.stops < 0 ? (int)robo__mover_stop_count(&s->mover) : said.stops)
    };
    for (size_t i = 0; i < n; i++)
        cmds[i].id = ++last_id;
    if (robo__session_gone(s)) {
        effect("%s %s", c->name, robo_error_name(ROBO_ENONE));
        return n;
    }
    for (size_t i = 0; i < n; i++)
        if (cmds[i].op == ROBO_MOVE)
            keep_move(s, &cmds[i]);
    const size_t admitted =
        robo__session_commands(s, cmds, n, known, said.stamp == ROBO_NEVER ? now : said.stamp, now);
    for (size_t i = admitted; i < n; i++)
        robo__move_free(robo__move_of(&cmds[i]));
    return admitted;
}

static void client_panic(struct client *c)
{
    robo_panic(robot);
}

static int client_reset(struct client *c, int epoch)
{
    const uint32_t known = epoch < 0 ? c->by.alarm.epoch : (uint32_t)epoch;
    return robo__reset_known(robot, (struct robo__known){ .epoch = (uint16_t)known }, "");
}

static void client_silent(struct client *c)
{
    c->silent = true;
}

static void client_heartbeat(struct client *c)
{
    robo__session_heard(c->by.session, 0, ROBO_NO_TIME, robo_now(world));
}

/* A query: 0 and its reply, or the error. */
static int client_ask(struct client *c, enum robo_query query, const void *request, void *reply)
{
    struct robo__session *s = c->by.session;
    const robo_time now = robo_now(world);
    c->by.woken |= query == ROBO_Q_TAKE || query == ROBO_Q_GIVE || query == ROBO_Q_RESUME;
    switch (query) {
    case ROBO_Q_CANCEL: {
        const struct robo_request_cancel *cancel = request;
        ((struct robo_reply_cancel *)reply)->count = robo__session_cancel(s, cancel->command, now);
        return 0;
    }
    case ROBO_Q_HOLDER: {
        const struct robo_request_holder *which = request;
        return robo__session_holder(s, which->index, now, reply) ? 0 : ROBO_ENONE;
    }
    case ROBO_Q_LATCH: {
        const struct robo_request_latch *which = request;
        return robo__session_latched(s, which->index, reply) ? 0 : ROBO_ENONE;
    }
    case ROBO_Q_STATUS: robo__session_status(s, reply); return 0;
    case ROBO_Q_PAUSES: robo__session_pauses(s, reply); return 0;
    case ROBO_Q_FINISH: robo__session_finish(s, now); return 0;
    case ROBO_Q_CLOSE: robo__session_end(s, now); return 0;
    default: return robo__session_request(s, query, request, c->role, reply, now);
    }
}

/* ---- what was expected ---- */

/* Compares the effects of an event with those that stand below it: how many lines differ, of which the first few are printed. */
static int scene_compare(const struct scene *scene, const struct scene_line *event)
{
    const char *got = event->got;
    int wrong = 0;
    const struct scene_line *line = event + 1;
    for (;;) {
        while (line < scene->end && scene_line_is_idle(line))
            line++;
        const bool expects = line < scene->end && line->effect;
        const size_t length = strcspn(got, "\n");
        const char *expected = expects ? line->text + scene_indent(line->text) : "nothing";
        if (!expects && length == 0)
            return wrong;
        if (!expects || strlen(expected) != length || strncmp(expected, got, length) != 0) {
            if (wrong++ < 3 && !scene_quiet)
                fprintf(stderr, "%s:%d: expected: %s\n%*sgot: %.*s\n", scene->file->name,
                        expects ? line->number : event->number, expected,
                        (int)strlen(scene->file->name) + 4, "", length ? (int)length : 7,
                        length ? got : "nothing");
        }
        line += expects;
        got += length + (got[length] == '\n');
    }
}

static const char *why_it_differs(const char *title)
{
    return NULL;
}

/* ---- time ---- */

static const robo_time BEAT = 50000000; /* between signs of life of a client that is not silent */

/* When a client wants to act by itself. */
static robo_time client_next(const struct client *c)
{
    const robo_time beat = robo_now(world) / BEAT * BEAT + BEAT,
                    next = robo__session_next(c->by.session);
    return next < beat ? next : beat;
}

static void client_due(struct client *c, robo_time now)
{
    if (robo__session_next(c->by.session) <= now) {
        robo__session_decide(c->by.session, now);
        c->acts = true;
    }
    if (!c->silent && now % BEAT == 0)
        client_heartbeat(c);
}
