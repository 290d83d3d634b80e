/* The clients of a scene, and what each of them is answered and told: as protocols/robotalk/server_session.c notifies them. A client
 * looks when it has acted, and when it is woken. */
#ifndef SCENE_TOLD_H
#define SCENE_TOLD_H

#include "scene_body.h"

#include "modes.h"

enum { CLIENTS = 26, LABELS = 1024, OPS = ROBO_LAST_OP - ROBO_FIRST_OP + 1 };

/* A client by its letter, with its session, and what it was told last. */
static struct client {
    struct robo__session *session; /* NULL: it has none */
    char name[2];
    uint32_t number;
    bool silent, woken, acts;
    unsigned sent[OPS]; /* commands without a label of their own */
    struct robo__news news;
    struct robo__alarm alarm;
    uint32_t asked, revision, paused, resumes;
    struct robo_notice_latched latch;
} clients[CLIENTS];

static struct {
    uint32_t id;
    const struct client *of;
    char text[32];
} labels[LABELS];
static uint32_t last_id;
static struct test_modes modes;

static const char *label_of(uint32_t id)
{
    return labels[id % LABELS].id == id ? labels[id % LABELS].text : "?";
}

/* The client of that number as others call it. */
static const char *name_of(uint32_t number)
{
    static char text[2][32];
    static int at;
    at = 1 - at;
    for (int i = 0; i < CLIENTS; i++)
        if (clients[i].name[0] && clients[i].number == number)
            return clients[i].name;
    snprintf(text[at], sizeof text[at], number ? "client %u" : "the program", number);
    return text[at];
}

/* The same of one that is named beside its number. */
static const char *name_with(uint32_t number, const char *name)
{
    static char text[128];
    if (!name[0] || strcmp(name, name_of(number)) == 0)
        return name_of(number);
    snprintf(text, sizeof text, "%s called %s", name_of(number), name);
    return text;
}

static double seconds(robo_time t)
{
    return (double)t / 1e9;
}

/* ---- what they are told ---- */

static void show_result(const struct client *c, const struct robo_result *r)
{
    const bool ended = r->signal == ROBO_SUCCESS || r->signal == ROBO_MODIFIED;
    char more[128] = "";
    size_t n = 0;
    if (r->reason != ROBO_WHY_NONE)
        n += (size_t)snprintf(more, sizeof more, " %s", robo_reason_name(r->reason));
    if (r->signal == ROBO_BUSY && r->reason == ROBO_WHY_LEASE)
        n += (size_t)snprintf(more + n, sizeof more - n, " of %s", name_of(r->holder));
    if (r->executed != ROBO_NO_TIME && (!ended || r->executed != r->finished))
        n += (size_t)snprintf(more + n, sizeof more - n, ", begun %.10g", seconds(r->executed));
    if (r->executed != ROBO_NO_TIME && r->executed > r->scheduled)
        snprintf(more + n, sizeof more - n, ", %.10g s late", seconds(r->executed - r->scheduled));
    effect("%s %s %s%s", c->name, label_of(r->id), robo_signal_name(r->signal), more);
}

static void show_results(struct client *c)
{
    struct robo_result r;
    while (robo__session_results(c->session, &r, 1) == 1)
        show_result(c, &r);
}

/* The name of a notice, and its receiver. */
static const char *receives(const struct client *c, uint16_t notice)
{
    static char text[64];
    snprintf(text, sizeof text, "%s receives %s", c->name, robo_notice_name(notice));
    return text;
}

/* A notice that many clients receive at one instant is one effect of them all, behind the answers of that instant. */
static struct {
    char text[64], who[2 * CLIENTS + 1];
} common[8];
static size_t commons;

static void receives_too(const struct client *c, uint16_t notice, const char *more)
{
    char text[64];
    size_t i = 0;
    snprintf(text, sizeof text, "%s%s", robo_notice_name(notice), more);
    while (i < commons && strcmp(common[i].text, text) != 0)
        i++;
    assert_true(i < sizeof common / sizeof common[0]);
    if (i == commons) {
        memcpy(common[commons].text, text, sizeof text);
        common[commons++].who[0] = 0;
    }
    strcat(common[i].who, c->name);
    strcat(common[i].who, " ");
}

