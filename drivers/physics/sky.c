/* The sky of a world. */
#include "sky.h"

#include <math.h>
#include <string.h>

#include "robot/world/scenery.h"

static const char FILE_NAME[] = "sky.tex";
static const char FACES[] =
    "RLUDFB";       /* right, left, up, down, ahead, behind: one below the other */
enum { SIDE = 64 }; /* texels of a face on a side */

void robo__sky_add(struct robo__draft *draft)
{
    robo__draft_add(draft,
                    "<texture name=\"sky\" type=\"skybox\" file=\"%s\" gridsize=\"%zu 1\" "
                    "gridlayout=\"%s\"/>\n",
                    FILE_NAME, sizeof FACES - 1, FACES);
}

/* The sine above the horizon of a texel's direction, from the cube's middle. */
static double sine_of(char face, unsigned row, unsigned column)
{
    const double right = (2 * column + 1.0) / SIDE - 1, up = 1 - (2 * row + 1.0) / SIDE;
    const double height = face == 'U' ? 1 : face == 'D' ? -1 : up;
    return height / sqrt(1 + right * right + up * up);
}

int robo__sky_add_file(const struct robo__engine *engine, const struct robo_scenery *room,
                       mjVFS *files)
{
    /* as MuJoCo reads textures that are no PNG: width, height, RGB row by row */
    const int32_t sides[2] = { SIDE, SIDE * (int32_t)(sizeof FACES - 1) };
    const int size = (int)sizeof sides + 3 * sides[0] * sides[1];
    const int made = engine->mj_makeEmptyFileVFS(files, FILE_NAME, size);
    if (made != 0)
        return made == 1 ? ROBO_ELIMIT : ROBO_ENOMEM;
    uint8_t *out = files->filedata[engine->mj_findFileVFS(files, FILE_NAME)];
    memcpy(out, sides, sizeof sides);
    out += sizeof sides;
    for (const char *face = FACES; *face; face++)
        for (unsigned i = 0; i < SIDE * SIDE; i++) {
            const uint32_t colour = robo__scenery_sky(room, sine_of(*face, i / SIDE, i % SIDE));
            for (int shift = 16; shift >= 0; shift -= 8)
                *out++ = (uint8_t)(colour >> shift);
        }
    return 0;
}
