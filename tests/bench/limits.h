/* What others need for the same: programs in C++, so this is read by both. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
/* std::priority_queue of the same elements, payloads copied in and out: ns a push and pop. */
double limit_queue_ns(size_t pending, size_t operations);

/* OROCOS KDL on a chain of so many dofs, in postures that stand one behind the other in q: ns each; 0: not built with
 * it. */
double limit_fk_ns(unsigned dofs, const double *q, size_t postures);
double limit_jacobian_ns(unsigned dofs, const double *q, size_t postures);
double limit_ik_ns(unsigned dofs, const double *q, size_t postures, size_t *found);

/* The pose, or pose and Jacobian, of the same chain by Eigen, written for nothing else: ns each; 0: not built with it, or
 * neither 7 nor 41 dofs. */
double limit_by_hand_ns(unsigned dofs, bool jacobian, const double *q, size_t postures);

/* libjpeg-turbo: pictures of RGB, one after the other; the bytes of each. */
struct limit_jpeg;
struct limit_jpeg *limit_jpeg_open(unsigned width, unsigned height, int quality);
size_t limit_jpeg_encode(struct limit_jpeg *jpeg, const unsigned char *pixels);
const unsigned char *limit_jpeg_bytes(const struct limit_jpeg *jpeg); /* of the last */
void limit_jpeg_close(struct limit_jpeg *jpeg);
#ifdef __cplusplus
}
#endif
