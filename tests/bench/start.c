/* How long the program takes to start: --help, and an empty script, beside Lua's own interpreter, which does nothing
 * either. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

enum { BLOCKS = 8, STARTS = 25 };

/* Milliseconds of one start and end; 0: it does not run here. */
static double start_ms(char *const *argv)
{
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int status = -1;
    robo_time begin = now_ns();
    int error = posix_spawnp(&child, argv[0], &quiet, NULL, argv, environ);
    if (!error)
        waitpid(child, &status, 0);
    posix_spawn_file_actions_destroy(&quiet);
    return !error && status == 0 ? (double)(now_ns() - begin) / 1e6 : 0;
}

static void measure(reporter *report, const char *what, double goal, char *const *ours)
{
    char *const lua[] = { "lua5.4", "-e", "", NULL };
    struct trial t = { 0 };
    if (start_ms(ours) == 0 || start_ms(lua) == 0) {
        fprintf(stderr, "robotalk-bench: start: robotalk or lua5.4 is not here\n");
        return;
    }
    for (int i = 0; i < BLOCKS; i++) {
        for (int k = 0; k < STARTS; k++) {
            samples_add(&t.ours, start_ms(ours));
            samples_add(&t.limit, start_ms(lua));
        }
        trial_block(&t);
    }
    struct row row = { .name = "start", .what = what, .unit = "ms", .goal = goal, .of = "min" };
    trial_report(&t, &row, report);
    trial_free(&t);
}

void bench_start(reporter *report)
{
    char path[512];
    if (!program_beside(path))
        return;
    char *const help[] = { path, "--help", NULL }, *const empty[] = { path, "run", "/dev/null",
                                                                      NULL };
    measure(report, "start: --help; lua5.4 -e ''", 2, help);
    measure(report, "start: run of an empty script; lua5.4 -e ''", 10, empty);
}
