/* Any bytes as a mesh. */
#include <stdlib.h>

#include "body/mesh.h"
#include "robotalk/scenery.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    char why[256];
    int error;
    robo_mesh *mesh = robo_mesh_read(in, n, &error, why);
    if (!mesh) {
        if (error >= 0 || (error != ROBO_ENOMEM && !why[0]))
            abort(); /* what is refused is explained */
        return 0;
    }
    for (uint32_t i = 0; i < mesh->faces; i++)
        for (int k = 0; k < 3; k++)
            if (mesh->face[i][k] >= mesh->vertices)
                abort();
    for (int k = 0; k < 3; k++)
        if (!(mesh->low[k] <= mesh->high[k]))
            abort();
    robo_mesh_release(mesh);
    return 0;
}
