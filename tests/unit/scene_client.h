/* Clients of a scene: how an event of one is read, and which function of the player's carries it out. */
#pragma once

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

/* open [as CLIENT] [program] [own] [number N] [key N] [local] [wordless] [mode NAME] [delay S] [duration S] [deadman S] [gap S] [expiry S]
 * [newest] [silent] */
static void open_client(struct client *c, struct scene_words *w)
{
    struct robo__session_request r = { .name = NULL };
    struct robo__identity who = { .name = c->name, .number = (uint32_t)(c - clients) + 1 };
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
        else if (scene_takes(w, "own")) /* of the program, by a connection */
            who.key = world->key;
        else if (scene_takes(w, "local"))
            who.local = true;
        else if (scene_takes(w, "wordless"))
            who.wordless = true;
        else if (scene_takes(w, "mode"))
            r.name = scene_word(w);
        else if (scene_takes(w, "delay"))
            r.delay = time_of(scene_number(w));
        else if (scene_takes(w, "duration"))
            r.duration = time_of(scene_number(w));
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
    r.who = &who;
    c->number = program ? 0 : who.number;
    const int error = client_open(c, &r, program);
    assert_int_not_equal(error, ROBO_ENOMEM);
    if (error)
        effect("%s %s", c->name, robo_error_name(error));
    c->there = error == 0;
}

static void close_client(struct client *c)
{
    if (c->there)
        client_close(c);
    c->there = false;
}

/* By that label, or by its op and which one of the client's it is. */
static void name_command(struct client *c, const struct robo_cmd *cmd, const char *label)
{
    const size_t at = c->labels++ % LABELS, room = sizeof c->label[at].text;
    const char *name = robo_op_name(cmd->op);
    const unsigned times = ++c->sent[cmd->op - ROBO_FIRST_OP];
    c->label[at].id = cmd->id;
    if (label)
        snprintf(c->label[at].text, room, "%.*s", (int)strlen(label) - 1, label);
    else
        snprintf(c->label[at].text, room, times > 1 ? "%s.%u" : "%s", name, times);
}

/* "[LABEL:] COMMAND [at S] [stamp S] [knows STOPS] [epoch N] [revision N]", and more of these behind a ';', as one package. */
static bool act_command(struct client *c, struct scene_words *w)
{
    struct robo_cmd cmds[PACKAGE];
    const char *label[PACKAGE];
    struct said said = { ROBO_NEVER, -1, -1 };
    size_t n = 0;
    do {
        if (n == PACKAGE)
            scene_wrong(w, "too many commands");
        struct robo_cmd *cmd = &cmds[n];
        const char *word = w->word[w->at];
        const size_t length = strlen(word);
        label[n] = length > 1 && word[length - 1] == ':' ? w->at++, word : NULL;
        if (!take_command(w, cmd)) {
            if (n || label[n])
                scene_wrong(w, "no command");
            return false;
        }
        for (;;) {
            if (scene_takes(w, "at"))
                cmd->start = time_of(scene_number(w));
            else if (scene_takes(w, "stamp"))
                said.stamp = scene_takes(w, "none") ? ROBO_NO_TIME : time_of(scene_number(w));
            else if (scene_takes(w, "knows"))
                said.stops = (int)scene_number(w);
            else if (scene_takes(w, "epoch"))
                said.epoch = (int)scene_number(w);
            else if (scene_takes(w, "revision"))
                cmd->revision = (uint8_t)scene_number(w);
            else
                break;
        }
        n++;
    } while (scene_takes(w, ";"));
    const size_t admitted = client_send(c, cmds, n, said);
    for (size_t i = 0; i < n; i++)
        name_command(c, &cmds[i], label[i]);
    for (size_t i = admitted; i < n; i++)
        effect("%s %s does not fit", c->name, label_of(c, cmds[i].id));
    return true;
}

static void act_take(struct client *c, struct scene_words *w)
{
    struct robo_request_take what = { .revision = (uint8_t)robot->revisions->revision };
    struct robo_reply_take reply;
    take_axes(w, &what.base, &what.bytes, what.mask);
    if (scene_takes(w, "revision"))
        what.revision = (uint8_t)scene_number(w);
    what.force = scene_takes(w, "force");
    const int error = client_ask(c, ROBO_Q_TAKE, &what, &reply);
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
    const int error = client_ask(c, ROBO_Q_RELEASE, &what, NULL);
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
    c->role = scene_takes(w, "operate") ? ROBO_ROLE_OPERATE : ROBO_ROLE_DRIVE;
    const int error = client_ask(c, ROBO_Q_RESUME, &what, NULL);
    c->role = ROBO_ROLE_OPERATE;
    if (error)
        effect("%s resume %s", c->name, robo_error_name(error));
}

