/* A sender of pictures: a connection that reconnects, and the pictures that wait for it. All of it is the loop's thread's. A picture
 * goes out in pieces, as the link takes them, so that its bytes wait here, where a newer picture can take the place of one that has not
 * begun. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/time.h"
#include "store/store.h"
#include "net/stream.h"
#include "protocols.h"
#include "robotalk/images.h"
#include "wire.h"

/* PIECE: bytes that are given to the socket at once. AHEAD: bytes that TCP may have and has not sent. HELD: bytes of
 * pictures that a lossless sender has, at most, unless it is one picture. */
enum { PIECE = 1 << 14, AHEAD = 1 << 15, HELD = 1 << 26 };
static const robo_time CONNECT = 5000000000, GREETING = 5000000000, FIRST_WAIT = 100 * 1000000,
                       LAST_WAIT = 5000000000;

static const char NAMES[] = "a source's name has 1 to 79 letters, no blanks";

struct frame {
    struct frame *next;
    char name[ROBO__STORE_SOURCE + 1];
    size_t size;
    uint8_t bytes[];
};

struct robo_image_sender {
    robo_loop *loop;
    struct robo__stream stream;
    struct robo__url url;
    struct robo_image_sender_options options;
    char name[ROBO__STORE_SOURCE + 1]; /* of the source of new pictures */
    bool told;                         /* `changed` was called, and there was no look since */

    struct robo__timer timer; /* of the next attempt, or of the greeting */
    robo_time wait;  /* before the next attempt; a server that answers no picture makes it longer */
    bool complained; /* that the link was lost, and no picture was answered since */
    bool greeted;    /* the server has answered OK */
    bool half;       /* an O was received, or an N */
    char half_of;
    char said[ROBO__STORE_SOURCE + 1]; /* the name that the server knows, on this connection */

    /* Pictures, the oldest first: `open` that were sent whole and have no answer, which are here only if it is lossless; then the one
       that is being sent; then those that wait. */
    struct frame *first, **end, *going;
    bool headed;         /* the head of that one was sent */
    size_t at;           /* bytes of it that have gone */
    uint64_t unanswered; /* on this connection */
    size_t held;         /* bytes of all of these */
    struct robo_image_sender_state state;
};

static void tell(robo_image_sender *s)
{
    if (s->told || !s->options.changed)
        return;
    s->told = true;
    s->options.changed(s->options.owner);
}

/* ---- frames ---- */

static void take_first(robo_image_sender *s)
{
    struct frame *f = s->first;
    s->first = f->next;
    if (!s->first)
        s->end = &s->first;
    s->state.waiting--;
    s->held -= f->size;
    free(f);
}

/* Removes the pictures that wait behind the one that is being sent. */
static void skip_waiting(robo_image_sender *s)
{
    struct frame **from = s->going ? &s->going->next : &s->first;
    while (*from) {
        struct frame *f = *from;
        *from = f->next;
        s->state.waiting--;
        s->state.skipped++;
        s->held -= f->size;
        free(f);
    }
    s->end = from;
}

/* All that the next picture needs before its bytes. */
static bool send_head(robo_image_sender *s)
{
    const struct frame *f = s->going;
    const size_t name = strcmp(f->name, s->said) == 0 ? 0 : strlen(f->name),
                 n = (name > 0 ? ROBO__IMAGES_HEAD + name : 0) + ROBO__IMAGES_HEAD;
    uint8_t *out = robo__stream_reserve(&s->stream, n);
    if (!out)
        return false;
    if (name > 0) {
        robo__images_head(ROBO__IMAGES_NAME, name, out);
        memcpy(out + ROBO__IMAGES_HEAD, f->name, name);
        memcpy(s->said, f->name, sizeof s->said);
    }
    robo__images_head(ROBO__IMAGES_JPEG, f->size, out + n - ROBO__IMAGES_HEAD);
    robo__stream_commit(&s->stream, n);
    s->headed = true;
    return true;
}

static bool send_piece(robo_image_sender *s, robo_time now)
{
    const struct frame *f = s->going;
    const size_t left = f->size - s->at, n = left < PIECE ? left : PIECE;
    uint8_t *out = robo__stream_reserve(&s->stream, n);
    if (!out)
        return false;
    memcpy(out, f->bytes + s->at, n);
    robo__stream_commit(&s->stream, n);
    s->at += n;
    s->state.moved = now;
    return true;
}

