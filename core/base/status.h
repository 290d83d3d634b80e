/* Numbers to names; the lists are made from spec/. */
#pragma once

#include "robotalk.h"
#include "robotalk/words.h"

/* Each ends with a NULL name. Those of enum robo_moves stand at their numbers. */
extern const struct robo_word robo__signal_words[], robo__reason_words[], robo__error_words[],
    robo__op_words[], robo__moves_words[];

/* The meaning of a reason, as text; "" of no reason, and of an unknown one. */
const char *robo__reason_doc(unsigned reason);
