/* Numbers to names; the lists are made from spec/. */
#ifndef ROBO_STATUS_H
#define ROBO_STATUS_H

#include "robotalk.h"

struct robo__name {
    int number;
    const char *name, *doc;
};

/* Each ends with a NULL name. Those of enum robo_moves stand at their numbers. */
extern const struct robo__name robo__signal_names[], robo__reason_names[], robo__error_names[],
    robo__op_names[], robo__moves_names[];

#endif