/* The picture was sent whole. */
static void has_gone(robo_image_sender *s)
{
    s->state.sent++;
    s->unanswered++;
    s->headed = false;
    s->at = 0;
    if (s->options.lossless) {
        s->going = s->going->next;
    } else {
        take_first(s);
        s->going = s->first;
    }
    tell(s);
}

/* Sends as much as the link takes. It may be lost meanwhile. */
static void pump(robo_image_sender *s, robo_time now)
{
    while (s->stream.up && s->greeted && s->going && s->stream.out_count == 0 &&
           !s->stream.sending) {
        if ((!s->headed && !send_head(s)) ||
            !send_piece(s, now)) /* no memory: with the next picture */
            return;
        if (s->at == s->going->size)
            has_gone(s);
        robo__stream_flush(&s->stream, now);
    }
}

/* ---- the connection ---- */

static void connect_later(robo_image_sender *s, robo_time now)
{
    robo__timer_start(s->stream.host->timers, &s->timer, now + s->wait);
    s->wait = s->wait < LAST_WAIT / 2 ? 2 * s->wait : LAST_WAIT;
}

/* Pictures without an answer are sent again, or are lost; a picture that was sent in part is lost. */
static void forget_link(robo_image_sender *s)
{
    s->greeted = s->half = s->headed = false;
    s->said[0] = 0;
    s->unanswered = 0;
    s->state.up = 0;
    if (!s->options.lossless && s->at > 0) {
        take_first(s);
        s->state.skipped++;
    }
    s->at = 0;
    s->going = s->first;
}

static void fail(robo_image_sender *s, int error, const char *why, robo_time now)
{
    const bool was_up = s->state.up;
    forget_link(s);
    s->state.error = error;
    snprintf(s->state.why, sizeof s->state.why, "%s", why);
    if (was_up && !s->complained)
        robo__world_log(s->stream.host->world, ROBO_LOG_WARNING, "images: the link is lost: %s",
                        why);
    s->complained |= was_up;
    connect_later(s, now);
    tell(s);
}

static void on_lost(struct robo__stream *stream, int error, const char *why, robo_time now)
{
    fail(robo__container_of(stream, robo_image_sender, stream), error, why, now);
}

static void on_opened(struct robo__stream *stream, robo_time now)
{
    robo_image_sender *s = robo__container_of(stream, robo_image_sender, stream);
    uint8_t *out = robo__stream_reserve(stream, 2);
    robo__stream_keep_back(stream, AHEAD);
    robo__timer_start(stream->host->timers, &s->timer, now + GREETING);
    if (!out)
        return; /* the timer ends it */
    memcpy(out, "OK", 2);
    robo__stream_commit(stream, 2);
    robo__stream_flush(stream, now);
    pump(s, now); /* within the process the answer has arrived meanwhile */
}

static void connect_now(robo_image_sender *s, robo_time now)
{
    const int error = robo__stream_open(&s->stream, &s->url, CONNECT, NULL);
    if (error < 0)
        fail(s, error, robo_strerror(error), now);
}

static void on_timer(struct robo__timer *timer, robo_time now)
{
    robo_image_sender *s = robo__container_of(timer, robo_image_sender, timer);
    if (!s->stream.up) {
        connect_now(s, now);
        return;
    }
    robo__stream_close(&s->stream);
    fail(s, ROBO_ETIMEOUT, "no image server answers there", now);
}

/* The server has answered; true: that made sense. */
static bool take_answer(robo_image_sender *s, bool ok, robo_time now)
{
    s->state.moved = now;
    if (!s->greeted) {
        robo__timer_stop(s->stream.host->timers, &s->timer);
        s->greeted = true;
        s->state.up = 1;
        s->state.error = 0;
        s->state.links++;
        return ok;
    }
    if (s->unanswered == 0)
        return false;
    s->unanswered--;
    s->wait = FIRST_WAIT;
    s->complained = false;
    ++*(ok ? &s->state.kept : &s->state.refused);
    if (s->options.lossless)
        take_first(s);
    return true;
}

static size_t on_received(struct robo__stream *stream, const uint8_t *bytes, size_t n,
                          robo_time now)
{
    robo_image_sender *s = robo__container_of(stream, robo_image_sender, stream);
    for (size_t i = 0; i < n; i++) {
        const char byte = (char)bytes[i], wanted = s->half_of == 'O' ? 'K' : 'O';
        if (!s->half && (byte == 'O' || byte == 'N')) {
            s->half = true;
            s->half_of = byte;
            continue;
        }
        const bool known = s->half && byte == wanted;
        s->half = false;
        if (known && take_answer(s, byte == 'K', now))
            continue;
        robo__stream_close(stream);
        fail(s, ROBO_EBODY, "what answers there is no image server", now);
        return 0;
    }
    tell(s);
    pump(s, now);
    return n;
}

