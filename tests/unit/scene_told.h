/* The clients of a scene, and what each of them is answered and told, as text. The player has defined `struct carried` before: what it
 * has of each client. */
#pragma once

#include "scene_body.h"

#include "modes.h"

enum { CLIENTS = 26, LABELS = 256, OPS = ROBO_LAST_OP - ROBO_FIRST_OP + 1 };

/* A client by its letter. */
static struct client {
    struct carried by;
    char name[2];
    uint32_t number;
    uint8_t role; /* enum robo_role */
    bool there;   /* it has a session */
    bool silent, acts;
    unsigned sent[OPS];               /* commands without a label of their own */
    struct robo_notice_latched latch; /* as it was told last */
    size_t labels;
    struct {
        uint32_t id;
        char text[32];
    } label[LABELS]; /* of its newest commands, a ring */
} clients[CLIENTS];

/* The head of a package, as its line in the scene has it. */
struct said {
    robo_time stamp;  /* ROBO_NEVER: that of now */
    int epoch, stops; /* -1: as the client was told last */
};

static struct test_modes modes;

static const char *label_of(const struct client *c, uint32_t id)
{
    for (size_t i = c->labels; i > 0 && c->labels - i < LABELS; i--)
        if (c->label[(i - 1) % LABELS].id == id)
            return c->label[(i - 1) % LABELS].text;
    return "?";
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

enum { SCENE_PARTS = 8 };

/* The parts of a frame that did not end in success. */
static void show_parts(char *text, size_t room, const struct robo_part *part, unsigned count)
{
    const struct robo_description *d = robot->description;
    size_t n = strlen(text);
    for (unsigned i = 0; i < count && n < room; i++) {
        char name[32];
        const bool dof = part[i].kind == ROBO_PART_DOF;
        if (dof && part[i].number < d->dofs)
            snprintf(name, sizeof name, "%s", d->dof[part[i].number].name);
        else
            snprintf(name, sizeof name, part[i].kind == ROBO_PART_BASE ? "base" : "%s %u",
                     dof ? "dof" : "frame", part[i].number);
        n += (size_t)snprintf(text + n, room - n, "%s %s %s %s", i == 0 ? ":" : ",", name,
                              robo_signal_name(part[i].signal), robo_reason_name(part[i].reason));
    }
}

/* part: those of a frame. */
static void show_result(const struct client *c, const struct robo_result *r,
                        const struct robo_part *part, unsigned parts)
{
    const bool ended = r->signal == ROBO_SUCCESS || r->signal == ROBO_MODIFIED;
    char more[256] = "";
    size_t n = 0;
    if (r->reason != ROBO_WHY_NONE)
        n += (size_t)snprintf(more, sizeof more, " %s", robo_reason_name(r->reason));
    if (r->signal == ROBO_BUSY && r->reason == ROBO_WHY_LEASE)
        n += (size_t)snprintf(more + n, sizeof more - n, " of %s", name_of(r->holder));
    if (r->executed != ROBO_NO_TIME && (!ended || r->executed != r->finished))
        n += (size_t)snprintf(more + n, sizeof more - n, ", begun %.10g", seconds(r->executed));
    if (r->executed != ROBO_NO_TIME && r->executed > r->scheduled)
        snprintf(more + n, sizeof more - n, ", %.10g s late", seconds(r->executed - r->scheduled));
    show_parts(more, sizeof more, part, parts);
    effect("%s %s %s%s", c->name, label_of(c, r->id), robo_signal_name(r->signal), more);
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

static void show_latch(struct client *c, const struct robo_notice_latched *latch)
{
    c->latch = *latch;
    if (latch->holds)
        effect("%s by %s, stop %u", receives(c, ROBO_N_LATCHED), name_with(latch->by, latch->name),
               latch->stop);
    else
        effect("%s no more, stop %u", receives(c, ROBO_N_LATCHED), latch->stop);
}

static void show_notice(struct client *c, uint16_t notice, const union robo_notice_body *n)
{
    char text[80];
    switch (notice) {
    case ROBO_N_FAULT: effect("%s %s", c->name, robo_error_name(-n->fault.code)); break;
    case ROBO_N_LATCHED: show_latch(c, &n->latched); break;
    case ROBO_N_DEADMAN:
        effect("%s %.10g", receives(c, notice), seconds(n->deadman.silence));
        break;
    case ROBO_N_LOST: effect("%s to %s", receives(c, notice), name_of(n->lost.holder)); break;
    case ROBO_N_STOPPED: effect("%s %u", receives(c, notice), n->stopped.stops); break;
    case ROBO_N_OVERRIDE:
        snprintf(text, sizeof text, " %g", n->retained.override.share);
        receives_too(c, notice, text);
        break;
    case ROBO_N_FALLEN:
        receives_too(c, notice, n->retained.fallen.lies ? " over" : " no more");
        break;
    case ROBO_N_BLOCKED:
        snprintf(text, sizeof text, " by %s", n->retained.blocked.name);
        receives_too(c, notice, n->retained.blocked.name[0] ? text : " no more");
        break;
    case ROBO_N_ASKED:
        effect("%s by %s for%s until %.10g", receives(c, notice),
               name_with(n->asked.holder, n->asked.name),
               show_axes(n->asked.base, n->asked.bytes, n->asked.mask), seconds(n->asked.due));
        break;
    case ROBO_N_ANSWERED:
        effect("%s %s", receives(c, notice), taking_name(n->answered.state));
        break;
    case ROBO_N_PAUSED:
        effect("%s %u, due %.10g", receives(c, notice), n->paused.count, seconds(n->paused.due));
        break;
    case ROBO_N_RESUMED:
        effect("%s %u, due %.10g, %.10g s later, %.9g m", receives(c, notice), n->resumed.count,
               seconds(n->resumed.due), seconds(n->resumed.later), n->resumed.path);
        break;
    case ROBO_N_PANICKED:
    case ROBO_N_RESET:
    case ROBO_N_LEASES:
    case ROBO_N_CHANGED: receives_too(c, notice, ""); break;
    default: effect("%s", receives(c, notice));
    }
}
