/* The transport of DDS: a connection is a channel, with a topic in each direction. Samples of `robotalk/up` go to the one reader of a server, in a partition of a role
 * and its number; those of `robotalk/down` to the client's, in the partition of the channel's. A sample has the channel as its key, how many bytes of the other direction were processed
 * so far, and bytes: no more than WINDOW may be under way, so that a peer that does not read holds up nobody else (spec/dds.md). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "dds.h"
#include "dds_samples.h"
#include "listener.h"
#include "robotalk/watchers.h"

enum { WINDOW = 1 << 18 };

struct robo__dds_channel {
    struct robo__dds_channel *next;      /* of the listening side */
    struct robo__dds_listening *through; /* NULL: it is a client's end */
    struct robo__endpoint *end;          /* NULL: not attached yet */
    robo_dds *dds;                       /* a client's own */
    robo_dds_writer *out;
    robo_dds_reader *in; /* a client's */
    robo_async *kick;    /* something waits for the owner: held bytes, room, the end */
    uint8_t id[ROBO_DDS_KEY], origin[16];
    uint64_t writer;                           /* of a client, at a server's end */
    uint8_t role;                              /* its greatest one there */
    uint32_t sent, confirmed, processed, told; /* bytes, modulo 2^32 */
    uint8_t *held;                             /* bytes that were not delivered yet */
    size_t held_count, held_size;
    bool ready; /* the other end reads */
    bool left;  /* a server's owner has closed it; the client has yet to read the last bytes */
    bool wants_read, wants_write;
    const char *over;     /* why it is; NULL: it is not */
    struct robo__url url; /* a client's */
};

struct robo__dds_listening {
    struct robo__listener *listener;
    robo_dds *dds;
    robo_dds_reader *in; /* NULL: it listens no more */
    unsigned left;       /* channels */
    struct robo__dds_channel *first;
    uint8_t server[ROBO_DDS_KEY];
};

static void name_of(const uint8_t id[ROBO_DDS_KEY], char *name)
{
    for (size_t i = 0; i < ROBO_DDS_KEY; i++)
        snprintf(name + 2 * i, 3, "%02x", id[i]);
}

static struct robo_dds_topic topic_of(bool up, const char *partition)
{
    return (struct robo_dds_topic){ .size = sizeof(struct robo_dds_topic),
                                    .name = up ? "robotalk/up" : "robotalk/down",
                                    .type = "robotalk::msg::dds_::Bytes_",
                                    .partition = partition,
                                    .keyed = 1,
                                    .reliable = 1,
                                    .remains = 1 /* a process that dies has not said goodbye */ };
}

/* ---- channels ---- */

static int put(struct robo__dds_channel *ch, uint32_t kind, const uint8_t *bytes, size_t n)
{
    uint8_t sample[ROBO__DDS_HEAD + ROBO__DDS_PIECE];
    const struct robo__dds_bytes all = { ch->processed, kind, bytes, n };
    const int error = robo_dds_put(ch->out, sample, robo__dds_bytes_write(sample, ch->id, &all));
    if (error == 0)
        ch->told = ch->processed;
    return error;
}

/* Delivers what is held; the channel may be gone after it. */
static void deliver(struct robo__dds_channel *ch)
{
    struct robo__endpoint *end = ch->end;
    if (ch->held_count == 0 || (end->may_read && !end->may_read(end)))
        return;
    uint8_t *bytes = ch->held;
    const size_t n = ch->held_count;
    ch->held = NULL;
    ch->held_count = ch->held_size = 0;
    ch->processed += (uint32_t)n;
    if (ch->ready && ch->processed - ch->told >= WINDOW / 4)
        put(ch, ROBO__DDS_DATA, NULL, 0);
    end->received(end, bytes, n, robo_now(end->in.loop->host.world));
    free(bytes);
}

static void free_channel(struct robo__dds_channel *ch);

