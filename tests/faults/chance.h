/* Random draws of a run from its seed. */
#pragma once

#include <stdbool.h>

#include "base/random.h"
#include "robotalk.h"

bool robo__chance(struct robo__random *r, double probability);
unsigned robo__pick(struct robo__random *r, unsigned n); /* 0 to n - 1; 0 of none */
robo_time robo__about(struct robo__random *r,
                      robo_time mean); /* exponentially distributed, 1 ns at least */
/* Uniform in its logarithm. */
double robo__spread(struct robo__random *r, double least, double most);
/* An index of the list, with the probability of its weight. */
size_t robo__weighted(struct robo__random *r, const double *weight, size_t n);
