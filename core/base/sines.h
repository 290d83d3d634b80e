/* Sines and cosines of many angles at once. */
#pragma once

/* sine[i] and cosine[i] of angle[i], n of them, each within 2e-16 of the true one. The arrays do not overlap. */
void robo__sines(const double *angle, unsigned n, double *sine, double *cosine);
