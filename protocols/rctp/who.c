/* How clients are called to people. */
#include <stdio.h>

#include "session_state.h"

void robo__rctp_session_name(struct robo__rctp_session *s, const char *name, size_t n)
{
    if (s->session)
        return; /* others know it already */
    if (n >= sizeof s->name)
        n = sizeof s->name - 1;
    for (size_t i = 0; i < n; i++)
        s->name[i] = (unsigned char)name[i] < ' ' || name[i] == 0x7f ? '?' : name[i];
    s->name[n] = 0;
}

void robo__rctp_call(uint32_t number, const char *name, char out[ROBO__HOLDER_NAME])
{
    if (number == 0)
        snprintf(out, ROBO__HOLDER_NAME, "the program that serves it");
    else
        snprintf(out, ROBO__HOLDER_NAME, "%.50s %u", name[0] ? name : "a client", (unsigned)number);
}
