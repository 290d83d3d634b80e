/* May change without notice between versions. */
/* Names of numbers: of signals, reasons, errors, commands, queries and notices; and the kinds of commands. */
#pragma once

#include "robotalk/base.h"

ROBO_API_BEGIN

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

/* Static texts, never NULL, as robo_signal_name; for a number that this version does not know "unknown", as an error "UNKNOWN". */
const char *robo_error_name(int error); /* as scripts see it, "ELINK" */
const char *robo_op_name(int op);       /* of a command */
const char *robo_query_name(int op);
const char *robo_notice_name(int op);

/* ---- kinds of commands ---- */

/* The kind of a command, by its op. */
struct robo_command_kind {
    enum robo_moves moves;
    uint8_t servo;   /* the kind of its values: ROBO_SERVO_…; 0: a stop, or a move */
    uint8_t goal;    /* 1: it holds its axes until it reaches its goal, and then ends */
    uint8_t lasting; /* 1: it ends at once; its setting lasts until changed */
    /* its quantities are consecutive doubles in the body: byte offset of the first, and how many */
    uint8_t first, values;
};
/* Static; NULL: no command has that number. */
const struct robo_command_kind *robo_command_kind_of(unsigned op);

ROBO_API_END
