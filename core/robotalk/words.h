/* Names of numbers: of signals, reasons, errors, commands, queries and notices. */
#ifndef ROBOTALK_WORDS_H
#define ROBOTALK_WORDS_H

#include "robotalk/base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* cdef { */

/* ---- words ---- */

/* A number of one of the enums below and its name, as scripts see it. */
struct robo_word {
    int number; /* of errors the positive one: -ROBO_ELINK for "ELINK" */
    const char *name, *doc;
};
/* All names of enum robo_signal, robo_reason, robo_error and robo_moves; static, ended by one without a name. */
const struct robo_word *robo_signal_words(void);
const struct robo_word *robo_reason_words(void);
const struct robo_word *robo_error_words(void);
const struct robo_word *robo_moves_words(void);

/* Static texts, never NULL; for a number that this version does not know "unknown", as an error "UNKNOWN". */
const char *robo_strerror(int error);
const char *robo_error_name(int error); /* as scripts see it, "ELINK" */
const char *robo_signal_name(int signal);
const char *robo_reason_name(int reason);
const char *robo_op_name(int op); /* of a command */
const char *robo_query_name(int op);
const char *robo_notice_name(int op);

/* cdef } */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
