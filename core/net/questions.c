/* Questions of clients' protocols to the program, as robotalk/questions.h has them: an inbox (inbox.h) of its own. */
#include <stdio.h>
#include <stdlib.h>

#include "inbox.h"
#include "loop.h"

struct robo_questions {
    struct robo__inbox *inbox;
    void (*arrived)(void *owner, uint64_t number);
    void *owner;
};

static void on_question(struct robo__question *question, void *owner)
{
    const struct robo_questions *questions = owner;
    questions->arrived(questions->owner, question->number);
}

robo_questions *robo_questions_open(robo_loop *loop, void (*arrived)(void *owner, uint64_t number),
                                    void *owner)
{
    robo_questions *questions = malloc(sizeof *questions);
    if (!questions)
        return NULL;
    *questions = (robo_questions){ .arrived = arrived, .owner = owner };
    questions->inbox = robo__inbox_open(&loop->host, on_question, questions);
    if (!questions->inbox) {
        free(questions);
        return NULL;
    }
    robo_questions_take(questions, loop);
    return questions;
}

void robo_questions_take(robo_questions *questions, robo_loop *loop)
{
    bool started = robo__loop_pause(loop);
    robo__host_use_inbox(&loop->host, questions->inbox);
    robo__loop_resume(loop, started);
}

int robo_questions_look(const robo_questions *questions, uint64_t number, struct robo_asked *asked)
{
    const struct robo__question *q = robo__inbox_find(questions->inbox, number);
    if (!q)
        return ROBO_ENONE;
    *asked = (struct robo_asked){ .number = q->number,
                                  .guest = q->guest,
                                  .protocol = q->protocol,
                                  .action = q->action,
                                  .robot = q->robot,
                                  .text = q->text,
                                  .body = q->body,
                                  .count = q->count,
                                  .value = q->value };
    return 0;
}

int robo_questions_answer(robo_questions *questions, uint64_t number, int known,
                          const double *values, size_t count, const char *text)
{
    struct robo__question *q = robo__inbox_find(questions->inbox, number);
    if (!q)
        return ROBO_ENONE;
    if (count > ROBO_MAX_ANSWER)
        return ROBO_ERANGE;
    snprintf(q->text, sizeof q->text, "%s", text ? text : "");
    robo__inbox_answer(q, known != 0, values, count);
    return 0;
}

void robo_questions_close(robo_questions *questions)
{
    if (!questions)
        return;
    robo__inbox_close(questions->inbox);
    free(questions);
}
