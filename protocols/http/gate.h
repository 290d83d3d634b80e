/* Whether a request may come from a page in a browser that is not ours. Any page can make a browser send requests to this machine,
 * also by a name of its own that it lets stand for an address of this machine (DNS rebinding), so that what it asks and gets counts as
 * its own. So the name that the browser was given must be one that strangers cannot give: an address in numbers, localhost, or what
 * was listened at; where TLS is spoken, any, since the server's certificate is not good for theirs. And who asks must be the
 * page's own server, or nobody: Origin and Sec-Fetch-Site tell. Programs that are no browsers tell neither. */
#ifndef ROBO_HTTP_GATE_H
#define ROBO_HTTP_GATE_H

#include "target.h"

/* Where the request has come in. */
struct robo__http_gate {
    const char *name; /* that was listened at */
    bool any;         /* whatever name is used: by TLS, or a UNIX socket, which no page can reach */
    bool secure;      /* by TLS: https */
};

/* 0, or a status with words in *why. */
int robo__http_gate(const struct robo__http_gate *gate, const struct robo__http_request *request,
                    const struct robo__http_target *target, const char **why);

#endif
