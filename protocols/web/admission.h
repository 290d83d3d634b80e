/* Admission of a request of HTTP: by the gate, and by its token. On the connection's thread. */
#pragma once

#include "http/gate.h"
#include "net/conn.h"

/* Whether the request comes through the gate. 0, or a status with a message in *why. */
int robo__web_gate(struct robo__conn *conn, const struct robo__http_gate *gate,
                   const struct robo__http_request *request, const struct robo__http_target *target,
                   const char **why);
/* Takes the token of the request, "Authorization: Bearer TOKEN", in place of that of the one before, and admits the client: false: it is
 * refused. */
bool robo__web_admit(struct robo__conn *conn, const struct robo__http_request *request);
