/* The test card: the picture of cameras without a rendered world. Bars of colour, a running clock, and the picture's number and
 * time in black and white squares, from which robo_test_card reads them, also of a smaller picture that was a JPEG. */
#pragma once

#include "robotalk.h"
#include "robotalk/picture.h"

/* A driver's `picture`: a test card of the size that the description says, 320 x 240 by default. */
int robo__card_picture(void *state, robo_device *device, unsigned camera, int wanted);

/* Draws it into a picture of RGB: its number and time are those of the picture. */
void robo__card_draw(struct robo_picture *picture);

extern const robo_driver robo_pattern_driver; /* a camera that sees nothing else */
