/* Whether a request may come from a page in a browser that is not ours. Any page can make a browser send requests to this machine,
 * also by a name of its own that resolves to an address of this machine (DNS rebinding), so that requests and replies count as its
 * own. So the name in the request must be one that strangers cannot have: an address in numbers, localhost, or the name of the
 * listening address; with TLS any name, since the server's certificate is not valid for theirs. And the request must come from the
 * server's own page, from a listed one, or from none: by Origin and Sec-Fetch-Site. Programs that are no browsers send neither. */
#pragma once

#include "target.h"

/* The address at which the request arrived. */
struct robo__http_gate {
    const char *name; /* that was listened at */
    bool any;         /* whatever name is used: by TLS, or a UNIX socket, which no page can reach */
    bool secure;      /* by TLS: https */
    /* of pages that may ask as well, as "https://host:port", with blanks between them; NULL: none */
    const char *origins;
};

/* Whether the request comes from a page of a listed origin. */
bool robo__http_gate_lists(const struct robo__http_gate *gate,
                           const struct robo__http_request *request);

/* 0, or a status with a message in *why. */
int robo__http_gate(const struct robo__http_gate *gate, const struct robo__http_request *request,
                    const struct robo__http_target *target, const char **why);
