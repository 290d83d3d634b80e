/* The round trip of a direct command at a server with twenty scripts, of which one computes without end and one takes memory
 * without end, beside one without scripts. While the one is measured, the other is stopped. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

enum { SCRIPTS = 20, TURNS = 20, TRIPS = 500, PATIENCE = 100 };

static const char spins[] = "while true do end\n";
/* it drops what it has before it is ended for it, and begins anew */
static const char takes[] =
    "while true do\n  local t = {}\n  for i = 1, 4e6 do t[i] = { i } end\nend\n";
static const char waits[] = "local rt = require \"robotalk\"\nlocal robot <close> = rt.connect()\n"
                            "while true do robot:state() rt.sleep(0.1) end\n";

struct served {
    char folder[32];
    pid_t program;
    robo_world *world;
    robo_client *client;
    uint32_t session;
};

static void write_file(const struct served *s, const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        perror(path);
}

static void write_configuration(const struct served *s, bool has_scripts)
{
    char text[8192];
    int n = snprintf(text, sizeof text, "return { listen = { \"unix:%s/socket\" }, scripts = {\n",
                     s->folder);
    for (int i = 0; i < SCRIPTS && has_scripts; i++)
        n += snprintf(
            text + n, sizeof text - (size_t)n,
            "{ file = \"%s.lua\", name = \"s%d\", seconds = 100000, memory = 1024, restart = \"always\" },\n",
            i == 0   ? "spins"
            : i == 1 ? "takes"
                     : "waits",
            i);
    snprintf(text + n, sizeof text - (size_t)n, "} }\n");
    write_file(s, "spins.lua", spins);
    write_file(s, "takes.lua", takes);
    write_file(s, "waits.lua", waits);
    write_file(s, "house.lua", text);
}

/* A server with a client of it; false: it does not run here. */
static bool serve(struct served *s, const char *program, bool has_scripts)
{
    char config[64], address[64], why[256];
    int error;
    strcpy(s->folder, "/tmp/robotalk-bench-XXXXXX");
    if (!mkdtemp(s->folder))
        return false;
    write_configuration(s, has_scripts);
    snprintf(config, sizeof config, "%s/house.lua", s->folder);
    snprintf(address, sizeof address, "unix:%s/socket", s->folder);
    char *const argv[] = { (char *)program, "serve", config, NULL };
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    error = posix_spawn(&s->program, program, &quiet, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (error)
        return false;
    s->world = robo_open(&(struct robo_options){ .size = sizeof(struct robo_options) });
    for (int i = 0; s->world && !s->client && i < PATIENCE; i++) {
        usleep(100000);
        s->client = robo_connect(s->world, address, 5000000000, &error, why);
    }
    int64_t session = s->client ? robo_session(s->client, NULL, 5000000000) : 0;
    s->session = session > 0 ? (uint32_t)session : 0;
    return session > 0;
}

static void end(struct served *s)
{
    robo_disconnect(s->client);
    robo_close(s->world);
    if (s->program > 0) {
        kill(s->program, SIGCONT);
        kill(s->program, SIGKILL);
        waitpid(s->program, NULL, 0);
    }
    static const char *const files[] = { "spins.lua", "takes.lua", "waits.lua", "house.lua",
                                         "socket" };
    for (size_t i = 0; s->folder[0] && i < sizeof files / sizeof *files; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", s->folder, files[i]);
        unlink(path);
    }
    rmdir(s->folder);
}

static void measure(const struct served *s, struct samples *samples)
{
    kill(s->program, SIGCONT);
    usleep(20000);
    direct_rounds(s->client, s->session, samples, TRIPS);
    kill(s->program, SIGSTOP);
}

void bench_scripts(reporter *report)
{
    char path[512];
    if (!program_beside(path))
        return;
    struct served with = { 0 }, without = { 0 };
    struct trial t = { 0 };
    if (serve(&with, path, true) && serve(&without, path, false)) {
        kill(with.program, SIGSTOP);
        kill(without.program, SIGSTOP);
        measure(&with, &t.ours);
        measure(&without, &t.limit);
        t.ours.count = t.limit.count = 0; /* warm now */
        for (int i = 0; i < TURNS; i++) {
            measure(&with, &t.ours);
            measure(&without, &t.limit);
            trial_block(&t);
        }
        struct row row = { .name = "scripts",
                           .what = "direct round trip with 20 scripts; without",
                           .unit = "us",
                           .goal = 1.2,
                           .of = "p50" };
        trial_report(&t, &row, report);
        trial_free(&t);
    } else {
        fprintf(stderr, "robotalk-bench: scripts: a server cannot be started\n");
    }
    end(&with);
    end(&without);
}
