/* May change without notice between versions. */
/* Functions for tests of robotalk: injected failures on a program's own links, and bad links to other processes. A program that drives robots includes robotalk.h alone. Links that are bad from
 * the start are struct robo_channel there; robo_advance moves a virtual clock. */
#pragma once

#include <sys/types.h>

#include "robotalk.h"

ROBO_API_BEGIN

/* ---- links ----
 *
 * Of clients within this process ("local:"). Functions return 0, or ROBO_EINVAL for a link to another process and ROBO_ELINK for
 * one that is down. */

/* 1: the link is half open from now on: all bytes vanish, on both ways, and neither side is notified. 0: bytes that
 * are sent from now on arrive. */
int robo_test_cut(robo_client *client, int cut);

/* From now on the server waits so long, by chance, before it reads a package. */
int robo_test_stall(robo_client *client, robo_time least, robo_time most);

/* Any link, also one to another process: it is lost at once, as if its cable were cut. Reconnecting begins, if that was asked
 * for. */
int robo_test_lose(robo_client *client);

/* ---- bad links to other processes ----
 *
 * A relay passes the bytes of TCP connections on, each way as a bad link would: it listens at a port of 127.0.0.1 and connects to
 * another. Bytes go in segments of at most 1448. Each is under way for `delay`, and by chance up to `jitter` longer; none overtakes
 * another. A lost one comes when TCP would have sent it again: when three more were sent the same way, one round trip later, else after
 * `again`, which doubles each time that it is lost again. What was sent after it waits for it. So loss is seen as delay, as programs
 * over TCP see it; that TCP also sends less for a while, and losses of acknowledgements, are left out. */

/* Times in ns, each way. */
struct robo_test_lag {
    size_t size;             /* sizeof(struct robo_test_lag) */
    robo_time delay, jitter; /* 0 to 10 s */
    double loss;             /* share of the segments, 0 to 0.9 */
    robo_time again;         /* 0: 0.2 s, the least that Linux waits */
    double rate;             /* bytes a second; 0: any */
    size_t window;           /* bytes that may be under way; 0: 256 KiB */
    uint64_t seed;
};

typedef struct robo_test_relay robo_test_relay;

/* Bytes so far, each way. */
struct robo_test_relayed {
    uint64_t connections, bytes, segments, lost;
};

/* For connections to that port of 127.0.0.1; 16 at a time. A thread of its own passes them on. 0; ROBO_EINVAL: a lag without a size, or
 * that cannot be; ROBO_ENOMEM; ROBO_ESYSTEM. */
int robo_test_relay_open(uint16_t to, const struct robo_test_lag *lag, robo_test_relay **relay);
uint16_t robo_test_relay_port(const robo_test_relay *relay); /* where it listens */
void robo_test_relay_count(const robo_test_relay *relay, struct robo_test_relayed *relayed);
/* Its connections are lost, with their bytes under way; it goes on to take new ones. Any thread. */
void robo_test_relay_cut(robo_test_relay *relay);
void robo_test_relay_close(robo_test_relay *relay); /* its connections with it; NULL is let be */

/* ---- many machines ----
 *
 * A local network within this process: each machine is a network namespace with the interface eth0, a tap device, and programs that run
 * there. The Ethernet between them floods broadcasts and multicasts. A frame is under way for `delay`, and by
 * chance up to `jitter` longer; none overtakes another on its way to a machine. A share `loss` of the frames never arrives, and those
 * that find `window` bytes (0: 1 MiB) on their way to a machine do not either. All ends with this process, also by SIGKILL. One thread calls these functions. */

enum { ROBO_TEST_MACHINES = 64 };

typedef struct robo_test_lan robo_test_lan;

/* Frames that machines have sent; copies that were lost, and that a cut held back. */
struct robo_test_lan_counts {
    uint64_t frames, lost, cut;
};

/* 0; ROBO_EINVAL, ROBO_ENOMEM, ROBO_ESYSTEM as robo_test_relay_open. */
int robo_test_lan_open(const struct robo_test_lag *lag, robo_test_lan **lan);
/* Makes machine N, 0 to 63, with the address 10.35.0.N+1, in group 0. It knows those of all others. ROBO_EINVAL; ROBO_EEXISTS: it is there;
 * ROBO_EROLE: the process lacks CAP_SYS_ADMIN or CAP_NET_ADMIN, or may not open /dev/net/tun; ROBO_EDEVICE: there is no /dev/net/tun;
 * ROBO_ESYSTEM. Of the last three errno says more. */
int robo_test_lan_plug(robo_test_lan *lan, unsigned machine);
/* Its programs are killed and its cable is drawn first, so that the others see nothing of its end. */
void robo_test_lan_unplug(robo_test_lan *lan, unsigned machine);
/* A program on a machine, whose output goes to `out`. Its number; ROBO_EINVAL, ROBO_ESYSTEM. One that cannot be started ends with
 * status 127. It is killed when the calling thread ends. */
int robo_test_lan_run(robo_test_lan *lan, unsigned machine, char *const argv[], int out);
/* 0 asks only. ROBO_ENONE: the program has ended. */
int robo_test_lan_signal(int process, int number);
/* From now on frames pass only between machines of the same group; all are of 0 at first. */
void robo_test_lan_group(robo_test_lan *lan, unsigned machine, unsigned group);
void robo_test_lan_count(const robo_test_lan *lan, struct robo_test_lan_counts *counts);
void robo_test_lan_close(robo_test_lan *lan); /* its machines with it; NULL is let be */

ROBO_API_END
