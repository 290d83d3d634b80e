/* A driver's options. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

static const char *next_option(const char *at)
{
    const char *comma = strchr(at, ',');
    return comma ? comma + 1 : "";
}

static bool is_named(const char *at, const char *name)
{
    size_t length = strlen(name);
    return strncmp(at, name, length) == 0 && at[length] == '=';
}

const char *robo__option(const char *options, const char *name, char out[ROBO__OPTION])
{
    for (const char *at = options; *at; at = next_option(at)) {
        if (!is_named(at, name))
            continue;
        const char *value = at + strlen(name) + 1;
        size_t n = strcspn(value, ",");
        if (n >= ROBO__OPTION)
            return NULL;
        memcpy(out, value, n);
        out[n] = 0;
        return out;
    }
    return NULL;
}

bool robo__option_number(const char *options, const char *name, double least, double most,
                         double *out)
{
    char text[ROBO__OPTION], *end;
    if (!robo__option(options, name, text))
        return true;
    *out = strtod(text, &end);
    return end != text && *end == 0 && *out >= least && *out <= most;
}

bool robo__options_known(const char *options, const char *const *names, size_t count)
{
    for (const char *at = options; *at; at = next_option(at)) {
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known |= is_named(at, names[i]);
        if (!known)
            return false;
    }
    return true;
}
