/* What the clients of a scene do: how an event of one is read, and which of the robot's functions it calls. */
#ifndef SCENE_CLIENT_H
#define SCENE_CLIENT_H

#include "scene_told.h"

enum { PACKAGE = 16 };

static struct client *take_client(struct scene_words *w)
{
    const char *name = w->word[w->at];
    if (name[0] < 'a' || name[0] >= 'a' + CLIENTS || name[1] != 0)
        return NULL;
    w->at++;
    return &clients[name[0] - 'a'];
}

static struct client *need_client(struct scene_words *w)
{
    struct client *c = take_client(w);
    if (!c)
        scene_wrong(w, "want a client");
    return c;
}

static void on_wake(void *owner)
{
    struct client *c = owner;
    c->woken = true;
}

/* open [as CLIENT] [program] [number N] [key N] [local] [wordless] [mode NAME] [delay S] [deadman S] [gap S] [expiry S] [newest]
 * [silent] */
static void open_client(struct client *c, struct scene_words *w)
{
    struct robo__session_request r = { .name = NULL };
    struct robo__identity who = { .name = c->name, .number = (uint32_t)(c - clients) + 1 };
    char text[128];
    bool program = false;
    c->silent = false;
    while (w && *w->word[w->at]) {
        if (scene_takes(w, "as"))
            who.number = need_client(w)->number;
        else if (scene_takes(w, "program"))
            program = true;
        else if (scene_takes(w, "number"))
            who.number = (uint32_t)scene_number(w);
        else if (scene_takes(w, "key"))
            who.key = strtoull(scene_word(w), NULL, 0);
        else if (scene_takes(w, "local"))
            who.local = true;
        else if (scene_takes(w, "wordless"))
            who.wordless = true;
        else if (scene_takes(w, "mode"))
            r.name = scene_word(w);
        else if (scene_takes(w, "delay"))
            r.delay = time_of(scene_number(w));
        else if (scene_takes(w, "deadman"))
            r.deadman = time_of(scene_number(w));
        else if (scene_takes(w, "gap"))
            r.gap = time_of(scene_number(w));
        else if (scene_takes(w, "expiry"))
            r.expiry = time_of(scene_number(w));
        else if (scene_takes(w, "newest"))
            r.newest = true;
        else if (scene_takes(w, "silent"))
            c->silent = true;
        else
            scene_wrong(w, "no such option of a session");
    }
    r.who = program ? NULL : &who;
    c->number = program ? 0 : who.number;
    struct robo__session *s;
    const int error = robo__session_open(robot, r.name ? &modes.modes : NULL, &r, on_wake, c,
                                         robo_now(world), &s, text);
    if (error) {
        assert_int_not_equal(error, ROBO_ENOMEM);
        effect("%s %s", c->name, robo_error_name(error));
        return;
    }
    c->session = s;
    c->news = robo__session_news(s, robo_now(world));
    c->alarm = robo__robot_alarm(robot);
    c->revision = robot->revisions->revision;
    c->paused = c->resumes = c->asked = 0;
    robo__session_latch(s, &c->latch);
    if (c->latch.holds)
        effect("%s by %s, stop %u", receives(c, ROBO_N_LATCHED),
               name_with(c->latch.by, c->latch.name), c->latch.stop);
}

static void close_client(struct client *c)
{
    if (c->session)
        robo__session_close(c->session);
    c->session = NULL;
}

