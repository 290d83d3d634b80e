/* Numbers to names, and the version of the API. */
#include "status.h"

static const struct robo__name *find(const struct robo__name *name, int number)
{
    while (name->name && name->number != number)
        name++;
    return name;
}

int robo_api_version(void)
{
    return ROBO_API_VERSION;
}

const char *robo_strerror(int error)
{
    if (error >= 0)
        return "no error";
    const struct robo__name *w = find(robo__error_names, -error);
    return w->name ? w->doc : "unknown error";
}

const char *robo_error_name(int error)
{
    const struct robo__name *w = find(robo__error_names, -error);
    return w->name ? w->name : "UNKNOWN";
}

const char *robo_signal_name(int signal)
{
    const struct robo__name *w = find(robo__signal_names, signal);
    return w->name ? w->name : "unknown";
}

const char *robo_reason_name(int reason)
{
    const struct robo__name *w = find(robo__reason_names, reason);
    return w->name ? w->name : "unknown";
}

const char *robo_op_name(int op)
{
    const struct robo__name *w = find(robo__op_names, op);
    return w->name ? w->name : "unknown";
}
