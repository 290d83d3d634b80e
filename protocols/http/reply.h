/* Replies: text into bytes that the caller has. A request of HTTP/1.x is answered in HTTP/1.1, another in its own version. No value of a
 * header can begin a line: control characters in it become blanks. */
#pragma once

#include "request.h"

struct robo__http_reply {
    char *at;
    size_t size, n; /* n greater than size: it did not fit */
};

/* The reason that is usual with a status; "" : none is known. */
const char *robo__http_reason(int status);

/* The first line. version: "HTTP/1.1" or another; reason NULL: the usual one. */
void robo__http_reply_begin(struct robo__http_reply *reply, void *out, size_t size,
                            const char *version, int status, const char *reason);

__attribute__((format(printf, 3, 4))) void
robo__http_reply_header(struct robo__http_reply *reply, const char *name, const char *format, ...);

/* A value that is written in pieces: the name first, then texts, then the line's end. */
void robo__http_reply_name(struct robo__http_reply *reply, const char *name);
__attribute__((format(printf, 2, 3))) void robo__http_reply_text(struct robo__http_reply *reply,
                                                                 const char *format, ...);
void robo__http_reply_line(struct robo__http_reply *reply);

/* The empty line. How many bytes it has; 0: it did not fit. */
size_t robo__http_reply_end(struct robo__http_reply *reply);

/* A whole reply with one line of text for people as its body, and no body to HEAD; Content-Length has its length. `keep`:
 * the connection stays. How many bytes; 0: it did not fit, which 512 and the text always do. */
size_t robo__http_tell(void *out, size_t size, const char *version, int status, bool keep,
                       bool body, const char *text);

/* The same, with one more header. */
size_t robo__http_tell_with(void *out, size_t size, const char *version, int status, bool keep,
                            bool body, const char *header, const char *value, const char *text);

/* ---- a stream of pictures: multipart/x-mixed-replace, which ends with its connection ---- */

/* The whole head of it. How many bytes; 0: it did not fit, which 512 does. */
size_t robo__http_parts(void *out, size_t size, const char *version);

/* The head of a part of n bytes, which is followed by robo__http_part_end. time: of its contents, ns; for clients that need its
 * age. Returns how many bytes; 0: it did not fit, which 256 does. */
size_t robo__http_part(void *out, size_t size, const char *type, size_t n, robo_time time);
extern const char robo__http_part_end[3];
