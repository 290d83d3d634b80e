/* What the benchmarks share: numbers, a world with a server, and the limit that the network ones are held
 * against: a bare epoll echo. Each benchmark measures its limit in the same run, in turns with itself. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "limits.h"
#include "robotalk.h"
#include "robotalk/messages.h"
#include "net/server.h"

/* Samples in nanoseconds. */
struct samples {
    double *value;
    size_t count, size;
};

void samples_add(struct samples *s, double ns);
double samples_quantile(struct samples *s, double q); /* sorts; 0 when empty */
void samples_free(struct samples *s);

/* One row of the report. */
struct row {
    const char *name, *what, *unit;
    double ours[3], limit[3]; /* p50, p99, p99.9 */
    /* reached: ratio <= goal, or >= when more is better; and none lost. NAN: not measured */
    double ratio, goal;
    const char *of; /* which quantile the ratio is of: "p50", "min", … */
    bool more_is_better;
    double least, most; /* the blocks' ratios; 0: it was one block */
    size_t blocks, samples;
    long lost; /* of ours, that had no end */
};

typedef void reporter(const struct row *row);
double ratio_of(double ours, double limit); /* NAN when either was not measured, which is then 0 */
void row_fill(struct row *row, struct samples *ours, struct samples *limit);
/* Fills it, with the ratio of the quantile that `of` names, reports it and frees the samples. */
void row_report(struct row *row, reporter *report, struct samples *ours, struct samples *limit);

/* Ours and the limit in turns, a block of each. The ratio of a row is the median of the blocks' ratios: what disturbs one
 * of them decides nothing. */
enum { BLOCKS_MOST = 64 };
struct trial {
    struct samples ours, limit;
    size_t blocks, end[BLOCKS_MOST][2]; /* where each ends, in both */
    long lost;
};

void trial_block(struct trial *trial); /* both have had theirs */
void trial_report(struct trial *trial, struct row *row, reporter *report); /* by row->of */
void trial_free(struct trial *trial);

/* The path of the program robotalk in the folder of this one; false: it is not known. */
bool program_beside(char path[512]);

void bench_start(reporter *report);
void bench_crowd(reporter *report);
void bench_direct(reporter *report);
void bench_frame(reporter *report);
void bench_rctp(reporter *report);
void bench_player(reporter *report);
void bench_gamebots(reporter *report);
void bench_lateness(reporter *report);
void bench_robots(reporter *report);
void bench_panic(reporter *report);
void bench_neighbour(reporter *report);
void bench_queue(reporter *report);
void bench_pipeline(reporter *report);
void bench_kinematics(reporter *report);
void bench_ordering(reporter *report);
void bench_steady(reporter *report);
void bench_tls(reporter *report);
void bench_scripts(reporter *report);
void bench_readings(reporter *report);
void bench_record(reporter *report);
void bench_websocket(reporter *report);
void bench_pictures(reporter *report);
void bench_ffi(reporter *report);
void bench_python(reporter *report);
void bench_rcml(reporter *report);
void bench_network(reporter *report);
void bench_slow(reporter *report);
void bench_physics(reporter *report);
void bench_cameras(reporter *report);
void bench_world(reporter *report);
void bench_servos(reporter *report);

/* ---- a world with a server on a thread of its own, and a robot with a base and joints of one dof each ---- */

enum { STAGE_JOINTS = 10 };

struct fixture {
    robo_world *world;
    robo_robot *robot, *other; /* a robot has 512 sessions at most */
    robo_loop *loop;
    robo_server *server, *more[8]; /* at further addresses, by fixture_listen */
    char url[512];
    uint16_t port;
    pthread_t thread;
    int cpu;                  /* of the server's thread; -1: any */
    _Atomic robo_time halted; /* when the driver was halted last */
    void (*on_read)(void);    /* called when the driver's state is read; NULL: nothing */
};

