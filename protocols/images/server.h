/* The image server that keeps pictures (spec/images.md): senders' pictures go to the host's keeper. */
#ifndef ROBO_IMAGES_SERVER_H
#define ROBO_IMAGES_SERVER_H

#include "net/conn.h"

extern const struct robo__protocol robo__images;

#endif