static void on_kick(void *owner, robo_time now)
{
    struct robo__dds_channel *ch = owner;
    (void)now;
    if (ch->left) {
        if (ch->over)
            free_channel(ch);
    } else if (ch->held_count > 0 && ch->wants_read) {
        if (ch->over)
            robo_async_post(ch->kick);
        deliver(ch);
    } else if (ch->over)
        ch->end->lost(ch->end, strcmp(ch->over, "") == 0 ? 0 : ECONNRESET,
                      ch->over[0] ? ch->over : NULL);
    else if (ch->wants_write && ch->ready)
        ch->end->writable(ch->end);
}

static void end_channel(struct robo__dds_channel *ch, const char *why)
{
    if (!ch->over)
        ch->over = why;
    robo_async_post(ch->kick);
}

static void on_matched(void *owner, unsigned readers)
{
    struct robo__dds_channel *ch = owner;
    if (readers == 0 && ch->ready)
        end_channel(ch, "the other end has gone from the domain");
    if (readers > 0 && !ch->ready && !ch->through)
        put(ch, ROBO__DDS_OPEN, NULL, 0);
    ch->ready = ch->ready || readers > 0;
    robo_async_post(ch->kick);
}

/* What arrived for a channel. */
static void take(struct robo__dds_channel *ch, const struct robo_dds_sample *s)
{
    if (s->event != ROBO_DDS_SAMPLE) {
        end_channel(ch, s->event == ROBO_DDS_DISPOSED ? "" : "nothing has come from it for 10 s");
        return;
    }
    struct robo__dds_bytes in;
    if (!robo__dds_bytes_read(s->bytes, s->size, &in))
        return; /* no word of ours */
    if (ch->left)
        return;
    const size_t n = in.n;
    if (ch->held_count + n > WINDOW) {
        end_channel(ch, "it sends more than it may");
        return;
    }
    if (in.processed - ch->confirmed <= ch->sent - ch->confirmed)
        ch->confirmed = in.processed;
    if (ch->held_count + n > ch->held_size) {
        uint8_t *held = realloc(ch->held, ch->held_count + n);
        if (!held) {
            end_channel(ch, robo_strerror(ROBO_ENOMEM));
            return;
        }
        ch->held = held;
        ch->held_size = ch->held_count + n;
    }
    if (n > 0)
        memcpy(ch->held + ch->held_count, in.bytes, n);
    ch->held_count += n;
    if (ch->end && ch->wants_read && ch->held_count > 0)
        deliver(ch);
    else if (ch->end && ch->wants_write)
        ch->end->writable(ch->end);
}

static void on_down(void *owner, const struct robo_dds_sample *sample)
{
    struct robo__dds_channel *ch = owner;
    if (memcmp(sample->key, ch->id, ROBO_DDS_KEY) == 0)
        take(ch, sample);
}

/* Once it listens no more, and has no channel left. */
static void free_listening(struct robo__dds_listening *l)
{
    if (l->in || l->first)
        return;
    robo_dds_close(l->dds);
    free(l);
}

static void leave_listening(struct robo__dds_channel *ch)
{
    struct robo__dds_channel **at = &ch->through->first;
    while (*at != ch)
        at = &(*at)->next;
    *at = ch->next;
    ch->through->left -= ch->left;
    if (ch->out)
        robo_dds_writer_close(ch->out);
    free_listening(ch->through);
}

static void free_channel(struct robo__dds_channel *ch)
{
    if (ch->out && ch->ready && !ch->left)
        robo_dds_dispose(ch->out, ch->id);
    if (ch->through)
        leave_listening(ch);
    else
        robo_dds_close(ch->dds); /* with its writer and reader */
    robo_async_close(ch->kick);
    free(ch->held);
    free(ch);
}

/* ---- the row ---- */

