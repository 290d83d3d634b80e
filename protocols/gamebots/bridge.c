/* The bridge of a robot: the data that a script and a connection leave for each other. */
#include "bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mutex.h"
#include "robot/client.h"

enum {
    HEAD = 4, /* bytes of a text's size and kind */
    /* bytes of the world's budget that a bridge is, with its mind */
    SIZE = sizeof(struct robo_bridge) + sizeof(struct robo__gb_connection) + 2 * ROBO_BRIDGE_LINES +
           ROBO_BRIDGE_WORDS
};

/* The bridges that are there. */
static struct robo_bridge *bridges;
static pthread_mutex_t bridges_lock = PTHREAD_MUTEX_INITIALIZER;

void robo__bridges_lock(void)
{
    pthread_mutex_lock(&bridges_lock);
}

void robo__bridges_unlock(void)
{
    pthread_mutex_unlock(&bridges_lock);
}

/* ---- texts ---- */

static bool open_texts(struct robo__gb_texts *texts, size_t size)
{
    *texts = (struct robo__gb_texts){ .at = malloc(size), .size = size };
    return texts->at != NULL;
}

static size_t size_at(const struct robo__gb_texts *texts, size_t at)
{
    uint32_t head;
    memcpy(&head, texts->at + at, sizeof head);
    return head >> 1;
}

struct robo__gb_text robo__gb_next_text(const struct robo__gb_texts *texts, size_t *at,
                                        enum robo__gb_text_kind *kind)
{
    uint32_t head;
    if (*at + HEAD > texts->n)
        return (struct robo__gb_text){ NULL, 0 };
    memcpy(&head, texts->at + *at, sizeof head);
    const struct robo__gb_text text = { texts->at + *at + HEAD, head >> 1 };
    *kind = (enum robo__gb_text_kind)(head & 1);
    *at += HEAD + text.n;
    return text;
}

static bool add(struct robo__gb_texts *texts, enum robo__gb_text_kind kind, const char *text,
                size_t n)
{
    const uint32_t head = (uint32_t)n << 1 | kind;
    if (n > texts->size || texts->n + HEAD + n > texts->size)
        return false;
    texts->last = texts->n;
    memcpy(texts->at + texts->n, &head, sizeof head);
    memcpy(texts->at + texts->n + HEAD, text, n);
    texts->n += HEAD + n;
    return true;
}

/* Drops the oldest until as much is free, or a half, which is more: how many. */
static unsigned make_room(struct robo__gb_texts *texts, size_t room)
{
    size_t at = 0;
    unsigned dropped = 0;
    const size_t most = room > texts->size / 2 ? texts->size - room : texts->size / 2;
    while (at < texts->n && texts->n - at > most) {
        at += HEAD + size_at(texts, at);
        dropped++;
    }
    memmove(texts->at, texts->at + at, texts->n - at);
    texts->n -= at;
    texts->last = texts->last > at ? texts->last - at : 0;
    return dropped;
}

/* ---- lines of one kind ---- */

static bool is_one_of(struct robo__gb_text text, const char *const *words)
{
    while (*words && !robo__gb_is(text, *words))
        words++;
    return *words != NULL;
}

