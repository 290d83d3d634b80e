/* Numbers to names, kinds of commands, and the version of the API. */
#include "status.h"

#include "command.h"

static const struct robo_word *find(const struct robo_word *name, int number)
{
    while (name->name && name->number != number)
        name++;
    return name;
}

int robo_api_version(void)
{
    return ROBO_API_VERSION;
}

const struct robo_command_kind *robo_command_kind_of(unsigned op)
{
    return robo__command_of(op);
}

const struct robo_word *robo_signal_words(void)
{
    return robo__signal_words;
}

const struct robo_word *robo_reason_words(void)
{
    return robo__reason_words;
}

const struct robo_word *robo_error_words(void)
{
    return robo__error_words;
}

const struct robo_word *robo_moves_words(void)
{
    return robo__moves_words;
}

const char *robo_strerror(int error)
{
    if (error >= 0)
        return "no error";
    const struct robo_word *w = find(robo__error_words, -error);
    return w->name ? w->doc : "unknown error";
}

const char *robo_error_name(int error)
{
    const struct robo_word *w = find(robo__error_words, -error);
    return w->name ? w->name : "UNKNOWN";
}

const char *robo_signal_name(int signal)
{
    const struct robo_word *w = find(robo__signal_words, signal);
    return w->name ? w->name : "unknown";
}

const char *robo_reason_name(int reason)
{
    const struct robo_word *w = find(robo__reason_words, reason);
    return w->name ? w->name : "unknown";
}

const char *robo__reason_doc(unsigned reason)
{
    const struct robo_word *w = find(robo__reason_words, (int)reason);
    return w->name && reason != ROBO_WHY_NONE ? w->doc : "";
}

const char *robo_op_name(int op)
{
    const struct robo_word *w = find(robo__op_words, op);
    return w->name ? w->name : "unknown";
}
