/* May change without notice between versions. */
/* Films: pictures one after the other in a GIF, which every browser plays. */
#pragma once

#include "robotalk.h"

ROBO_API_BEGIN

/* ---- films ---- */

typedef struct robo_gif robo_gif; /* a GIF that is being written; one thread */

/* Of pictures of that size, up to 4096 pixels each way; it repeats without an end. NULL: why, and *error is ROBO_EINVAL, no such size;
 * ROBO_ESYSTEM, giflib, which is loaded with the first film, is not there; ROBO_ENOMEM. */
robo_gif *robo_gif_open(unsigned width, unsigned height, int *error, char why[256]);
/* The next picture: 3 bytes a pixel, R, G, B, row by row from the top. It is shown for that long, s; the part that a GIF, which
 * counts in hundredths, cannot express is added to the next. A picture has the 255 colours that suit it best; only changed pixels
 * are written. *bytes: the bytes for the end of the file, until the next call. Returns how many, or ROBO_EINVAL, ROBO_ENOMEM. */
ptrdiff_t robo_gif_add(robo_gif *gif, const uint8_t *rgb, double seconds, const uint8_t **bytes);
/* The last bytes of the file; there are no more pictures. */
ptrdiff_t robo_gif_end(robo_gif *gif, const uint8_t **bytes);
void robo_gif_close(robo_gif *gif); /* NULL: does nothing */

ROBO_API_END
