/* Questions to the program: a protocol asks a script for facts and acts that only the script has, such as the place of
 * a ball or the motion of a file. A stop and a panic never take this path.
 *
 * A connection asks on its own thread and never waits. Its question is posted to the inbox, whose owner answers it on
 * another thread, or on the same in a virtual world; the answer is posted back. Nothing here locks.
 *
 * The owner that answers makes and closes an inbox, on its host's thread. An asker is a member of a connection's
 * state and belongs to that connection's thread. Either may close first: a closed asker gets no answer, a closed
 * inbox answers open and later questions with `answered` false. */
#pragma once

#include "host.h"
#include "robotalk/questions.h"

enum {
    ROBO__QUESTIONS = 64, /* open at once, of one asker */
    ROBO__QUESTION_NUMBERS = ROBO_MAX_ASKED,
    ROBO__QUESTION_TEXT = ROBO_MAX_ASKED_TEXT,
    ROBO__ANSWER_NUMBERS = ROBO_MAX_ANSWER
};

struct robo__asker;
struct robo__inbox;

struct robo__question {
    struct robo__wakeup wakeup;   /* carries it there and back */
    struct robo__question *next;  /* of those that wait in the inbox */
    struct robo__question *older; /* of the asker's that are open */
    struct robo__inbox *inbox;
    struct robo__host *host;   /* the asker's; its loop is held until it is answered */
    struct robo__asker *asker; /* the asker's thread only; NULL: it is closed */
    uint64_t number, guest;    /* numbers of the question and of its asker, never 0 */
    const char *protocol;      /* static text, as is action */
    const char *action;
    char robot[32]; /* of the asker's address; empty: the first */
    uint64_t tag;   /* the asker's, for itself */
    bool paid;      /* it has its bytes of the world's budget */

    bool answered; /* false in an answer: the program does not do or know this */
    size_t answers;
    double answer[ROBO__ANSWER_NUMBERS];

    robo_body *body;                    /* held; NULL: it is about none */
    char text[ROBO__QUESTION_TEXT + 1]; /* of the question, and then of the answer */
    size_t count;
    double value[];
};

/* ---- the side that answers ---- */

/* arrived is called on the thread of `host` for each question; robo__inbox_answer is called for it there, then or later.
 * NULL: out of memory. */
struct robo__inbox *robo__inbox_open(struct robo__host *host,
                                     void (*arrived)(struct robo__question *question, void *owner),
                                     void *owner);
void robo__inbox_close(struct robo__inbox *inbox);

/* Connections of that host put their questions there from now on; NULL: nowhere. On the host's thread, or before it has
 * one. The host holds the inbox. */
void robo__host_use_inbox(struct robo__host *host, struct robo__inbox *inbox);

/* The open question of that number, or NULL. */
struct robo__question *robo__inbox_find(struct robo__inbox *inbox, uint64_t number);

/* Answers it with some numbers; values beyond ROBO__ANSWER_NUMBERS are left out. answered false: the program does not
 * do or know this. The question is freed. */
void robo__inbox_answer(struct robo__question *question, bool answered, const double *values,
                        size_t count);

/* ---- the side that asks ---- */

/* Zeroed memory is an asker that is closed. */
struct robo__asker {
    struct robo__host *host;
    struct robo__inbox *inbox; /* NULL: there is no inbox */
    const char *protocol;
    const char *robot;
    uint64_t guest;
    unsigned open; /* questions that are not answered yet */
    size_t memory; /* bytes of the world's budget that they have */
    struct robo__question *newest;
    struct robo__question *gone; /* the last one, kept ready */
    /* The answer; the question is freed when this returns. It may close the asker. */
    void (*answered)(struct robo__asker *asker, const struct robo__question *question,
                     robo_time now);
};

/* protocol is static text; robot, of the address, is borrowed until the asker closes. */
void robo__asker_open(struct robo__asker *asker, struct robo__host *host, const char *protocol,
                      const char *robot,
                      void (*answered)(struct robo__asker *, const struct robo__question *,
                                       robo_time));

/* Asks. 0; ROBO_ENONE: there is no inbox; ROBO_ELIMIT: too many questions are open; ROBO_ENOMEM. action is static text;
 * text may be NULL. Too much text or too many values are ROBO_ERANGE. */
int robo__ask(struct robo__asker *asker, const char *action, const char *text, const double *values,
              size_t count, uint64_t tag);

/* The same about a body, which the question holds. */
int robo__ask_about(struct robo__asker *asker, const char *action, robo_body *body, uint64_t tag);

/* Closes the asker. If it has ever asked, a last question with the action "gone" goes to the inbox, which needs no
 * answer. */
void robo__asker_close(struct robo__asker *asker);