static void on_drained(struct robo__stream *stream, robo_time now)
{
    pump(robo__container_of(stream, robo_image_sender, stream), now);
}

/* ---- for programs ---- */

int robo_image_sender_put(robo_image_sender *s, const void *bytes, size_t n, const char *name)
{
    if (name && !robo__store_is_source(name, strlen(name)))
        return ROBO_EINVAL;
    if (n < 1 || n > ROBO__PICTURE_MOST)
        return ROBO_ESIZE;
    if (s->options.lossless && s->state.waiting > 0 &&
        (s->state.waiting >= s->options.window || s->held + n > HELD))
        return ROBO_EFULL;
    struct frame *f = malloc(sizeof *f + n);
    if (!f)
        return ROBO_ENOMEM;
    if (name)
        snprintf(s->name, sizeof s->name, "%s", name);
    f->next = NULL;
    f->size = n;
    memcpy(f->name, s->name, sizeof f->name);
    memcpy(f->bytes, bytes, n);
    if (!s->options.lossless) {
        if (s->at == 0 && !s->headed)
            s->going = NULL; /* a picture that has not begun waits, too */
        skip_waiting(s);
    }
    *s->end = f;
    s->end = &f->next;
    if (!s->going)
        s->going = f;
    s->state.given++;
    s->state.waiting++;
    s->held += n;
    pump(s, robo_now(s->stream.host->world));
    return 0;
}

void robo_image_sender_look(robo_image_sender *s, struct robo_image_sender_state *state)
{
    s->told = false;
    *state = s->state;
    if (!s->options.lossless)
        state->waiting += (unsigned)s->unanswered;
}

static int open_sender(robo_loop *loop, const char *text,
                       const struct robo_image_sender_options *options, robo_image_sender **out,
                       char why[256])
{
    struct robo_image_sender_options o;
    struct robo__url url;
    int error = robo__sized_take(&o, sizeof o, options);
    if (error < 0 || o.window > ROBO_IMAGE_WINDOW)
        return ROBO_EINVAL;
    if (o.name && !robo__store_is_source(o.name, strlen(o.name))) {
        snprintf(why, 256, "name: %s", NAMES);
        return ROBO_EINVAL;
    }
    error = robo__url_parse(text, robo__protocols, &url, why);
    if (error < 0)
        return error;
    if (strcmp(url.protocol->name, "images") != 0) {
        snprintf(why, 256, "%.200s: expected an address of an image server, images://HOST", text);
        return ROBO_EURL;
    }
    char name[sizeof url.robot + sizeof url.part + 1];
    snprintf(name, sizeof name, "%s%s%s", url.robot, url.part[0] ? "/" : "", url.part);
    if (!o.name && name[0] && !robo__store_is_source(name, strlen(name))) {
        snprintf(why, 256, "%.150s: %s", name, NAMES);
        return ROBO_EURL;
    }
    robo_image_sender *s = calloc(1, sizeof *s);
    if (!s)
        return ROBO_ENOMEM;
    s->loop = loop;
    s->url = url;
    s->options = o;
    s->options.window = o.window ? o.window : 1;
    s->wait = FIRST_WAIT;
    s->end = &s->first;
    s->timer.fire = on_timer;
    snprintf(s->name, sizeof s->name, "%s", o.name ? o.name : name);
    s->options.name = NULL;
    robo__stream_init(&s->stream, &loop->host, loop->ev ? loop : NULL);
    s->stream.opened = on_opened;
    s->stream.received = on_received;
    s->stream.lost = on_lost;
    s->stream.drained = on_drained;
    robo__loop_use(loop);
    connect_now(s, robo_now(loop->host.world));
    *out = s;
    return 0;
}

robo_image_sender *robo_image_sender_open(robo_loop *loop, const char *url,
                                          const struct robo_image_sender_options *options,
                                          int *error, char why[256])
{
    char words[256] = "";
    robo_image_sender *sender = NULL;
    const int result = open_sender(loop, url, options, &sender, words);
    if (error)
        *error = result;
    if (why && result < 0)
        snprintf(why, 256, "%s", words[0] ? words : robo_strerror(result));
    return sender;
}

void robo_image_sender_close(robo_image_sender *s)
{
    if (!s)
        return;
    robo__timer_stop(s->stream.host->timers, &s->timer);
    robo__stream_close(&s->stream);
    while (s->first)
        take_first(s);
    robo__loop_leave(s->loop);
    free(s);
}
