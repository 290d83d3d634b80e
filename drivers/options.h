/* A driver's options, "name=value,name=value", as its binding holds them. */
#ifndef ROBO_OPTIONS_H
#define ROBO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { ROBO__OPTION = 256 }; /* characters of a value, its NUL included */

/* The value of a name, or NULL: it is not there, or too long; out holds it. */
const char *robo__option(const char *options, const char *name, char out[ROBO__OPTION]);

/* Sets *out if the name is there; false when its value is no number of that range. */
bool robo__option_number(const char *options, const char *name, double least, double most,
                         double *out);

/* Whether there are no other names than these. */
bool robo__options_known(const char *options, const char *const *names, size_t count);

#endif