static int connect_dds(const struct robo__url *url, robo_time timeout,
                       struct robo__contact *contact, char why[256])
{
    struct robo__dds_channel *ch = calloc(1, sizeof *ch);
    if (!ch || getrandom(ch->id, sizeof ch->id, 0) != sizeof ch->id) {
        free(ch);
        return ROBO_ENOMEM;
    }
    const int error = robo__dds_find(url, timeout, ch->origin, why);
    if (error < 0) {
        free(ch);
        return error;
    }
    contact->fd = -1;
    contact->channel = ch;
    ch->url = *url;
    return 0;
}

/* A client's end finds its server's reader; a server's end its client's. The partition of a client's says which role it may have: that is
 * what its permissions allow (docs/access.md). */
static int open_out(struct robo__dds_channel *ch, robo_dds *dds,
                    const uint8_t partition[ROBO_DDS_KEY])
{
    char name[56], why[256];
    const char *role = ch->through                               ? ""
                       : robo__dds_role(dds) < ROBO_ROLE_OPERATE ? "drive/"
                                                                 : "operate/";
    name_of(partition, name + sprintf(name, "%s", role));
    const struct robo_dds_topic topic = topic_of(!ch->through, name);
    ch->out = robo_dds_write(dds, &topic, on_matched, ch, why);
    return ch->out ? 0 : ROBO_ENOMEM;
}

static int open_client(struct robo__dds_channel *ch, robo_loop *loop)
{
    char name[40], why[256];
    int error;
    ch->dds = robo__dds_open(loop, &ch->url, &error, why);
    if (!ch->dds)
        return error;
    name_of(ch->id, name);
    const struct robo_dds_topic topic = topic_of(false, name);
    ch->in = robo_dds_read(ch->dds, &topic, on_down, ch, why);
    return ch->in ? open_out(ch, ch->dds, ch->origin) : ROBO_ENOMEM;
}

static int attach(struct robo__endpoint *end, robo_loop *loop, struct robo__contact *contact,
                  struct robo__listener *listener)
{
    struct robo__dds_channel *ch = contact->channel;
    end->transport = &robo__dds_channels;
    end->in = (struct robo__watch){ .loop = loop, .fd = -1 };
    end->channel = ch;
    ch->end = end;
    ch->kick = robo_async_open(loop, on_kick, ch);
    int error = ch->kick ? 0 : ROBO_ENOMEM;
    if (error == 0 && !listener)
        error = open_client(ch, loop);
    else if (error == 0)
        error = open_out(ch, ch->through->dds, ch->id);
    if (error < 0) {
        end->transport = NULL;
        end->channel = NULL;
        free_channel(ch);
    }
    return error;
}

static void drop(struct robo__contact *contact)
{
    free_channel(contact->channel);
}

static bool read_channel(struct robo__endpoint *end, robo_time wait)
{
    (void)wait;
    deliver(end->channel);
    return false;
}

static ptrdiff_t write_channel(struct robo__endpoint *end, const uint8_t *bytes, size_t n)
{
    struct robo__dds_channel *ch = end->channel;
    if (ch->over)
        return -EPIPE;
    const size_t underway = ch->sent - ch->confirmed;
    if (!ch->ready || underway >= WINDOW)
        return 0;
    n = n < WINDOW - underway ? n : WINDOW - underway;
    n = n < ROBO__DDS_PIECE ? n : ROBO__DDS_PIECE;
    const int error = put(ch, ROBO__DDS_DATA, bytes, n);
    if (error < 0)
        return error == ROBO_ETIMEOUT ? 0 : -EIO;
    ch->sent += (uint32_t)n;
    return (ptrdiff_t)n;
}

static void want(struct robo__endpoint *end, bool read, bool write)
{
    struct robo__dds_channel *ch = end->channel;
    const bool more = read && !ch->wants_read && (ch->held_count > 0 || ch->over);
    ch->wants_read = read;
    ch->wants_write = write;
    if (more)
        robo_async_post(ch->kick);
}

/* A writer that is closed takes along what its reader has not got, such as why a client is refused. So a server's stays until the client has closed
 * its end, too, or is gone; LEFT of them at most. */
