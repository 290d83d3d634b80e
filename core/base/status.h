/* Numbers to words; the lists are made from spec/. */
#ifndef ROBO_STATUS_H
#define ROBO_STATUS_H

#include "robotalk.h"

struct robo__word {
    int number;
    const char *name, *doc;
};

/* Each ends with a NULL name. Those of enum robo_moves stand at their numbers. */
extern const struct robo__word robo__signal_words[], robo__reason_words[], robo__error_words[],
    robo__op_words[], robo__moves_words[];

/* The name of an error as scripts see it ("ELINK"), static text. */
const char *robo__error_code(int error);

#endif
