/* Codes to words, and the version of the API. */
#include "status.h"

static const struct robo__word *find(const struct robo__word *words, int number)
{
    while (words->name && words->number != number)
        words++;
    return words;
}

int robo_api_version(void)
{
    return ROBO_API_VERSION;
}

const char *robo_strerror(int error)
{
    if (error >= 0)
        return "no error";
    const struct robo__word *w = find(robo__error_words, -error);
    return w->name ? w->doc : "unknown error";
}

const char *robo__error_code(int error)
{
    const struct robo__word *w = find(robo__error_words, -error);
    return w->name ? w->name : "UNKNOWN";
}

const char *robo_signal_name(int signal)
{
    const struct robo__word *w = find(robo__signal_words, signal);
    return w->name ? w->name : "unknown";
}

const char *robo_reason_name(int reason)
{
    const struct robo__word *w = find(robo__reason_words, reason);
    return w->name ? w->name : "unknown";
}

const char *robo_op_name(int op)
{
    const struct robo__word *w = find(robo__op_words, op);
    return w->name ? w->name : "unknown";
}
