/* What only tests need of robotalk: failures made to order, on links within this process ("local:"). A program that drives
 * robots includes robotalk.h alone. Links that are bad from the start are struct robo_channel there; a virtual clock goes on
 * by robo_advance. Functions return 0, or ROBO_EINVAL for a link to another process and ROBO_ELINK for one that is down. */
#ifndef ROBOTALK_TEST_H
#define ROBOTALK_TEST_H

#include "robotalk.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* cdef { */

/* 1: the link is half open from now on: all bytes vanish, on both ways, and nobody is told. 0: what is sent from now on
 * arrives. */
int robo_test_cut(robo_client *client, int cut);

/* From now on the server waits so long, by chance, before it reads a package. */
int robo_test_stall(robo_client *client, robo_time least, robo_time most);

/* Any link, also one to another process: it is lost at once, as if its cable were cut. Reconnecting begins, if that was asked
 * for. */
int robo_test_lose(robo_client *client);

/* cdef } */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