static bool same(struct robo__gb_text a, struct robo__gb_text b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

/* Whether the newer of two lines repeats everything that the older one has set. */
static bool takes_place_of(struct robo__gb_text newer, struct robo__gb_text older)
{
    static const char *const types[] = { "DRIVE",  "MULTIDRIVE", "MISPKG", "ACT",
                                         "CAMERA", "PTZ",        NULL };
    static const char *const keys[] = {
        "Name", "Link", "Order", "Normalized", "Light", "Flip", NULL
    };
    struct robo__gb_line a, b;
    if (!robo__gb_parse(newer, &a) || !is_one_of(a.type, types) || !robo__gb_parse(older, &b) ||
        !same(a.type, b.type) || a.groups != b.groups)
        return false;
    for (unsigned i = 0; i < a.groups; i++)
        if (!same(a.group[i].name, b.group[i].name) ||
            (is_one_of(a.group[i].name, keys) && !same(a.group[i].value, b.group[i].value)))
            return false;
    return true;
}

void robo__bridge_push(struct robo_bridge *b, struct robo__gb_text line)
{
    struct robo__gb_texts *lines = &b->lines;
    const struct robo__gb_text newest = { lines->at + lines->last + HEAD,
                                          lines->n > 0 ? size_at(lines, lines->last) : 0 };
    if (lines->n > 0 && takes_place_of(line, newest))
        lines->n = lines->last;
    else if (lines->n + HEAD + line.n > lines->size)
        b->dropped += make_room(lines, HEAD + line.n);
    add(lines, ROBO__GB_SAID, line.at, line.n);
    robo__bridge_wake(b);
}

/* ---- life ---- */

static void discard(struct robo_bridge *b)
{
    robo__bridge_lose_mind(b);
    free(b->lines.at);
    free(b->words.at);
    free(b->taken.at);
    robo__budget_give(robo__world_memory(b->world), SIZE);
    free(b);
}

static struct robo_bridge *make(robo_world *world, const char *robot)
{
    if (!robo__budget_take(robo__world_memory(world), 0, SIZE))
        return NULL;
    struct robo_bridge *b = calloc(1, sizeof *b);
    if (!b) {
        robo__budget_give(robo__world_memory(world), SIZE);
        return NULL;
    }
    b->world = world;
    snprintf(b->robot, sizeof b->robot, "%s", robot);
    const bool lines = open_texts(&b->lines, ROBO_BRIDGE_LINES),
               words = open_texts(&b->words, ROBO_BRIDGE_WORDS),
               taken = open_texts(&b->taken, ROBO_BRIDGE_LINES);
    if (lines && words && taken)
        return b;
    discard(b);
    return NULL;
}

struct robo_bridge *robo__bridge_hold(robo_world *world, const char *robot)
{
    robo__bridges_lock();
    struct robo_bridge *b = bridges;
    while (b && (b->world != world || strcmp(b->robot, robot) != 0))
        b = b->next;
    if (!b) {
        b = make(world, robot);
        if (b) {
            b->next = bridges;
            bridges = b;
        }
    }
    if (b)
        b->holders++;
    robo__bridges_unlock();
    return b;
}

void robo__bridge_release(struct robo_bridge *b)
{
    robo__bridges_lock();
    const bool last = --b->holders == 0;
    struct robo_bridge **p = &bridges;
    while (last && *p != b)
        p = &(*p)->next;
    if (last)
        *p = b->next;
    robo__bridges_unlock();
    if (last)
        discard(b);
}

/* ---- the lock is held ---- */

void robo__bridge_wake(struct robo_bridge *b)
{
    if (b->scripted && !b->woken)
        b->wake(b->owner);
    b->woken = true;
}

void robo__bridge_turn(struct robo_bridge *b)
{
    b->epoch++;
    b->wishes = false;
    b->lines.n = 0;
    b->steering[0] = b->steering[1] = 0;
    robo__bridge_wake(b);
}

static void wake_connection(struct robo_bridge *b)
{
    if (b->connection)
        robo__wakeup_post(b->mailbox, b->connection);
}

static void end_script(struct robo_bridge *b)
{
    b->scripted = false;
    robo__bridge_turn(b);
    wake_connection(b);
}

/* ---- the script's side ---- */

robo_bridge *robo_bridge_open(robo_world *world, const char *robot, uint64_t key,
                              void (*wake)(void *owner), void *owner, int *error)
{
    struct robo_bridge *b = robo__bridge_hold(world, robot);
    if (!b) {
        *error = ROBO_ENOMEM;
        return NULL;
    }
    robo__bridges_lock();
    const bool taken = b->scripted || b->dismissed;
    if (!taken) {
        b->scripted = true;
        b->scripts++;
        b->key = key;
        b->wake = wake;
        b->owner = owner;
        b->looked = robo_now(world);
        b->woken = false;
        b->quits = b->fails = false;
        b->words.n = 0;
        robo__bridge_turn(b);
        wake_connection(b);
    }
    robo__bridges_unlock();
    if (!taken)
        return b;
    robo__bridge_release(b);
    *error = ROBO_EEXISTS;
    return NULL;
}

void robo_bridge_close(robo_bridge *b)
{
    if (!b)
        return;
    robo__bridge_lose_mind(b);
    robo__bridges_lock();
    if (b->scripted)
        end_script(b);
    b->dismissed = false;
    robo__bridges_unlock();
    robo__bridge_release(b);
}

void robo_bridge_dismiss(robo_world *world, uint64_t key)
{
    if (key == 0)
        return;
    robo__bridges_lock();
    for (struct robo_bridge *b = bridges; b; b = b->next)
        if (b->world == world && b->scripted && b->key == key) {
            end_script(b);
            b->dismissed = true;
        }
    robo__bridges_unlock();
}

void robo_bridge_look(robo_bridge *b, struct robo_bridge_view *view)
{
    *view = (struct robo_bridge_view){ .user = 0 };
    b->read = b->taken.n = 0;
    robo__bridges_lock();
    const struct robo__gb_texts lines = b->lines;
    b->lines = b->taken;
    b->taken = lines;
    b->looked = robo_now(b->world);
    b->woken = false;
    view->epoch = b->epoch;
    view->user = b->connection && b->scripted ? b->users : 0;
    view->panic = b->panic;
    view->dropped = b->dropped;
    snprintf(view->name, sizeof view->name, "%s", view->user ? b->about.name : "");
    robo__bridges_unlock();
    b->user = view->user;
    b->seen = view->epoch;
}

const char *robo_bridge_line(robo_bridge *b, size_t *n)
{
    enum robo__gb_text_kind kind;
    const struct robo__gb_text text = robo__gb_next_text(&b->taken, &b->read, &kind);
    *n = text.n;
    return text.at;
}

/* Puts a wish over a waiting one. */
static int merge(struct robo_bridge_wish *to, const struct robo_bridge_wish *wish)
{
    unsigned dofs = to->dofs;
    for (unsigned i = 0; i < wish->dofs; i++) {
        unsigned k = 0;
        while (k < dofs && to->dof[k].dof != wish->dof[i].dof)
            k++;
        if (k == ROBO_BRIDGE_DOFS)
            return ROBO_ERANGE;
        to->dof[k] = wish->dof[i];
        dofs += k == dofs;
    }
    to->dofs = dofs;
    if (wish->base) {
        to->base = true;
        memcpy(to->velocity, wish->velocity, sizeof to->velocity);
    }
    return 0;
}

int robo_bridge_hand_over(robo_bridge *b, uint32_t epoch, const struct robo_bridge_wish *wish)
{
    int error = wish->dofs <= ROBO_BRIDGE_DOFS ? 0 : ROBO_ERANGE;
    robo__bridges_lock();
    if (error == 0 && (epoch != b->epoch || !b->connection || !b->scripted))
        error = ROBO_ECLOSED;
    if (error == 0) {
        if (!b->wishes || wish->stops) {
            b->wish.stops = wish->stops;
            b->wish.base = false;
            b->wish.dofs = 0;
        }
        error = merge(&b->wish, wish);
        b->wishes = true;
        wake_connection(b);
    }
    robo__bridges_unlock();
    return error;
}

static int leave_words(struct robo_bridge *b, uint32_t user, enum robo__gb_text_kind kind,
                       const char *text, size_t n)
{
    int error = 0;
    robo__bridges_lock();
    if (b->connection && b->users == user) {
        error = add(&b->words, kind, text, n) ? 0 : ROBO_EFULL;
        wake_connection(b);
    }
    robo__bridges_unlock();
    return error;
}

int robo_bridge_say(robo_bridge *b, uint32_t user, const char *text, size_t n)
{
    return leave_words(b, user, ROBO__GB_SAID, text, n);
}

int robo_bridge_pass(robo_bridge *b, uint32_t user, const char *line, size_t n)
{
    return leave_words(b, user, ROBO__GB_PASSED, line, n);
}

void robo_bridge_fail(robo_bridge *b, uint32_t user, const char *why)
{
    robo__bridges_lock();
    if (b->connection && b->users == user) {
        snprintf(b->why, sizeof b->why, "%s", why);
        b->fails = true;
        robo__bridge_turn(b);
        wake_connection(b);
    }
    robo__bridges_unlock();
}

void robo_bridge_quit(robo_bridge *b, uint32_t user)
{
    robo__bridges_lock();
    if (b->connection && b->users == user) {
        b->quits = true;
        robo__bridge_turn(b);
        wake_connection(b);
    }
    robo__bridges_unlock();
}
