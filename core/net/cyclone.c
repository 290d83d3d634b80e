/* CycloneDDS, and samples that are bytes to it. */
#include "cyclone.h"

#include <stdlib.h>
#include <string.h>

#include <dds/ddsi/ddsi_keyhash.h>
#include <dds/ddsi/q_protocol.h>
#include <dds/ddsi/q_radmin.h>

#include "base/time.h"
#include "robotalk/dds.h"

struct robo__cyclone robo__ddsc;

/* ---- samples ---- */

/* bytes: the header of CDR and what follows; of a key alone, the header and the key. */
struct bytes {
    struct ddsi_serdata c;
    uint32_t size;
    uint8_t bytes[];
};

static const struct ddsi_serdata_ops keyed_ops, keyless_ops;

static bool is_keyed(const struct ddsi_serdata *d)
{
    return d->ops == &keyed_ops;
}

static const struct bytes *bytes_of(const struct ddsi_serdata *d)
{
    return (const struct bytes *)d;
}

/* FNV-1a, by its authors' definition. */
static uint32_t hash_of(const uint8_t *bytes, size_t n)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

/* NULL: no memory, or a size that no sample has. */
static struct bytes *make(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, size_t size)
{
    const bool keyed = type->serdata_ops == &keyed_ops;
    const size_t least = ROBO_DDS_HEADER + (keyed ? ROBO_DDS_KEY : 0);
    if (size < least || size > ROBO_DDS_MOST)
        return NULL;
    struct bytes *b = malloc(sizeof *b + ((size + 3) & ~(size_t)3));
    if (!b)
        return NULL;
    robo__ddsc.ddsi_serdata_init(&b->c, type, kind);
    b->size = (uint32_t)size;
    memset(b->bytes + size, 0, -size & 3);
    return b;
}

static struct ddsi_serdata *made(struct bytes *b)
{
    b->c.hash = b->c.type->serdata_basehash;
    if (is_keyed(&b->c))
        b->c.hash ^= hash_of(b->bytes + ROBO_DDS_HEADER, ROBO_DDS_KEY);
    return &b->c;
}

static bool eqkey(const struct ddsi_serdata *a, const struct ddsi_serdata *b)
{
    return !is_keyed(a) || memcmp(bytes_of(a)->bytes + ROBO_DDS_HEADER,
                                  bytes_of(b)->bytes + ROBO_DDS_HEADER, ROBO_DDS_KEY) == 0;
}

static uint32_t get_size(const struct ddsi_serdata *d)
{
    return bytes_of(d)->size;
}

/* A fragment may repeat bytes of those before it. A chain with a gap would be a fault of the library's. */
static struct ddsi_serdata *from_ser(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind,
                                     const struct nn_rdata *fragment, size_t size)
{
    struct bytes *b = make(type, kind, size);
    uint32_t have = 0;
    if (!b)
        return NULL;
    for (; fragment && have < size; fragment = fragment->nextfrag) {
        const uint32_t end = fragment->maxp1 < size ? fragment->maxp1 : (uint32_t)size;
        if (end <= have)
            continue;
        const unsigned char *at =
            NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
        memcpy(b->bytes + have, at + have - fragment->min, end - have);
        have = end;
    }
    if (have < size) {
        free(b);
        return NULL;
    }
    return made(b);
}

static struct ddsi_serdata *from_ser_iov(const struct ddsi_sertype *type,
                                         enum ddsi_serdata_kind kind, ddsrt_msg_iovlen_t niov,
                                         const ddsrt_iovec_t *iov, size_t size)
{
    struct bytes *b = make(type, kind, size);
    size_t have = 0;
    if (!b)
        return NULL;
    for (size_t i = 0; i < (size_t)niov && have < size; i++) {
        const size_t n = iov[i].iov_len < size - have ? iov[i].iov_len : size - have;
        memcpy(b->bytes + have, iov[i].iov_base, n);
        have += n;
    }
    return made(b);
}

static struct ddsi_serdata *from_keyhash(const struct ddsi_sertype *type,
                                         const struct ddsi_keyhash *hash)
{
    const bool keyed = type->serdata_ops == &keyed_ops;
    struct bytes *b = make(type, SDK_KEY, ROBO_DDS_HEADER + (keyed ? ROBO_DDS_KEY : 0));
    if (!b)
        return NULL;
    memcpy(b->bytes, (const uint8_t[]){ 0, 1, 0, 0 }, ROBO_DDS_HEADER);
    if (keyed)
        memcpy(b->bytes + ROBO_DDS_HEADER, hash->value, ROBO_DDS_KEY);
    return made(b);
}

static struct ddsi_serdata *from_sample(const struct ddsi_sertype *type,
                                        enum ddsi_serdata_kind kind, const void *sample)
{
    const struct robo__cyclone_bytes *in = sample;
    struct bytes *b = make(type, kind, in->size);
    if (!b)
        return NULL;
    memcpy(b->bytes, in->bytes, in->size);
    return made(b);
}

static void to_ser(const struct ddsi_serdata *d, size_t at, size_t n, void *out)
{
    memcpy(out, bytes_of(d)->bytes + at, n);
}

static struct ddsi_serdata *to_ser_ref(const struct ddsi_serdata *d, size_t at, size_t n,
                                       ddsrt_iovec_t *out)
{
    struct ddsi_serdata *shared = (struct ddsi_serdata *)d;
    out->iov_base = (void *)(bytes_of(d)->bytes + at);
    out->iov_len = (ddsrt_iov_len_t)n;
    ddsrt_atomic_inc32(&shared->refc);
    return shared;
}

