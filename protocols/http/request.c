/* Requests out of bytes. */
#include "request.h"

#include <string.h>

/* A line of a chunked body: a size, perhaps with extensions, which are skipped. BLANKS: empty lines before a request. */
enum { CHUNK_LINE = 256, CHUNK_DIGITS = 8, BLANKS = 4 };

/* ENDED: the body is in, and robo__http_read has not reported it. */
enum { HEAD, LENGTH, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER, ENDED, REFUSED };

void robo__http_open(struct robo__http_reader *reader, const struct robo__http_dialect *dialect,
                     robo_time now)
{
    *reader = (struct robo__http_reader){ .dialect = dialect, .since = now };
}

static const struct robo__http_limits *limits_of(const struct robo__http_reader *r)
{
    return r->other ? &r->dialect->limits_of_other : &r->dialect->http;
}

static enum robo__http_step refuse(struct robo__http_reader *r, int status, const char *why)
{
    r->state = REFUSED;
    r->status = status;
    r->why = why;
    return ROBO__HTTP_REFUSED;
}

/* The next request begins, perhaps with bytes that are there. Until its first line is in, it is taken for one of the same version as
 * the last, as far as time goes. */
static void start_over(struct robo__http_reader *r, robo_time now)
{
    r->state = HEAD;
    r->begun = r->first = r->bare = false;
    r->blanks = 0;
    r->headers = 0;
    r->line = r->looked = 0;
    r->left = r->body = 0;
    r->since = now;
}

void robo__http_replied(struct robo__http_reader *reader, robo_time now)
{
    if (reader->state == ENDED)
        start_over(reader, now);
    else if (reader->state == HEAD && !reader->begun)
        reader->since = now;
}

/* ---- time ---- */

robo_time robo__http_due(const struct robo__http_reader *r)
{
    const struct robo__http_limits *limits = limits_of(r);
    if (r->state == REFUSED)
        return ROBO_NEVER;
    if (r->state != HEAD)
        return r->since + limits->body_time;
    if (!r->begun)
        return r->since + limits->idle;
    return r->since + (r->bare ? limits->short_time : limits->head_time);
}

void robo__http_expire(struct robo__http_reader *r)
{
    refuse(r, 408,
           r->state != HEAD ? "the body took too long"
           : r->begun       ? "the request took too long: an empty line ends it"
                            : "no request has come");
}

/* ---- lines ---- */

/* The line that begins at r->line, without its end; *end: behind that. false: it is not in yet. `most`: bytes of it; *longer: it
 * has more. */
static bool next_line(struct robo__http_reader *r, const uint8_t *in, size_t n, size_t most,
                      struct robo__http_text *line, size_t *end, bool *longer)
{
    const uint8_t *at = r->looked < n ? memchr(in + r->looked, '\n', n - r->looked) : NULL;
    const size_t stop = at ? (size_t)(at - in) : n;
    size_t length = stop - r->line;
    r->looked = stop;
    /* a CR that may belong to the end is no part of it */
    if (length > 0 && in[stop - 1] == '\r')
        length--;
    *longer = length > most;
    if (!at)
        return false;
    *line = (struct robo__http_text){ (const char *)in + r->line, length };
    *end = stop + 1;
    return true;
}

static void to_next_line(struct robo__http_reader *r, size_t end)
{
    r->line = r->looked = end;
}

/* The examined bytes are used: the next bytes begin at 0. */
static void cut(struct robo__http_reader *r)
{
    r->line = r->looked = 0;
}

/* ---- the head ---- */

static enum robo__http_step take_first_line(struct robo__http_reader *r,
                                            struct robo__http_text line, size_t end, robo_time now)
{
    struct robo__http_request request = { .headers = 0 };
    const char *why;
    const int status = robo__http_first_line(r->dialect, line, &request, &why);
    if (status != 0)
        return refuse(r, status, why);
    r->first = true;
    r->other = request.other;
    r->bare = request.other && request.target.n == 0;
    if (r->bare)
        r->since = now;
    if (line.n > limits_of(r)->line)
        return refuse(r, 414, "the first line is too long");
    to_next_line(r, end);
    return ROBO__HTTP_WANTS;
}

/* The head is in: in[0, end). Its first line was good. */
static enum robo__http_step take_head(struct robo__http_reader *r, const uint8_t *in, size_t end,
                                      struct robo__http_request *request)
{
    const struct robo__http_limits *limits = limits_of(r);
    const char *text = (const char *)in, *why = "", *first = memchr(text, '\n', end);
    size_t n = (size_t)(first - text);
    const struct robo__http_text line = { text, n - (n > 0 && first[-1] == '\r') };
    *request = (struct robo__http_request){ .headers = 0 };
    int status = robo__http_first_line(r->dialect, line, request, &why);
    if (status == 0)
        status = robo__http_headers((struct robo__http_text){ first + 1, r->line - n - 1 }, limits,
                                    request, &why);
    if (status != 0)
        return refuse(r, status, why);
    r->left = request->length;
    r->state = request->chunked ? CHUNK_SIZE : request->length > 0 ? LENGTH : ENDED;
    return ROBO__HTTP_HEAD;
}

