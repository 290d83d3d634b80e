/* Any bytes: read as a package, and its payload once more entry by entry whatever the header said.
 * What can be read must be written again to the same bytes. */
#include "../wire/package.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t out[ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct package k = { 0 };
    ptrdiff_t used = repack(&k, data, size, out, sizeof out);
    MUST(used <= (ptrdiff_t)size && used != ROBO_EFULL && used != ROBO_EINVAL);
    if (used > 0 && !k.skipped)
        MUST(memcmp(data, out, (size_t)used) == 0);
    if (size < ROBO_HEADER_SIZE)
        return 0;

    const uint8_t type = data[4] % (ROBO_TYPE_NOTICE + 1), *payload = data + ROBO_HEADER_SIZE,
                  *body;
    const size_t n = size - ROBO_HEADER_SIZE;
    struct robo_entry head;
    struct unpacked u;
    size_t at = 0;
    for (;;) {
        const size_t from = at;
        int more = robo_next_entry(payload, n, &at, &head, &body);
        if (more <= 0) {
            MUST(at == from && more == (at == n ? 0 : ROBO_ESIZE));
            return 0;
        }
        MUST(at == from + ROBO_ENTRY_SIZE + head.size && at <= n &&
             body == payload + at - head.size);
        const char *field = NULL;
        int error = unpack_entry(type, &head, body, &u, &field);
        if (error) {
            MUST((error == ROBO_EOP || error == ROBO_EBODY || error == ROBO_ERANGE) && field);
            continue;
        }
        struct robo_package p;
        MUST(robo_package_begin(&p, out, sizeof out) == 0);
        MUST(repack_entry(type, &p, &u) == 0);
        MUST(u.known == head.size ? memcmp(out + ROBO_HEADER_SIZE, payload + from, at - from) == 0
                                  : u.known < head.size);
    }
}
