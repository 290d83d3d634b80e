/* Questions to the program. */
#include "inbox.h"

#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "robotalk/description.h"

/* Counted: its owner, hosts, askers, open questions, and its wake-up while that is posted hold it. Its loop is held by
 * the first three, so that they can post to it. */
struct robo__inbox {
    struct robo__host *host;
    robo_loop *loop;             /* host's */
    struct robo__mailbox posted; /* questions that the owner has not taken yet */
    struct robo__wakeup wakeup;  /* wakes it for them */
    atomic_bool notified;
    void (*arrived)(struct robo__question *question, void *owner);
    void *owner;
    struct robo__question *first, **last; /* arrived and not answered, oldest first */
    atomic_uint holders;
    atomic_bool closed;
};

static uint64_t new_number(void)
{
    static _Atomic uint64_t given; /* a number is never reused, also by other inboxes */
    return atomic_fetch_add(&given, 1) + 1;
}

static void hold_loop(robo_loop *loop)
{
    if (loop)
        robo__loop_hold(loop);
}

static void release_loop(robo_loop *loop)
{
    if (loop)
        robo__loop_release(loop);
}

static void hold(struct robo__inbox *inbox)
{
    atomic_fetch_add(&inbox->holders, 1);
}

static void release(struct robo__inbox *inbox)
{
    if (atomic_fetch_sub(&inbox->holders, 1) == 1)
        free(inbox);
}

static void hold_both(struct robo__inbox *inbox)
{
    hold(inbox);
    hold_loop(inbox->loop);
}

static void release_both(struct robo__inbox *inbox)
{
    robo_loop *loop = inbox->loop;
    release(inbox);
    release_loop(loop);
}

static size_t size_of(const struct robo__question *question)
{
    return sizeof *question + question->count * sizeof question->value[0];
}

static void discard(struct robo__question *question)
{
    if (question->paid)
        robo__budget_give(robo__world_memory(question->host->world), size_of(question));
    release(question->inbox);
    robo_body_release(question->body);
    free(question);
}

/* ---- the side that answers ---- */

/* Any thread: wakes the owner for posted questions. */
static void notify(struct robo__mailbox *posted)
{
    struct robo__inbox *inbox = robo__container_of(posted, struct robo__inbox, posted);
    if (atomic_exchange(&inbox->notified, true))
        return;
    hold(inbox);
    robo__wakeup_post(&inbox->host->mailbox, &inbox->wakeup);
}

static void on_posted(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__inbox *inbox = robo__container_of(wakeup, struct robo__inbox, wakeup);
    atomic_store(&inbox->notified, false);
    robo__wakeup_drain(&inbox->posted, now);
    release(inbox);
}

struct robo__inbox *robo__inbox_open(struct robo__host *host,
                                     void (*arrived)(struct robo__question *question, void *owner),
                                     void *owner)
{
    struct robo__inbox *inbox = calloc(1, sizeof *inbox);
    if (!inbox)
        return NULL;
    inbox->host = host;
    inbox->loop = host->loop;
    inbox->posted.notify = notify;
    inbox->wakeup.run = on_posted;
    inbox->arrived = arrived;
    inbox->owner = owner;
    inbox->last = &inbox->first;
    atomic_store(&inbox->holders, 1);
    hold_loop(inbox->loop);
    return inbox;
}

void robo__inbox_close(struct robo__inbox *inbox)
{
    atomic_store(&inbox->closed, true);
    while (inbox->first)
        robo__inbox_answer(inbox->first, false, NULL, 0);
    robo__wakeup_drain(&inbox->posted, 0);
    if (inbox->host->inbox == inbox)
        robo__host_use_inbox(inbox->host, NULL);
    release_both(inbox);
}

void robo__host_use_inbox(struct robo__host *host, struct robo__inbox *inbox)
{
    struct robo__inbox *before = host->inbox;
    if (inbox)
        hold_both(inbox);
    host->inbox = inbox;
    if (before)
        release_both(before);
}

struct robo__question *robo__inbox_find(struct robo__inbox *inbox, uint64_t number)
{
    struct robo__question *q = inbox->first;
    while (q && q->number != number)
        q = q->next;
    return q;
}

static void take_out(struct robo__inbox *inbox, struct robo__question *question)
{
    struct robo__question **p = &inbox->first;
    while (*p != question)
        p = &(*p)->next;
    *p = question->next;
    if (!*p)
        inbox->last = p;
}

static void on_answered(struct robo__wakeup *wakeup, robo_time now);

/* Posts the question with its answer back to the asker's thread. */
static void send_back(struct robo__question *question)
{
    robo_loop *loop = question->host->loop;
    question->wakeup.run = on_answered;
    robo__wakeup_post(&question->host->mailbox, &question->wakeup); /* it may be gone after this */
    release_loop(loop);
}

