/* The target of a request: its path and its query, split into words. */
#pragma once

#include "request.h"

enum { ROBO__HTTP_PATH = 255, ROBO__HTTP_VALUE = 63 };

struct robo__http_target {
    char path[ROBO__HTTP_PATH + 1]; /* with its %xx taken out; "*" as it is; no "." or ".." in it */
    struct robo__http_text query;   /* behind the "?", as it came; empty: none */
    struct robo__http_text
        host; /* of a target that is a whole address, as proxies are sent; else empty */
};

/* 0, or a status with a message in *why. */
int robo__http_target(const struct robo__http_request *request, struct robo__http_target *target,
                      const char **why);

/* Takes the %xx out of a text. false: one is none, or stands for NUL or a control character, or it does not fit. */
bool robo__http_unescape(struct robo__http_text text, char *out, size_t size);

/* Puts %xx in the place of characters that a path cannot have, except "/"; cuts it off where it does not fit. */
enum { ROBO__HTTP_ESCAPED = 3 * ROBO__HTTP_PATH + 3 };
void robo__http_escape(const char *text, char *out, size_t size);

/* The next NAME=VALUE of a query, and *rest behind it; value empty without "=". 1: there was one; 0: there is none; -1: it cannot be
 * read. */
int robo__http_next_option(struct robo__http_text *rest, char name[ROBO__HTTP_VALUE + 1],
                           char value[ROBO__HTTP_VALUE + 1]);