static void close_channel(struct robo__endpoint *end)
{
    enum { LEFT = 64 };
    struct robo__dds_channel *ch = end->channel;
    end->channel = NULL;
    ch->end = NULL;
    if (!ch->through || !ch->through->in || !ch->ready || ch->over || ch->through->left == LEFT) {
        free_channel(ch);
        return;
    }
    robo_dds_dispose(ch->out, ch->id);
    ch->left = true;
    ch->through->left++;
}

/* ---- listening ---- */

/* A sample for a server: of one of its channels, or of a new one. */
static void on_up(void *owner, const struct robo_dds_sample *s)
{
    struct robo__dds_listening *l = owner;
    struct robo__dds_channel *ch = l->first;
    while (ch && memcmp(ch->id, s->key, ROBO_DDS_KEY) != 0)
        ch = ch->next;
    if (ch && s->event == ROBO_DDS_SAMPLE && s->writer != ch->writer)
        return; /* another client may not speak in it */
    if (ch) {
        take(ch, s);
        return;
    }
    struct robo__dds_bytes in;
    if (s->event != ROBO_DDS_SAMPLE || !robo__dds_bytes_read(s->bytes, s->size, &in) ||
        in.kind != ROBO__DDS_OPEN)
        return;
    const uint8_t role = robo__dds_writer_role(l->in, s->writer);
    if (!role || !l->listener->may_come(l->listener) || !(ch = calloc(1, sizeof *ch)))
        return; /* its handshake runs out of time */
    memcpy(ch->id, s->key, ROBO_DDS_KEY);
    robo_dds_source(l->in, s->writer, ch->origin);
    ch->writer = s->writer;
    ch->role = role;
    ch->through = l;
    ch->next = l->first;
    l->first = ch;
    struct robo__contact contact = { .fd = -1, .channel = ch };
    l->listener->arrived(l->listener, &contact);
}

static int listen_dds(struct robo__listener *listener, char why[256])
{
    struct robo__dds_listening *l = calloc(1, sizeof *l);
    int error = ROBO_ENOMEM;
    char name[40] = "*/";
    if (!l || getrandom(l->server, sizeof l->server, 0) != sizeof l->server)
        goto fail;
    l->listener = listener;
    l->dds = robo__dds_open(listener->loop, &listener->url, &error, why);
    if (!l->dds)
        goto fail;
    name_of(l->server, name + 2);
    const struct robo_dds_topic topic = topic_of(true, name);
    l->in = robo_dds_read(l->dds, &topic, on_up, l, why);
    if (!l->in) {
        robo_dds_close(l->dds);
        error = ROBO_ESYSTEM;
        goto fail;
    }
    listener->dds = l;
    return 0;
fail:
    free(l);
    return error;
}

robo_dds *robo__dds_of(const struct robo__listener *listener, uint8_t server[ROBO_DDS_KEY])
{
    memcpy(server, listener->dds->server, ROBO_DDS_KEY);
    return listener->dds->dds;
}

uint8_t robo__dds_origin(const struct robo__dds_channel *channel, uint8_t origin[ROBO__ORIGIN])
{
    memcpy(origin, channel->origin, ROBO__ORIGIN); /* of the GUID the participant's part */
    return channel->role;
}

/* Connections stay until their owners close them; nothing arrives any more. */
static void unlisten_dds(struct robo__listener *listener)
{
    struct robo__dds_listening *l = listener->dds;
    robo_dds_reader_close(l->in);
    for (struct robo__dds_channel *ch = l->first, *next; ch; ch = next) {
        next = ch->next;
        if (ch->left)
            free_channel(ch);
    }
    l->in = NULL;
    free_listening(l);
}

const struct robo__transport robo__dds_channels = { .name = "DDS",
                                                    .connect = connect_dds,
                                                    .listen = listen_dds,
                                                    .unlisten = unlisten_dds,
                                                    .attach = attach,
                                                    .drop = drop,
                                                    .read = read_channel,
                                                    .write = write_channel,
                                                    .want = want,
                                                    .close = close_channel };