/* "[LABEL:] COMMAND [at S] [stamp S] [knows STOPS] [epoch N] [revision N]", and more of these behind a ';', as one package. */
static bool act_command(struct client *c, struct scene_words *w)
{
    struct robo_cmd cmds[PACKAGE];
    const robo_time now = robo_now(world);
    robo_time stamp = now;
    struct robo__known known = { (uint16_t)robo__robot_alarm(robot).epoch,
                                 (uint16_t)robo__mover_stop_count(&c->session->mover) };
    size_t n = 0;
    do {
        const char *label = w->word[w->at];
        const size_t length = strlen(label);
        struct robo_cmd *cmd = &cmds[n];
        if (length > 1 && label[length - 1] == ':')
            w->at++;
        else
            label = NULL;
        if (n == PACKAGE || !take_command(w, cmd)) {
            if (n || label)
                scene_wrong(w, "no command");
            return false;
        }
        for (;;) {
            if (scene_takes(w, "at"))
                cmd->start = time_of(scene_number(w));
            else if (scene_takes(w, "stamp"))
                stamp = time_of(scene_number(w));
            else if (scene_takes(w, "knows"))
                known.stops = (uint16_t)scene_number(w);
            else if (scene_takes(w, "epoch"))
                known.epoch = (uint16_t)scene_number(w);
            else if (scene_takes(w, "revision"))
                cmd->revision = (uint8_t)scene_number(w);
            else
                break;
        }
        const uint32_t id = cmd->id = ++last_id;
        char *text = labels[id % LABELS].text;
        labels[id % LABELS].id = id;
        labels[id % LABELS].of = c;
        const unsigned times = ++c->sent[cmd->op - ROBO_FIRST_OP];
        if (label)
            snprintf(text, sizeof labels[0].text, "%.*s", (int)length - 1, label);
        else if (times > 1)
            snprintf(text, sizeof labels[0].text, "%s.%u", robo_op_name(cmd->op), times);
        else
            snprintf(text, sizeof labels[0].text, "%s", robo_op_name(cmd->op));
        n++;
    } while (scene_takes(w, ";"));
    const size_t admitted = robo__session_commands(c->session, cmds, n, known, stamp, now);
    for (size_t i = admitted; i < n; i++)
        effect("%s %s does not fit", c->name, label_of(cmds[i].id));
    return true;
}

static void act_take(struct client *c, struct scene_words *w)
{
    struct robo_request_take what = { .revision = (uint8_t)robot->revisions->revision };
    struct robo_reply_take reply;
    take_axes(w, &what.base, &what.bytes, what.mask);
    if (scene_takes(w, "revision"))
        what.revision = (uint8_t)scene_number(w);
    const bool force = scene_takes(w, "force");
    const int error = robo__session_take(c->session, &what, force, robo_now(world), &reply);
    if (error)
        effect("%s take %s", c->name, robo_error_name(error));
    else if (reply.state < ROBO__ASKED)
        effect("%s take %s", c->name, taking_name(reply.state));
    else
        effect("%s take %s %s, %.10g s left", c->name, taking_name(reply.state),
               name_with(reply.holder, reply.name), seconds(reply.left));
}

static void act_release(struct client *c, struct scene_words *w)
{
    struct robo_request_release what = { .revision = (uint8_t)robot->revisions->revision };
    what.asked = scene_takes(w, "asked");
    take_axes(w, &what.base, &what.bytes, what.mask);
    const int error = robo__session_give_back(c->session, &what, robo_now(world));
    if (error)
        effect("%s release %s", c->name, robo_error_name(error));
}

/* resume [all | CLIENT] [stop N] [operate]: by default the client itself, with the number that it was told last. */
static void act_resume(struct client *c, struct scene_words *w)
{
    struct robo_request_resume what = { .stop = c->latch.stop };
    const struct client *other = NULL;
    if (scene_takes(w, "all"))
        what.scope = 1;
    else if ((other = take_client(w))) {
        what.scope = 2;
        what.client = other->number;
    }
    if (scene_takes(w, "stop"))
        what.stop = (uint32_t)scene_number(w);
    const uint8_t role = scene_takes(w, "operate") ? ROBO_ROLE_OPERATE : ROBO_ROLE_DRIVE;
    const int error = robo__session_resume(c->session, &what, role);
    if (error)
        effect("%s resume %s", c->name, robo_error_name(error));
}

