/* Any bytes to a server's connection of Gamebots, behind an INIT, in a dialect that the first byte tells; with a bridge, when it says
 * so, whose script carries out what it understands, fails and ends by what it does not. */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "protocols.h"
#include "robotalk/bridge.h"
#include "server_feed.h"
#include "sim_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

struct script {
    robo_bridge *bridge;
    struct robo__timers *timers;
    struct robo__timer cycle;
};

static void on_wake(void *owner)
{
    (void)owner;
}

static void must(int good)
{
    if (!good)
        abort();
}

static void carry_out(struct script *script, const struct robo_bridge_view *view, const char *line,
                      size_t n)
{
    static struct robo_bridge_wish wish;
    static struct robo_bridge_group type, group[ROBO_BRIDGE_GROUPS];
    static char said[4096];
    size_t said_size;
    const int groups = robo_bridge_parse(line, n, &type, group);
    must(groups <= ROBO_BRIDGE_GROUPS);
    for (int i = 0; i < groups; i++)
        must(group[i].name >= line && group[i].name + group[i].name_size <= line + n);
    if (robo_bridge_mean(script->bridge, line, n, &wish, said, sizeof said, &said_size)) {
        must(wish.dofs <= ROBO_BRIDGE_DOFS && said_size <= sizeof said);
        robo_bridge_say(script->bridge, view->user, said, said_size);
        robo_bridge_hand_over(script->bridge, view->epoch, &wish);
    } else if (n % 7 == 0) {
        robo_bridge_fail(script->bridge, view->user, "it is one of seven");
    } else if (n % 31 == 0) {
        robo_bridge_quit(script->bridge, view->user);
    } else {
        robo_bridge_pass(script->bridge, view->user, line, n);
    }
}

static void on_cycle(struct robo__timer *timer, robo_time now)
{
    struct script *script = robo__container_of(timer, struct script, cycle);
    struct robo_bridge_view view;
    size_t n;
    robo_bridge_look(script->bridge, &view);
    for (const char *line; (line = robo_bridge_line(script->bridge, &n)) != NULL;)
        carry_out(script, &view, line, n);
    robo__timer_start(script->timers, timer, now + 10000000);
}

static void begin_script(struct script *script, struct robo__host *host)
{
    int error;
    *script = (struct script){ .timers = host->timers, .cycle = { .fire = on_cycle } };
    script->bridge = robo_bridge_open(host->world, "robot", 0, on_wake, NULL, &error);
    must(script->bridge != NULL);
    robo__timer_start(script->timers, &script->cycle, robo_now(host->world));
}

static void end_script(struct script *script)
{
    robo__timer_stop(script->timers, &script->cycle);
    robo_bridge_close(script->bridge);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static const char init[] = "\x60INIT {ClassName robot} {Name R1}\r\n";
    const size_t first = sizeof init - 1;
    if (n == 0)
        return 0;
    uint8_t *bytes = malloc(first + n);
    if (!bytes)
        return 0;
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    struct robo__url url = robo__url_local(&robo__gamebots);
    url.option[0] = in[0] & 1;      /* udk */
    url.option[2] = in[0] >> 1 & 1; /* strict */
    url.option[3] = in[0] >> 3 & 1; /* bridge */
    memcpy(bytes, init, first);
    memcpy(bytes + first, in + 1, n - 1);
    /* without an INIT that is known to work, too */
    const size_t skipped = in[0] & 4 ? first : 0;
    robo__host_init(&host, world, NULL);
    struct script script;
    const bool scripted = in[0] & 16;
    if (scripted)
        begin_script(&script, &host);
    feed_server(&host, &url, bytes + skipped, first + n - 1 - skipped);
    if (scripted)
        end_script(&script);
    robo__host_free(&host);
    robo_close(world);
    free(bytes);
    return 0;
}
