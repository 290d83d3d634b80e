/* The round trip of a direct command at a server with twenty scripts, of which one computes without end and one takes memory
 * without end, beside one without scripts. While the one is measured, the other is stopped. */
#include <stdio.h>
#include <unistd.h>

#include "bench.h"

enum { SCRIPTS = 20, TURNS = 20, TRIPS = 500 };

static const char spins[] = "while true do end\n";
/* it drops what it has before it is ended for it, and begins anew */
static const char takes[] =
    "while true do\n  local t = {}\n  for i = 1, 4e6 do t[i] = { i } end\nend\n";
static const char waits[] = "local rt = require \"robotalk\"\nlocal robot <close> = rt.connect()\n"
                            "while true do robot:state() rt.sleep(0.1) end\n";

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
static bool serve(struct served *s, bool has_scripts)
{
    char config[64];
    if (!served_folder(s))
        return false;
    write_configuration(s, has_scripts);
    snprintf(config, sizeof config, "%s/house.lua", s->folder);
    return served_start(s, (char *const[]){ "robotalk", "serve", config, NULL });
}

static void measure(const struct served *s, struct samples *samples)
{
    served_continue(s);
    usleep(20000);
    direct_rounds(s->client, s->session, samples, TRIPS);
    served_pause(s);
}

void bench_scripts(reporter *report)
{
    struct served with = { 0 }, without = { 0 };
    struct trial t = { 0 };
    if (serve(&with, true) && serve(&without, false)) {
        served_pause(&with);
        served_pause(&without);
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
    served_end(&with);
    served_end(&without);
}
