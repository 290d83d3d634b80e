/* Any bytes as a recording: its records, and those of its summary, read from one time to another. */
#include <stdint.h>
#include <stdlib.h>

#include "robotalk/mcap.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

unsigned fuzz_sum; /* so that no look is optimised away */

static unsigned look_at(struct robo_mcap_bytes bytes)
{
    unsigned sum = 0;
    for (size_t i = 0; i < bytes.size; i++)
        sum += ((const uint8_t *)bytes.at)[i];
    return sum;
}

/* Each record takes bytes of the file or of a chunk, so there is an end. */
static void read_all(robo_mcap_reader *reader)
{
    struct robo_mcap_record r;
    char why[256];
    int result;
    while ((result = robo_mcap_next(reader, &r, why)) != 0) {
        if (result == 1)
            fuzz_sum += look_at(r.name) + look_at(r.encoding) + look_at(r.data) + look_at(r.map);
        else if (result != ROBO_EBODY)
            abort();
    }
    if (robo_mcap_next(reader, &r, why) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    char why[256];
    robo_mcap_reader *reader = robo_mcap_open_bytes(in, n, NULL, why);
    if (!reader)
        return 0;
    read_all(reader);
    if (robo_mcap_summary(reader, why) == 0)
        read_all(reader);
    robo_mcap_range(reader, 2, UINT64_C(1500000000));
    read_all(reader);
    robo_mcap_close(reader);
    return 0;
}