/* cancel [CLIENT] LABEL | cancel all */
static void act_cancel(struct client *c, struct scene_words *w)
{
    uint32_t id = 0;
    if (!scene_takes(w, "all")) {
        const struct client *of = take_client(w);
        for (id = last_id; id > 0; id--)
            if (labels[id % LABELS].of == (of ? of : c) &&
                strcmp(label_of(id), w->word[w->at]) == 0)
                break;
        if (id == 0)
            scene_wrong(w, "no such command");
        w->at++;
    }
    effect("%s cancel %u", c->name, robo__session_cancel(c->session, id, robo_now(world)));
}

static void list_leases(const struct client *c)
{
    struct robo_reply_holder row;
    for (unsigned i = 0; robo__session_holder(c->session, i, robo_now(world), &row); i++)
        effect("%s has%s for %.10g s", name_with(row.holder, row.name),
               show_axes(row.base, row.bytes, row.mask), seconds(row.left));
}

static void list_latches(const struct client *c)
{
    struct robo_reply_latch row;
    for (unsigned i = 0; robo__session_latched(c->session, i, &row); i++)
        effect("%s%s latched by %s at %.10g, stop %u%s", name_with(row.client, row.name),
               row.own ? " (own)" : "", name_of(row.by), seconds(row.since), row.stop,
               row.connected ? "" : ", away");
}

static void show_status(struct client *c)
{
    struct robo_reply_status status;
    char delay[32] = "";
    robo__session_status(c->session, &status);
    if (status.delay != 0)
        snprintf(delay, sizeof delay, " delay %.10g", seconds(status.delay));
    effect("%s status executed %u refused %u underruns %u waiting %zu%s", c->name,
           (unsigned)status.executed, (unsigned)status.refused, (unsigned)status.underruns,
           robo__session_waiting(c->session), delay);
}

static void answer(struct client *c, struct scene_words *w, bool gives)
{
    const struct client *asker = need_client(w);
    if (!robo__session_answer(c->session, asker->number, gives, robo_now(world)))
        effect("%s was not asked", c->name);
}

static void act_client(struct client *c, struct scene_words *w)
{
    const robo_time now = robo_now(world);
    int error = 0;
    if (!c->session && scene_takes(w, "open"))
        open_client(c, w);
    else if (!c->session)
        scene_wrong(w, "has no session");
    else if (act_command(c, w))
        return;
    else if (scene_takes(w, "close"))
        close_client(c);
    else if (scene_takes(w, "end"))
        robo__session_end(c->session, now);
    else if (scene_takes(w, "silent"))
        c->silent = true;
    else if (scene_takes(w, "heartbeat")) {
        c->silent = false;
        robo__session_heard(c->session, ROBO_NO_TIME, now);
    } else if (scene_takes(w, "take"))
        act_take(c, w);
    else if (scene_takes(w, "give"))
        answer(c, w, true);
    else if (scene_takes(w, "refuse"))
        answer(c, w, false);
    else if (scene_takes(w, "release"))
        act_release(c, w);
    else if (scene_takes(w, "resume"))
        act_resume(c, w);
    else if (scene_takes(w, "cancel"))
        act_cancel(c, w);
    else if (scene_takes(w, "finish"))
        robo__session_finish(c->session, now);
    else if (scene_takes(w, "leases"))
        list_leases(c);
    else if (scene_takes(w, "latches"))
        list_latches(c);
    else if (scene_takes(w, "status"))
        show_status(c);
    else if (scene_takes(w, "reset"))
        error = robo__reset_known(
            robot, (struct robo__known){ .epoch = scene_is_number(w) ? (uint16_t)scene_number(w)
                                                                     : (uint16_t)c->alarm.epoch });
    else
        scene_wrong(w, "no such event of a client");
    if (error)
        effect("%s %s", c->name, robo_error_name(error));
}

#endif
