/* Any bytes as a configuration block. What is accepted makes sense: it can be computed with, and written and read again
 * to the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "robotalk/configuration.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static struct robo_pose link[ROBO_MAX_LINKS];
    double q[ROBO_MAX_DOFS] = { 0 }, jacobian[6 * ROBO_MAX_DOFS];
    char why[192];
    robo_body *first, *second;
    if (robo_body_read(in, n, NULL, &first, why) < 0)
        return 0;
    const struct robo_description *d = robo_body_description(first);
    const robo_model *model = robo_body_model(first);
    robo_fk(model, q, link);
    for (unsigned i = 0; i < d->frames; i++)
        if (robo_jacobian(model, q, i, NULL, jacobian) < 0)
            abort();
    const size_t size = robo__configuration_size(d);
    uint8_t *block = malloc(size), *again = malloc(size);
    if (block == NULL || again == NULL)
        abort();
    if (robo__configuration_encode(d, block, size, NULL) != (ptrdiff_t)size)
        abort();
    if (robo_body_read(block, size, NULL, &second, why) < 0 ||
        robo__configuration_encode(robo_body_description(second), again, size, NULL) !=
            (ptrdiff_t)size ||
        memcmp(block, again, size) != 0)
        abort();
    free(block);
    free(again);
    robo_body_release(first);
    robo_body_release(second);
    return 0;
}
