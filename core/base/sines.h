/* Sines and cosines of many angles at once. */
#ifndef ROBO_SINES_H
#define ROBO_SINES_H

/* sine[i] and cosine[i] of angle[i], n of them, each within 2e-16 of the true one. The arrays do not overlap. */
void robo__sines(const double *angle, unsigned n, double *sine, double *cosine);

#endif
