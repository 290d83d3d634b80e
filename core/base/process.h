/* Figures of this process. */
#pragma once

#include <stdint.h>

struct robo__process {
    double processor;  /* s of processor time so far */
    double started;    /* s since 1970 */
    uint64_t resident; /* bytes of memory */
    uint64_t files;    /* descriptors that are open */
};

/* Reads files of /proc: figures that are not there are 0. Any thread. */
void robo__process_read(struct robo__process *out);
