/* Any bytes as a stream of Snappy, of the size that it says if that fits. */
#include <stdint.h>
#include <stdlib.h>

#include "store/snappy.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    size_t size = 0;
    for (size_t i = 0; i < n && i < 5; i++) {
        size |= (size_t)(in[i] & 127) << 7 * i;
        if (in[i] < 128)
            break;
    }
    if (!robo__snappy_fits(size, in, n))
        return 0;
    if (size / 22 > n)
        abort();
    uint8_t *out = malloc(size ? size : 1);
    if (out && !robo__snappy_decompress(out, size, in, n) && size > 0)
        out[size - 1] ^= 1;
    free(out);
    return 0;
}
