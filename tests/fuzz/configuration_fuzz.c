/* Any bytes as a configuration block. What is accepted makes sense: it can be computed with, and written and read again
 * to the same description. */
#include <stdlib.h>
#include <string.h>

#include "robotalk/configuration.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static struct robo_description first, second;
    static uint8_t block[sizeof first];
    static struct robo_pose link[ROBO_MAX_LINKS];
    double q[ROBO_MAX_DOFS] = { 0 }, jacobian[6 * ROBO_MAX_DOFS];
    char why[192];
    if (robo__configuration_decode(in, n, &first, why) < 0)
        return 0;
    robo_model *model = robo_model_open(&first);
    if (!model)
        abort();
    robo_fk(model, q, link);
    for (unsigned i = 0; i < first.frames; i++)
        if (robo_jacobian(model, q, i, NULL, jacobian) < 0)
            abort();
    robo_model_close(model);
    ptrdiff_t used = robo__configuration_encode(&first, block, sizeof block, NULL);
    if (used < 0 || (size_t)used != robo__configuration_size(&first))
        abort();
    if (robo__configuration_decode(block, (size_t)used, &second, why) < 0 ||
        memcmp(&first, &second, sizeof first) != 0)
        abort();
    return 0;
}