void robo__cyclone_release(struct ddsi_serdata *data)
{
    if (ddsrt_atomic_dec32_ov(&data->refc) == 1)
        data->ops->free(data);
}

static void to_ser_unref(struct ddsi_serdata *d, const ddsrt_iovec_t *out)
{
    (void)out;
    robo__cyclone_release(d);
}

/* Nobody reads samples in another form. */
static bool to_sample(const struct ddsi_serdata *d, void *sample, void **at, void *end)
{
    (void)d, (void)sample, (void)at, (void)end;
    return false;
}

static bool untyped_to_sample(const struct ddsi_sertype *type, const struct ddsi_serdata *d,
                              void *sample, void **at, void *end)
{
    (void)type;
    return to_sample(d, sample, at, end);
}

static struct ddsi_serdata *to_untyped(const struct ddsi_serdata *d)
{
    struct bytes *b = make(d->type, SDK_KEY, ROBO_DDS_HEADER + (is_keyed(d) ? ROBO_DDS_KEY : 0));
    if (!b)
        return NULL;
    memcpy(b->bytes, bytes_of(d)->bytes, b->size);
    b->c.type = NULL;
    b->c.hash = d->hash;
    return &b->c;
}

static void free_bytes(struct ddsi_serdata *d)
{
    free(d);
}

static size_t print(const struct ddsi_sertype *type, const struct ddsi_serdata *d, char *out,
                    size_t n)
{
    (void)type;
    return (size_t)snprintf(out, n, "%u bytes", (unsigned)bytes_of(d)->size);
}

/* The key is 16 octets, which are its hash unless MD5 is asked for; readers of Cyclone's do not ask. */
static void get_keyhash(const struct ddsi_serdata *d, struct ddsi_keyhash *out, bool force_md5)
{
    (void)force_md5;
    memset(out->value, 0, sizeof out->value);
    if (is_keyed(d))
        memcpy(out->value, bytes_of(d)->bytes + ROBO_DDS_HEADER, ROBO_DDS_KEY);
}

#define OPS                                                                                       \
    {                                                                                             \
        .eqkey = eqkey, .get_size = get_size, .from_ser = from_ser, .from_ser_iov = from_ser_iov, \
        .from_keyhash = from_keyhash, .from_sample = from_sample, .to_ser = to_ser,               \
        .to_ser_ref = to_ser_ref, .to_ser_unref = to_ser_unref, .to_sample = to_sample,           \
        .to_untyped = to_untyped, .untyped_to_sample = untyped_to_sample, .free = free_bytes,     \
        .print = print, .get_keyhash = get_keyhash                                                \
    }
static const struct ddsi_serdata_ops keyed_ops = OPS, keyless_ops = OPS;

const uint8_t *robo__cyclone_bytes(const struct ddsi_serdata *data, size_t *size)
{
    *size = bytes_of(data)->size;
    return bytes_of(data)->bytes;
}

/* ---- types ---- */

static void free_type(struct ddsi_sertype *type)
{
    robo__ddsc.ddsi_sertype_fini(type);
    free(type);
}

static void zero_samples(const struct ddsi_sertype *type, void *samples, size_t n)
{
    (void)type;
    memset(samples, 0, n * sizeof(struct robo__cyclone_bytes));
}

/* Loans of samples, which nobody takes. */
static void realloc_samples(void **samples, const struct ddsi_sertype *type, void *old, size_t had,
                            size_t n)
{
    (void)type, (void)old, (void)had;
    for (size_t i = 0; i < n; i++)
        samples[i] = NULL;
}

static void free_samples(const struct ddsi_sertype *type, void **samples, size_t n,
                         dds_free_op_t op)
{
    (void)type, (void)samples, (void)n, (void)op;
}

static bool equal(const struct ddsi_sertype *a, const struct ddsi_sertype *b)
{
    return a->serdata_ops == b->serdata_ops;
}

static uint32_t hash(const struct ddsi_sertype *type)
{
    return type->serdata_ops == &keyed_ops;
}

static struct ddsi_sertype_ops ops = { .free = free_type,
                                       .zero_samples = zero_samples,
                                       .realloc_samples = realloc_samples,
                                       .free_samples = free_samples,
                                       .equal = equal,
                                       .hash = hash };

dds_entity_t robo__cyclone_topic(dds_entity_t participant, const char *name, const char *type,
                                 bool keyed)
{
    struct ddsi_sertype *made_type = calloc(1, sizeof *made_type);
    if (!made_type)
        return DDS_RETCODE_OUT_OF_RESOURCES;
    robo__ddsc.ddsi_sertype_init_flags(made_type, type, &ops, keyed ? &keyed_ops : &keyless_ops,
                                       keyed ? 0 : DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
    made_type->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
    struct ddsi_sertype *given = made_type;
    const dds_entity_t topic =
        robo__ddsc.dds_create_topic_sertype(participant, name, &given, NULL, NULL, NULL);
    if (topic < 0)
        free_type(made_type);
    return topic;
}

/* ---- loading ---- */

static const struct robo__shared_function wanted[] = {
#define ROW(name) { #name, &robo__ddsc.name },
    ROBO__CYCLONE_FUNCTIONS(ROW)
};
static void begin(char failure[256])
{
    (void)failure;
    ops.version = robo__ddsc.ddsi_sertype_v0;
}

static struct robo__shared_library library = ROBO__SHARED_LIBRARY(
    "dds:// needs CycloneDDS 0.10", "libddsc.so.0debian", "libddsc0debian", wanted, begin);

int robo__cyclone_load(char why[256])
{
    return robo__shared_library_load(&library, why);
}