void fixture_open(struct fixture *fixture, int cpu, bool spin);
/* The same at another address than robotalk://127.0.0.1:0; clients add those options to it. */
void stage_open_at(struct fixture *fixture, int cpu, bool spin, const char *address,
                   const char *options);
uint16_t fixture_listen(struct fixture *fixture, const char *address); /* there, too: its port */
void fixture_add(struct fixture *fixture, const char *name); /* one more robot, of the same kind */
void fixture_close(struct fixture *fixture);
robo_client *fixture_client(struct fixture *fixture, uint32_t *session);
robo_client *fixture_client_at(struct fixture *fixture, const char *url, uint32_t *session);
/* ---- a server that is a process of its own ---- */

/* The program robotalk, with a client and a session at its robot. All 0 at first; served_end takes it as far as it came. */
struct served {
    char folder[32]; /* its own, with its files, none of which is a folder */
    pid_t program;
    robo_world *world; /* the client's */
    robo_client *client;
    uint32_t session;
};

bool served_folder(struct served *s);
/* Starts the program with that command line, by which it listens at the socket `socket` in the folder; false: it does not run here. */
bool served_start(struct served *s, char *const argv[]);
void served_pause(const struct served *s); /* no thread of it runs until it continues */
void served_continue(const struct served *s);
void served_end(struct served *s);

/* Round trips of a direct command. */
void direct_rounds(robo_client *c, uint32_t session, struct samples *s, int rounds);
/* A client of Gamebots that has that robot; answers to it, or by an echo, for so many ns. */
int gamebots_take(uint16_t port, const char *robot);
void gamebots_ask(int fd, bool echoes, struct samples *s, robo_time span);
/* A client of Player; its velocities, each with a request that is answered. */
int player_join(uint16_t port);
void player_rounds(int fd, struct samples *s, int rounds);
/* A robot "eye" with a camera of 1280 x 720 pixels, as fast as it is asked. */
bool eye_add(struct fixture *fixture, robo_robot **robot);
struct robo_package;
void add_hello(struct robo_package *p); /* as query 1 of who writes its own packages */

/* ---- the limit of a camera to clients ---- */

/* libjpeg-turbo in this thread, while others send what it makes to so many connections, and read it there: pictures a second that
 * went to all of them, for so long; 0: it could not. Writes a number into the pixels. */
double bare_pictures(unsigned char *pixels, unsigned width, unsigned height, int quality,
                     unsigned connections, robo_time span);

/* ---- the limit of what is to happen at an instant ---- */

/* A thread with the priority and slack of those that run a robot's frames, asleep until each instant; samples in us. */
struct sleeper {
    robo_time begin, period;
    int count;
    struct samples *samples;
};

void *sleeper(void *sleeper);
/* One of them, from 10 ms on; waits for it. */
void sleep_late(robo_time period, int count, struct samples *samples);
/* Two threads that compute until the stop. */
void load_start(void);
void load_stop(void);

/* ---- the echo ---- */

struct echo {
    int listener, stop;
    uint16_t port;
    int cpu;
    size_t ask, answer;      /* bytes a round */
    _Atomic robo_time heard; /* when a round with a 'P' in front came in */
    pthread_t thread;
};

void echo_open(struct echo *echo, int cpu, size_t ask, size_t answer);
void echo_close(struct echo *echo);

robo_time now_ns(void);
void pin(int cpu); /* this thread; -1: any */
int connect_to(uint16_t port);

/* A thread that writes `bytes` again and again to `connections` sockets and reads what comes, until stopped. */
struct flood {
    pthread_t thread;
    uint16_t port;
    int connections, core; /* core: where its thread runs, plus 1; 0: anywhere */
    const uint8_t *bytes;
    size_t n;
    const uint8_t *first; /* sent once on each before; may be NULL */
    size_t first_n;
    const uint8_t *second; /* instead of it on each other one; may be NULL */
    size_t second_n;
    atomic_bool stop;
    atomic_int ready;
};

void flood_start(struct flood *flood);
void flood_stop(struct flood *flood);