/* More than one line may be examined; none is used before all are in, except empty ones before the first. */
static enum robo__http_step read_head(struct robo__http_reader *r, const uint8_t *in, size_t n,
                                      robo_time now, struct robo__http_request *request,
                                      size_t *used)
{
    struct robo__http_text line;
    size_t end;
    bool longer;
    for (;;) {
        const struct robo__http_limits *limits = r->first ? limits_of(r) : &r->dialect->http;
        const bool whole = next_line(r, in, n, limits->line, &line, &end, &longer);
        if (longer && !r->first)
            return refuse(r, 414, "the first line is too long");
        if (longer)
            return refuse(r, 431, "a header is too long");
        if ((whole ? end : n) > limits->head)
            return refuse(r, 431, "the headers are too long");
        if (!whole)
            return ROBO__HTTP_WANTS;
        if (!r->first && line.n == 0) {
            if (r->blanks++ == BLANKS)
                return refuse(r, 400, "empty lines without a request");
            *used += end;
            in += end;
            n -= end;
            cut(r);
        } else if (!r->first) {
            if (take_first_line(r, line, end, now) == ROBO__HTTP_REFUSED)
                return ROBO__HTTP_REFUSED;
        } else if (line.n == 0) {
            const enum robo__http_step step = take_head(r, in, end, request);
            *used += end;
            cut(r);
            r->since = now;
            return step;
        } else if (r->headers++ == limits->headers) {
            return refuse(r, 431, "too many headers");
        } else {
            to_next_line(r, end);
        }
    }
}

/* ---- the body ---- */

static enum robo__http_step take_piece(struct robo__http_reader *r, const uint8_t *in, size_t n,
                                       struct robo__http_request *request, size_t *used)
{
    const size_t piece = n < r->left ? n : (size_t)r->left;
    if (piece == 0)
        return ROBO__HTTP_WANTS;
    request->piece = (struct robo__http_text){ (const char *)in, piece };
    r->left -= piece;
    *used = piece;
    if (r->left == 0)
        r->state = r->state == LENGTH ? ENDED : CHUNK_END;
    return ROBO__HTTP_PIECE;
}

/* A chunk's size; false: it is none. */
static bool read_size(struct robo__http_text line, uint64_t *size)
{
    size_t i = 0;
    *size = 0;
    for (; i < line.n && robo__http_hex(line.at[i]) >= 0; i++)
        *size = *size << 4 | (uint64_t)robo__http_hex(line.at[i]);
    if (i == 0 || i > CHUNK_DIGITS || (i < line.n && line.at[i] != ';'))
        return false;
    for (; i < line.n; i++)
        if ((unsigned char)line.at[i] < ' ' || line.at[i] == 0x7f)
            return false;
    return true;
}

/* A line of a chunked body; it ends with CR and LF. WANTS: it is not in, or it was used and something follows. */
static enum robo__http_step read_chunk_line(struct robo__http_reader *r, const uint8_t *in,
                                            size_t n, size_t *used)
{
    const struct robo__http_limits *limits = limits_of(r);
    const size_t most = r->state == TRAILER      ? limits->line
                        : r->state == CHUNK_SIZE ? (size_t)CHUNK_LINE
                                                 : 0;
    struct robo__http_text line;
    struct robo__http_header header;
    const char *why;
    size_t end;
    bool longer;
    const bool whole = next_line(r, in, n, most, &line, &end, &longer);
    if (longer)
        return r->state == TRAILER ? refuse(r, 431, "a trailer is too long")
                                   : refuse(r, 400, "a chunk is not as long as it says");
    if (!whole)
        return ROBO__HTTP_WANTS;
    if (line.n + 2 != end)
        return refuse(r, 400, "a line of a chunked body ends with CR and LF");
    *used = end;
    cut(r);
    if (r->state == CHUNK_END) {
        r->state = CHUNK_SIZE;
    } else if (r->state == TRAILER) {
        if (line.n == 0)
            r->state = ENDED;
        else if (r->headers++ >= limits->headers)
            return refuse(r, 431, "too many headers");
        else if (robo__http_header_line(line, &header, &why) != 0)
            return refuse(r, 400, why);
    } else {
        if (!read_size(line, &r->left))
            return refuse(r, 400, "a chunk begins with its size in hexadecimal digits");
        r->body += r->left;
        if (r->body > limits->body)
            return refuse(r, 413, "the body is too large");
        r->state = r->left > 0 ? CHUNK : TRAILER;
    }
    return ROBO__HTTP_WANTS;
}

enum robo__http_step robo__http_read(struct robo__http_reader *r, const uint8_t *in, size_t n,
                                     robo_time now, struct robo__http_request *request,
                                     size_t *used)
{
    *used = 0;
    if (r->state == HEAD && !r->begun && n > 0) {
        r->begun = true;
        r->since = now;
    }
    switch (r->state) {
    case HEAD: return n > 0 ? read_head(r, in, n, now, request, used) : ROBO__HTTP_WANTS;
    case LENGTH:
    case CHUNK: return take_piece(r, in, n, request, used);
    case ENDED: start_over(r, now); return ROBO__HTTP_END;
    case REFUSED: return ROBO__HTTP_REFUSED;
    default: break;
    }
    while (n > 0) {
        size_t line = 0;
        const enum robo__http_step step = read_chunk_line(r, in, n, &line);
        *used += line;
        in += line;
        n -= line;
        if (step == ROBO__HTTP_REFUSED || line == 0)
            return step;
        if (r->state == CHUNK) {
            size_t piece = 0;
            const enum robo__http_step taken = take_piece(r, in, n, request, &piece);
            *used += piece;
            return taken;
        }
        if (r->state == ENDED) {
            start_over(r, now);
            return ROBO__HTTP_END;
        }
    }
    return ROBO__HTTP_WANTS;
}
