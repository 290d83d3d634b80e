/* May change without notice between versions. */
/* Questions of clients to the program itself. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- questions to the program ----
 *
 * Clients of some protocols ask for something that only the program has: the place of a ball that it sees, a motion of its
 * own, another driver for a robot that is reloaded. Such a question comes to the thread of one loop, whichever loop the
 * client is connected to, and is answered there at once or later. No server waits for that, and a stop or a panic is never
 * a question. Each question is answered once, also when its client has disconnected. */

enum {
    ROBO_MAX_ASKED = 192,      /* numbers of a question */
    ROBO_MAX_ASKED_TEXT = 255, /* bytes of its text, and of an answer's */
    ROBO_MAX_ANSWER = 64       /* numbers of an answer */
};

/* The memory that it points to stays until the question is answered. */
struct robo_asked {
    uint64_t number; /* of the question, never 0; no other question has it */
    uint64_t guest;  /* of the connection that asks, never 0; no other connection has it */
    /* "robotalk", "reload": replace the robot's description by `body`. The answer is three numbers: 0 or an enum robo_error,
     * and the numbers of kept and dropped commands of robo_reload_body. "gti": the actions of spec/gti.md. Any protocol,
     * "gone": the connection has ended; its last question. */
    const char *protocol, *action;
    const char *robot; /* that its address names; "": the first */
    const char *text;  /* never NULL */
    robo_body *body;   /* NULL: it is about none */
    size_t count;
    const double *value; /* so many numbers */
};

/* Connections on the loop ask here from now on: `arrived` is called with the number of each question, in the loop's turns.
 * Without such an object, the library does reloads, and other questions are answered as unknown. NULL: out of memory. */
robo_questions *robo_questions_open(robo_loop *loop, void (*arrived)(void *owner, uint64_t number),
                                    void *owner);
/* Connections on another loop, which begin from now on, ask here too. A loop that was started pauses meanwhile. */
void robo_questions_take(robo_questions *questions, robo_loop *loop);

/* 0; ROBO_ENONE: that question was answered, or never asked. */
int robo_questions_look(const robo_questions *questions, uint64_t number, struct robo_asked *asked);

/* Answers it. known 0: the program does not know or do this. text may be NULL; text beyond ROBO_MAX_ASKED_TEXT is cut off.
 * ROBO_ENONE as above; ROBO_ERANGE: too many numbers. */
int robo_questions_answer(robo_questions *questions, uint64_t number, int known,
                          const double *values, size_t count, const char *text);

/* Answers all that are open, and those to come, as unknown. Before robo_loop_close. NULL: does nothing. */
void robo_questions_close(robo_questions *questions);

ROBO_API_END
