/* Meshes in MuJoCo's own format. */
#include "triangles.h"

#include <string.h>

#include "body/mesh.h"

void robo__triangles_add(struct robo__draft *draft, const char *file, const double scale[3])
{
    robo__draft_add(draft, " file=\"%s\" scale=\"", file);
    robo__draft_values(draft, scale, 3);
    robo__draft_add(draft, "\"/>\n");
}

/* Four counts, vertices, and faces. */
static void write(const robo_mesh *m, char *out)
{
    const int32_t counts[4] = { (int32_t)m->vertices, 0, 0, (int32_t)m->faces };
    memcpy(out, counts, sizeof counts);
    memcpy(out + sizeof counts, m->vertex, m->vertices * sizeof *m->vertex);
    memcpy(out + sizeof counts + m->vertices * sizeof *m->vertex, m->face,
           m->faces * sizeof *m->face);
}

int robo__triangles_add_file(const struct robo__engine *engine, mjVFS *files, const char *file,
                             const robo_mesh *m)
{
    const size_t size =
        4 * sizeof(int32_t) + m->vertices * sizeof *m->vertex + m->faces * sizeof *m->face;
    const int made = engine->mj_makeEmptyFileVFS(files, file, (int)size);
    if (made != 0)
        return made == 1 ? ROBO_ELIMIT : ROBO_ENOMEM;
    write(m, files->filedata[engine->mj_findFileVFS(files, file)]);
    return 0;
}
