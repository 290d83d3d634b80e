/* Requests of HTTP/1.x, and of one other version name that a protocol adds (RCTP/1.0): bytes in, requests out. No socket, no
 * memory of its own: its results are views into the caller's bytes, good until the caller moves them. Time is an argument.
 *
 * It accepts unambiguous requests and refuses all others, so that no program between a client and this one reads a request
 * differently (request smuggling): no folded headers, no blank before a colon, no NUL or control character, no CR by itself,
 * one length at most, written in digits alone. A line may end with LF alone in a head, not in a chunked body. A request that is
 * refused ends the connection, since the begin of the next one is unknown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "robotalk.h"

/* A piece of the input. Not ended by NUL. */
struct robo__http_text {
    const char *at;
    size_t n;
};

struct robo__http_header {
    struct robo__http_text name, value; /* without blanks around the value */
};

enum { ROBO__HTTP_HEADERS = 64 };

struct robo__http_request {
    struct robo__http_text method, target, version; /* target: empty when there is none */
    bool other;                                     /* the version is the other one */
    uint8_t minor;                                  /* of HTTP/1.minor */
    bool keep;                                      /* the connection stays open behind the reply */
    bool expects;    /* the client waits for "100 Continue" before it sends the body */
    bool chunked;    /* the body comes in chunks: `length` is unknown */
    uint64_t length; /* of the body */
    unsigned headers;
    struct robo__http_header header[ROBO__HTTP_HEADERS];
    struct robo__http_text piece; /* of the body: robo__http_read returned ROBO__HTTP_PIECE */
};

/* Upper limits. Bytes, and ns. */
struct robo__http_limits {
    size_t line; /* of the first line and of each header, without its end */
    size_t head; /* of all of them */
    unsigned headers;
    uint64_t body;
    robo_time idle;      /* from a reply to the next request */
    robo_time head_time; /* for the whole head, from its first byte */
    robo_time
        short_time; /* the same, for a request without a target, from the end of its first line */
    robo_time body_time; /* for the whole body */
};

/* The accepted versions. other NULL: HTTP alone. */
struct robo__http_dialect {
    const char *other; /* "RCTP/1.0": such a request may have no target and no Host */
    struct robo__http_limits http, limits_of_other;
};

/* Limits for browsers and programs that use HTTP. */
#define ROBO__HTTP_USUAL                                                           \
    {                                                                              \
        .line = 8192, .head = 16384, .headers = ROBO__HTTP_HEADERS, .body = 65536, \
        .idle = 30000000000, .head_time = 10000000000, .short_time = 10000000000,  \
        .body_time = 30000000000                                                   \
    }

struct robo__http_reader {
    const struct robo__http_dialect *dialect;
    /* the reader's own: */
    uint8_t state;
    bool begun;     /* a request is incomplete */
    bool first;     /* its first line is in */
    bool other;     /* and has the other version; before that, whether the request before it had */
    bool bare;      /* and no target */
    uint8_t blanks; /* empty lines before it */
    unsigned headers;
    size_t line, looked; /* where the incomplete line begins, and how far it was examined */
    uint64_t left,
        body;        /* bytes of the body, or of its chunk, to come; and all that were received */
    robo_time since; /* when the present wait began */
    /* ROBO__HTTP_REFUSED: the status to answer, and the reason as text */
    int status;
    const char *why;
};

enum robo__http_step {
    ROBO__HTTP_WANTS,  /* more bytes */
    ROBO__HTTP_HEAD,   /* a request's head is in; its body follows, if it has one */
    ROBO__HTTP_PIECE,  /* of its body */
    ROBO__HTTP_END,    /* of the request */
    ROBO__HTTP_REFUSED /* reader->status is the answer, and the connection ends behind it */
};

void robo__http_open(struct robo__http_reader *reader, const struct robo__http_dialect *dialect,
                     robo_time now);

/* Examines the received bytes that were not used yet, the same again with more behind them after ROBO__HTTP_WANTS. *used: bytes
 * that the caller need not hand in again. */
enum robo__http_step robo__http_read(struct robo__http_reader *reader, const uint8_t *in, size_t n,
                                     robo_time now, struct robo__http_request *request,
                                     size_t *used);

/* A reply that took its time was sent: the next request is awaited from now on. The end of the one before, if it was not
 * reported, will not be. */
void robo__http_replied(struct robo__http_reader *reader, robo_time now);

/* When the present wait is too long; then it is refused: 408. */
robo_time robo__http_due(const struct robo__http_reader *reader);
void robo__http_expire(struct robo__http_reader *reader);

/* The value of the first header of that name, in whatever case; false: there is none. */
bool robo__http_find(const struct robo__http_request *request, const char *name,
                     struct robo__http_text *value);

/* Whether it is that text; in whatever case. */
bool robo__http_is(struct robo__http_text text, const char *expected);
bool robo__http_is_like(struct robo__http_text text, const char *expected);
bool robo__http_are_like(struct robo__http_text one, struct robo__http_text other);

/* The value of a hexadecimal digit, 0 to 15; -1: it is none. */
int robo__http_hex(char c);

/* Whether a name is in a list of names with commas between them, in whatever case. */
bool robo__http_lists(struct robo__http_text list, const char *word);

/* ---- head.c, for the reader ---- */

/* The first line. 0, or a status with a message in *why. Sets version, method and target of the request. */
int robo__http_first_line(const struct robo__http_dialect *dialect, struct robo__http_text line,
                          struct robo__http_request *request, const char **why);

/* The headers between the first line and the empty one, each with its end. Result as above; sets all else of the request. */
int robo__http_headers(struct robo__http_text lines, const struct robo__http_limits *limits,
                       struct robo__http_request *request, const char **why);

/* A line that holds one header, as in a trailer. Result as above. */
int robo__http_header_line(struct robo__http_text line, struct robo__http_header *header,
                           const char **why);