void robo__inbox_answer(struct robo__question *question, bool answered, const double *values,
                        size_t count)
{
    take_out(question->inbox, question);
    question->answered = answered;
    question->answers = count < ROBO__ANSWER_NUMBERS ? count : ROBO__ANSWER_NUMBERS;
    if (count > 0)
        memcpy(question->answer, values, question->answers * sizeof *values);
    send_back(question);
}

/* On the inbox's thread, or on any thread when the inbox has closed. */
static void on_arrived(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__question *question = robo__container_of(wakeup, struct robo__question, wakeup);
    struct robo__inbox *inbox = question->inbox;
    (void)now;
    question->next = NULL;
    if (atomic_load(&inbox->closed)) {
        send_back(question);
        return;
    }
    *inbox->last = question;
    inbox->last = &question->next;
    inbox->arrived(question, inbox->owner);
}

/* ---- the side that asks ---- */

/* On the asker's thread. */
static void on_answered(struct robo__wakeup *wakeup, robo_time now)
{
    struct robo__question *question = robo__container_of(wakeup, struct robo__question, wakeup);
    struct robo__asker *asker = question->asker;
    if (asker) {
        struct robo__question **p = &asker->newest;
        while (*p != question)
            p = &(*p)->older;
        *p = question->older;
        asker->open--;
        asker->memory -= size_of(question);
        asker->answered(asker, question, now);
    }
    discard(question);
}

void robo__asker_open(struct robo__asker *asker, struct robo__host *host, const char *protocol,
                      const char *robot,
                      void (*answered)(struct robo__asker *, const struct robo__question *,
                                       robo_time))
{
    *asker = (struct robo__asker){ .host = host,
                                   .inbox = host->inbox,
                                   .protocol = protocol,
                                   .robot = robot,
                                   .answered = answered };
    if (!asker->inbox)
        return;
    hold_both(asker->inbox);
    asker->guest = new_number();
}

/* A question that is not asked yet; NULL: out of memory. */
static struct robo__question *make(struct robo__asker *asker, const char *action, size_t count)
{
    struct robo__question *q = calloc(1, sizeof *q + count * sizeof q->value[0]);
    if (!q)
        return NULL;
    q->inbox = asker->inbox;
    q->host = asker->host;
    q->guest = asker->guest;
    q->number = new_number();
    q->protocol = asker->protocol;
    q->action = action;
    q->count = count;
    strncpy(q->robot, asker->robot, sizeof q->robot - 1);
    q->wakeup.run = on_arrived;
    hold(q->inbox);
    return q;
}

/* After the inbox has closed, threads that post drain its list themselves. */
static void post(struct robo__question *question)
{
    struct robo__inbox *inbox = question->inbox;
    hold_loop(question->host->loop);
    /* the question may be freed by this; its asker holds the inbox */
    robo__wakeup_post(&inbox->posted, &question->wakeup);
    if (atomic_load(&inbox->closed))
        robo__wakeup_drain(&inbox->posted, 0);
}

static int ask(struct robo__asker *asker, const char *action, const char *text,
               const double *values, size_t count, robo_body *body, uint64_t tag)
{
    if (!asker->inbox)
        return ROBO_ENONE;
    if (asker->open >= ROBO__QUESTIONS)
        return ROBO_ELIMIT;
    if (count > ROBO__QUESTION_NUMBERS || (text && strlen(text) > ROBO__QUESTION_TEXT))
        return ROBO_ERANGE;
    if (!asker->gone && !(asker->gone = make(asker, "gone", 0)))
        return ROBO_ENOMEM;
    struct robo__question *q = make(asker, action, count);
    if (!q)
        return ROBO_ENOMEM;
    q->paid = robo__budget_take(robo__world_memory(asker->host->world), asker->memory, size_of(q));
    if (!q->paid) {
        discard(q);
        return ROBO_ENOMEM;
    }
    asker->memory += size_of(q);
    q->asker = asker;
    q->tag = tag;
    if (body)
        q->body = robo_body_hold(body);
    if (text)
        strcpy(q->text, text);
    if (count > 0)
        memcpy(q->value, values, count * sizeof *values);
    q->older = asker->newest;
    asker->newest = q;
    asker->open++;
    post(q);
    return 0;
}

int robo__ask(struct robo__asker *asker, const char *action, const char *text, const double *values,
              size_t count, uint64_t tag)
{
    return ask(asker, action, text, values, count, NULL, tag);
}

int robo__ask_about(struct robo__asker *asker, const char *action, robo_body *body, uint64_t tag)
{
    return ask(asker, action, NULL, NULL, 0, body, tag);
}

void robo__asker_close(struct robo__asker *asker)
{
    struct robo__inbox *inbox = asker->inbox;
    for (struct robo__question *q = asker->newest; q; q = q->older)
        q->asker = NULL;
    if (asker->gone)
        post(asker->gone);
    *asker = (struct robo__asker){ 0 };
    if (inbox)
        release_both(inbox);
}
