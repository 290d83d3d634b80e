/* Any bytes as samples of DDS that core/net reads itself. */
#include <stdlib.h>
#include <string.h>

#include "net/dds_samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static uint8_t again[ROBO__DDS_HEAD + ROBO__DDS_PIECE];
    uint8_t *sample = malloc(n); /* its end is known to the sanitizer */
    if (!sample)
        return 0;
    memcpy(sample, in, n);
    struct robo__dds_bytes bytes, copy;
    const uint8_t *server;
    const char *name = robo__dds_robot_read(sample, n, &server);
    if (name && (name + strlen(name) >= (char *)sample + n || server < sample))
        abort();
    if (robo__dds_bytes_read(sample, n, &bytes) && bytes.n <= ROBO__DDS_PIECE) {
        const size_t size = robo__dds_bytes_write(again, sample + ROBO_DDS_HEADER, &bytes);
        if (!robo__dds_bytes_read(again, size, &copy) || copy.kind != bytes.kind ||
            copy.processed != bytes.processed || copy.n != bytes.n ||
            memcmp(copy.bytes, bytes.bytes, bytes.n) != 0)
            abort();
    }
    free(sample);
    return 0;
}
