/* Servos and faults as people write them. */
#include <stdio.h>
#include <string.h>

#include "inside.h"
#include "robotalk.h"

static const char *const kinds[] = { "silent",  "checksum", "noise", "overload", "heat",
                                     "voltage", "restart",  "cable", "twin" };

static int refuse(char why[ROBO__SERVO_BUS_WHY], int status, const char *what, const char *text)
{
    snprintf(why, ROBO__SERVO_BUS_WHY, "%s: %.40s", what, text);
    return status;
}

int robo__servo_bus_add(struct robo__servo_bus *bus, const char *text,
                        char why[ROBO__SERVO_BUS_WHY])
{
    static const char *const form = "want MODEL:IDS, such as sts3215:1-6";
    char model[16];
    int used = 0;
    if (sscanf(text, "%15[^:]%n", model, &used) != 1 || text[used] != ':')
        return refuse(why, ROBO_EINVAL, form, text);
    const char *at = text + used;
    do {
        unsigned first, last;
        int n = sscanf(++at, "%3u%n-%3u%n", &first, &used, &last, &used);
        if (n < 1 || (at[used] && at[used] != ',') || (n == 2 && last < first))
            return refuse(why, ROBO_EINVAL, form, text);
        for (unsigned id = first; id <= (n == 2 ? last : first); id++) {
            int status = robo__sbus_add(bus, model, id);
            const char *reason = status == ROBO_ENONE    ? "want sts3215, xl430, xl330 or xm430"
                                 : status == ROBO_EINVAL ? "not the bus's protocol or baud rate"
                                                         : robo_strerror(status);
            if (status < 0)
                return refuse(why, status, reason, text);
        }
        at += used;
    } while (*at);
    return 0;
}

int robo__servo_bus_add_fault(struct robo__servo_bus *bus, const char *text,
                              char why[ROBO__SERVO_BUS_WHY])
{
    struct robo__sbus_fault f = { .kind = 0 };
    char word[16];
    double at, lasts = 0;
    int used = 0;
    int n = sscanf(text, "%15[^:]:%3u@%lf%n+%lf%n", word, &f.id, &at, &used, &lasts, &used);
    while (n >= 3 && f.kind < ROBO__SBUS_KINDS && strcmp(word, kinds[f.kind]) != 0)
        f.kind++;
    if (n < 3 || f.kind == ROBO__SBUS_KINDS || text[used] || !(at >= 0 && at <= 3600) ||
        !(lasts >= 0 && lasts <= 3600))
        return refuse(why, ROBO_EINVAL,
                      "want KIND:ID@SECONDS or KIND:ID@SECONDS+SECONDS, of silent, checksum, "
                      "noise, overload, heat, voltage, restart, cable, twin",
                      text);
    f.at = (robo_time)(at * 1e9);
    f.lasts = (robo_time)(lasts * 1e9);
    int status = robo__sbus_add_fault(bus, &f);
    return status < 0 ? refuse(why, status, robo_strerror(status), text) : 0;
}
