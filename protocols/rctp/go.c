/* The headers of GO. */
#include <string.h>

#include "negotiation.h"
#include "base/numbers.h"

static const char RATE[] = "Rate: expected how often a second outputs are told, up to 1000";

const char *robo__rctp_read_go(const struct robo__http_request *request, struct robo__rctp_go *go)
{
    static const struct {
        const char *word;
        enum robo__rctp_report report;
    } reports[] = { { "all", ROBO__RCTP_REPORT_ALL },
                    { "errors", ROBO__RCTP_REPORT_ERRORS },
                    { "none", ROBO__RCTP_REPORT_NONE } };
    struct robo__http_text value;
    *go = (struct robo__rctp_go){ .bare = false };
    if (robo__http_find(request, "Framing", &value)) {
        go->bare = robo__http_is_like(value, "none");
        if (!go->bare && !robo__http_is_like(value, "length"))
            return "Framing: expected length or none";
    }
    if (robo__http_find(request, "Report", &value)) {
        bool known = false;
        for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
            if (!robo__http_is_like(value, reports[i].word))
                continue;
            go->report = reports[i].report;
            known = true;
        }
        if (!known)
            return "Report: expected all, errors or none";
    }
    if (robo__http_find(request, "Transport", &value)) {
        go->udp = robo__http_is_like(value, "udp");
        if (!go->udp && !robo__http_is_like(value, "tcp"))
            return "Transport: expected tcp or udp";
    }
    if (robo__http_find(request, "Text-Stamp", &value)) {
        if (value.n != 1 || !strchr("2468", value.at[0]))
            return "Text-Stamp: expected 2, 4, 6 or 8 bytes";
        go->text_stamp = (uint8_t)(value.at[0] - '0');
    }
    if (robo__http_find(request, "Rate", &value)) {
        char text[24];
        const uint8_t *at = (const uint8_t *)text, *end = at + value.n;
        if (value.n == 0 || value.n >= sizeof text)
            return RATE;
        memcpy(text, value.at, value.n);
        text[value.n] = 0;
        if (strspn(text, "0123456789.") != value.n ||
            robo__number_double(&at, end, &go->rate) != ROBO__NUMBER_OK || at != end ||
            !(go->rate > 0 && go->rate <= 1000))
            return RATE;
    }
    return NULL;
}
