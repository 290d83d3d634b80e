/* Samples of DDS. */
#include "dds_samples.h"

#include <string.h>

/* Where they are in a sample. */
enum { PROCESSED = 20, KIND = 24, COUNT = 28, SERVER = 20, NAME = 36 };

static uint32_t little(const uint8_t in[4])
{
    return in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static void put_little(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

static bool is_little(const uint8_t *sample)
{
    return sample[0] == 0 && sample[1] == 1;
}

bool robo__dds_bytes_read(const uint8_t *sample, size_t size, struct robo__dds_bytes *out)
{
    if (size < ROBO__DDS_HEAD || !is_little(sample))
        return false;
    *out = (struct robo__dds_bytes){ little(sample + PROCESSED), little(sample + KIND),
                                     sample + ROBO__DDS_HEAD, little(sample + COUNT) };
    return out->n <= size - ROBO__DDS_HEAD;
}

size_t robo__dds_bytes_write(uint8_t out[ROBO__DDS_HEAD + ROBO__DDS_PIECE],
                             const uint8_t channel[ROBO_DDS_KEY], const struct robo__dds_bytes *in)
{
    memcpy(out, (const uint8_t[]){ 0, 1, 0, 0 }, ROBO_DDS_HEADER);
    memcpy(out + ROBO_DDS_HEADER, channel, ROBO_DDS_KEY);
    put_little(out + PROCESSED, in->processed);
    put_little(out + KIND, in->kind);
    put_little(out + COUNT, (uint32_t)in->n);
    if (in->n > 0)
        memcpy(out + ROBO__DDS_HEAD, in->bytes, in->n);
    return ROBO__DDS_HEAD + in->n;
}

const char *robo__dds_robot_read(const uint8_t *sample, size_t size, const uint8_t **server)
{
    const size_t text = NAME + 4;
    if (size <= text || !is_little(sample))
        return NULL;
    const uint32_t n = little(sample + NAME);
    if (n == 0 || n > size - text || sample[text + n - 1] != 0)
        return NULL;
    *server = sample + SERVER;
    return (const char *)sample + text;
}