static void show_common(void)
{
    for (size_t i = 0; i < commons; i++)
        effect("%s%s %s", common[i].who, strlen(common[i].who) > 2 ? "receive" : "receives",
               common[i].text);
    commons = 0;
}

static const char *taking_name(uint8_t state)
{
    static const char *const names[] = {
        "nothing", "taken", "braking", "asked", "refused", "later"
    };
    return names[state];
}

static void look_at_latch(struct client *c)
{
    struct robo_notice_latched now;
    robo__session_latch(c->session, &now);
    if (now.stop == c->latch.stop && now.holds == c->latch.holds)
        return;
    c->latch = now;
    if (now.holds)
        effect("%s by %s, stop %u", receives(c, ROBO_N_LATCHED), name_with(now.by, now.name),
               now.stop);
    else
        effect("%s receives %s no more, stop %u", c->name, robo_notice_name(ROBO_N_LATCHED),
               now.stop);
}

static void look_at_panic(struct client *c)
{
    const struct robo__alarm alarm = robo__robot_alarm(robot);
    if (alarm.epoch == c->alarm.epoch && alarm.panic == c->alarm.panic)
        return;
    if (alarm.epoch != c->alarm.epoch) {
        robo__session_panicked(c->session, robo_now(world));
        show_results(c);
        receives_too(c, ROBO_N_PANICKED, "");
    }
    if (!alarm.panic)
        receives_too(c, ROBO_N_RESET, "");
    c->alarm = alarm;
}

/* Looks for all that a client has been answered and told. */
static void look(struct client *c)
{
    const struct robo__news news = robo__session_news(c->session, robo_now(world)), old = c->news;
    struct robo_notice_asked asked;
    char share[16];
    c->woken = false;
    c->news = news;
    look_at_latch(c);
    show_results(c);
    if (news.silence != 0)
        effect("%s %.10g", receives(c, ROBO_N_DEADMAN), seconds(news.silence));
    look_at_panic(c);
    if (news.loss.times != old.loss.times)
        effect("%s to %s", receives(c, ROBO_N_LOST), name_of(news.loss.to));
    if (news.stops != old.stops) {
        show_results(c);
        effect("%s %u", receives(c, ROBO_N_STOPPED), news.stops);
    }
    snprintf(share, sizeof share, " %g", news.override);
    if (news.override != old.override)
        receives_too(c, ROBO_N_OVERRIDE, share);
    if (news.leases != old.leases)
        receives_too(c, ROBO_N_LEASES, "");
    while (news.asks != old.asks && robo__session_asked(c->session, &c->asked, &asked))
        effect("%s by %s for%s until %.10g", receives(c, ROBO_N_ASKED),
               name_with(asked.holder, asked.name), show_axes(asked.base, asked.bytes, asked.mask),
               seconds(asked.due));
    if (news.answer.count != old.answer.count)
        effect("%s %s", receives(c, ROBO_N_ANSWERED), taking_name(news.answer.state));
    if (robot->revisions->revision != c->revision)
        receives_too(c, ROBO_N_CHANGED, "");
    c->revision = robot->revisions->revision;
    if (c->session->paused != c->paused)
        effect("%s", receives(c, ROBO_N_PAUSED));
    c->paused = c->session->paused;
    if (c->session->resumes != c->resumes)
        effect("%s", receives(c, ROBO_N_RESUMED));
    c->resumes = c->session->resumes;
    if (news.gone && !old.gone) {
        robo__session_end(c->session, robo_now(world));
        show_results(c);
        effect("%s", receives(c, ROBO_N_REMOVED));
    }
}

/* Those who were woken, and the client that has just acted. */
static void look_all(void)
{
    for (bool again = true; again;) {
        again = false;
        for (struct client *c = clients; c < clients + CLIENTS; c++) {
            const bool looks = c->session && (c->woken || c->acts);
            c->acts = false;
            if (looks)
                look(c);
            again |= looks;
        }
        show_common();
    }
}

#endif