/* cancel [CLIENT] LABEL | cancel all */
static void act_cancel(struct client *c, struct scene_words *w)
{
    struct robo_request_cancel what = { .command = 0 };
    struct robo_reply_cancel reply = { .count = 0 };
    if (!scene_takes(w, "all")) {
        const struct client *of = take_client(w);
        of = of ? of : c;
        for (size_t i = 0; i < LABELS && i < of->labels; i++)
            if (strcmp(of->label[i].text, w->word[w->at]) == 0)
                what.command = of->label[i].id;
        if (what.command == 0)
            scene_wrong(w, "no such command");
        w->at++;
    }
    client_ask(c, ROBO_Q_CANCEL, &what, &reply);
    effect("%s cancel %u", c->name, reply.count);
}

static void list_leases(struct client *c)
{
    struct robo_reply_holder row;
    struct robo_request_holder which = { .index = 0 };
    for (; client_ask(c, ROBO_Q_HOLDER, &which, &row) == 0; which.index++) {
        assert_int_equal(row.own, row.holder == c->number);
        effect("%s has%s for %.10g s", name_with(row.holder, row.name),
               show_axes(row.base, row.bytes, row.mask), seconds(row.left));
    }
}

static void list_latches(struct client *c)
{
    struct robo_reply_latch row;
    struct robo_request_latch which = { .index = 0 };
    for (; client_ask(c, ROBO_Q_LATCH, &which, &row) == 0; which.index++)
        effect("%s%s latched by %s at %.10g, stop %u%s", name_with(row.client, row.name),
               row.own ? " (own)" : "", name_of(row.by), seconds(row.since), row.stop,
               row.connected ? "" : ", away");
}

static void show_status(struct client *c)
{
    struct robo_reply_status status;
    char delay[32] = "";
    if (client_ask(c, ROBO_Q_STATUS, NULL, &status) < 0)
        return;
    if (status.delay != 0)
        snprintf(delay, sizeof delay, " delay %.10g", seconds(status.delay));
    effect("%s status executed %u refused %u underruns %u waiting %u%s", c->name,
           (unsigned)status.executed, (unsigned)status.refused, (unsigned)status.underruns,
           status.queued + status.held, delay);
}

static void list_pauses(struct client *c)
{
    struct robo_reply_pauses p;
    if (client_ask(c, ROBO_Q_PAUSES, NULL, &p) < 0)
        return;
    effect("%s pauses %u, %.10g s", c->name, p.count, seconds(p.added));
    for (unsigned i = 0; i < p.kept; i++)
        effect("%s pause due %.10g, %.10g s", c->name, seconds(p.due[i]), seconds(p.later[i]));
}

static void answer(struct client *c, struct scene_words *w, bool gives)
{
    const struct robo_request_give what = { .holder = need_client(w)->number, .give = gives };
    if (client_ask(c, ROBO_Q_GIVE, &what, NULL) < 0)
        effect("%s was not asked", c->name);
}

static void act_client(struct client *c, struct scene_words *w)
{
    int error = 0;
    if (!c->there && scene_takes(w, "open"))
        open_client(c, w);
    else if (!c->there)
        scene_wrong(w, "has no session");
    else if (act_command(c, w))
        return;
    else if (scene_takes(w, "close"))
        close_client(c);
    else if (scene_takes(w, "end"))
        client_ask(c, ROBO_Q_CLOSE, NULL, NULL);
    else if (scene_takes(w, "silent"))
        client_silent(c);
    else if (scene_takes(w, "heartbeat")) {
        c->silent = false;
        client_heartbeat(c);
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
        client_ask(c, ROBO_Q_FINISH, NULL, NULL);
    else if (scene_takes(w, "leases"))
        list_leases(c);
    else if (scene_takes(w, "latches"))
        list_latches(c);
    else if (scene_takes(w, "status"))
        show_status(c);
    else if (scene_takes(w, "pauses"))
        list_pauses(c);
    else if (scene_takes(w, "panic"))
        client_panic(c);
    else if (scene_takes(w, "reset"))
        error = client_reset(c, scene_is_number(w) ? (int)scene_number(w) : -1);
    else
        scene_wrong(w, "no such event of a client");
    if (error)
        effect("%s %s", c->name, robo_error_name(error));
}
