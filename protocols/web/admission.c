/* Admission of requests of HTTP. */
#include "admission.h"

#include <string.h>

enum { TOKEN = 255 /* bytes of one, at most */ };

int robo__web_gate(struct robo__conn *conn, const struct robo__http_gate *gate,
                   const struct robo__http_request *request, const struct robo__http_target *target,
                   const char **why)
{
    const int status = robo__http_gate(gate, request, target, why);
    if (status != 0 && !conn->greeted)
        conn->refused = status == 421 ? "it asks for a name that is none of this server's"
                                      : "a page in a browser asks, which is none of this server's";
    return status;
}

/* The token of a request, "" without one; false: there is another authorization, or it cannot be one. */
static bool token_of(const struct robo__http_request *request, char token[TOKEN + 1])
{
    static const char bearer[] = "Bearer ";
    const size_t n = sizeof bearer - 1;
    struct robo__http_text value;
    token[0] = 0;
    if (!robo__http_find(request, "Authorization", &value))
        return true;
    if (value.n <= n || value.n - n > TOKEN ||
        !robo__http_is_like((struct robo__http_text){ value.at, n }, bearer))
        return false;
    memcpy(token, value.at + n, value.n - n);
    token[value.n - n] = 0;
    return true;
}

bool robo__web_admit(struct robo__conn *conn, const struct robo__http_request *request)
{
    char token[TOKEN + 1];
    const bool readable = token_of(request, token), asked = conn->access && conn->access->listed;
    memset(conn->credentials.token, 0, sizeof conn->credentials.token);
    conn->credentials.has_token = false;
    if (!readable && asked)
        conn->refused = "its authorization is no token";
    return (readable || !asked) && robo__conn_admit(conn, token) != 0;
}
