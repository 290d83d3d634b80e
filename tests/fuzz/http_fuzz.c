/* Any bytes as requests: read whole, and in pieces of a size that the first byte chooses, they are the same requests, refused at the
 * same place. What is told lies within the bytes; no head that is told has a header which begins another line. */
#include <stdlib.h>
#include <string.h>

#include "http/gate.h"
#include "http/reply.h"

static const struct robo__http_dialect dialect = {
    .other = "RCTP/1.0",
    .http = { .line = 96, .head = 512, .headers = 8, .body = 64 },
    .limits_of_other = { .line = 48, .head = 256, .headers = 4, .body = 16 },
};

struct told {
    size_t n;
    uint8_t text[1 << 16];
};

static void tell(struct told *t, const void *bytes, size_t n)
{
    if (t->n + n > sizeof t->text)
        abort();
    memcpy(t->text + t->n, bytes, n);
    t->n += n;
}

static void tell_text(struct told *t, struct robo__http_text text)
{
    if (memchr(text.at, '\n', text.n) || memchr(text.at, 0, text.n))
        abort();
    tell(t, text.at, text.n);
    tell(t, "\n", 1);
}

static void look_at(const struct robo__http_request *request)
{
    static const struct robo__http_gate gate = { .name = "robots.example" };
    struct robo__http_target target;
    char name[ROBO__HTTP_VALUE + 1], value[ROBO__HTTP_VALUE + 1], out[600];
    const char *why;
    if (robo__http_target(request, &target, &why) != 0)
        return;
    robo__http_gate(&gate, request, &target, &why);
    while (robo__http_next_option(&target.query, name, value) != 0)
        ;
    robo__http_tell(out, sizeof out, "HTTP/1.1", 404, request->keep, true, target.path);
}

static void read_pieces(const uint8_t *in, size_t n, size_t piece, struct told *t)
{
    struct robo__http_reader reader;
    struct robo__http_request request;
    size_t from = 0, there = 0;
    robo__http_open(&reader, &dialect, 0);
    for (t->n = 0; there < n;) {
        there = n - there < piece ? n : there + piece;
        enum robo__http_step step;
        do {
            size_t used;
            step = robo__http_read(&reader, in + from, there - from, 0, &request, &used);
            if (used > there - from)
                abort();
            from += used;
            if (step == ROBO__HTTP_REFUSED) {
                tell(t, &reader.status, sizeof reader.status);
                return;
            }
            if (step == ROBO__HTTP_HEAD) {
                look_at(&request);
                tell_text(t, request.method);
                tell_text(t, request.target);
                for (unsigned i = 0; i < request.headers; i++) {
                    tell_text(t, request.header[i].name);
                    tell_text(t, request.header[i].value);
                }
            } else if (step == ROBO__HTTP_PIECE) {
                tell(t, request.piece.at, request.piece.n);
            } else if (step == ROBO__HTTP_END) {
                tell(t, "\n\n", 2);
            }
        } while (step != ROBO__HTTP_WANTS);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static struct told whole, pieces;
    if (n == 0 || n > 8192)
        return 0;
    read_pieces(in + 1, n - 1, n, &whole);
    read_pieces(in + 1, n - 1, 1 + in[0] % 16, &pieces);
    if (whole.n != pieces.n || memcmp(whole.text, pieces.text, whole.n) != 0)
        abort();
    return 0;
}
