/* How clients are called to people. */
#include <stdio.h>

#include "base/text.h"
#include "session_state.h"

void robo__rctp_session_name(struct robo__rctp_session *s, const char *name, size_t n)
{
    if (s->seat.session)
        return; /* others know it already */
    robo__text_copy(s->name, sizeof s->name, name, n);
}

void robo__rctp_call(uint32_t number, const char *name, char out[ROBO__HOLDER_NAME])
{
    char called[ROBO__HOLDER_NAME - 12]; /* a blank and a number go behind it */
    robo__text_copy(called, sizeof called, name[0] ? name : "a client", ROBO__HOLDER_NAME);
    if (number == 0)
        snprintf(out, ROBO__HOLDER_NAME, "the program that serves it");
    else
        snprintf(out, ROBO__HOLDER_NAME, "%s %u", called, (unsigned)number);
}
