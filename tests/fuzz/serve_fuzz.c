/* Any bytes to a server's connection; of every other input the program answers what it is asked. */
#include <string.h>

#include "net/inbox.h"
#include "robotalk/server.h"
#include "server_feed.h"
#include "sim_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

static void arrived(struct robo__question *question, void *owner)
{
    (void)owner;
    const double values[] = { question->number % 3, 1, 2, 3, 4 };
    const size_t count = strcmp(question->action, "script") == 0   ? 5
                         : strcmp(question->action, "reload") == 0 ? 3
                                                                   : 1;
    strcpy(question->text, "patrol\nfailed\nnever\npatrol.lua\noh");
    robo__inbox_answer(question, question->number % 7 != 0, values, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    robo__host_init(&host, world, NULL);
    struct robo__inbox *inbox = n > 0 && in[0] % 2 ? robo__inbox_open(&host, arrived, NULL) : NULL;
    robo__host_use_inbox(&host, inbox);
    feed_server(&host, &(struct robo__url){ .protocol = &robo__robotalk }, in, n);
    if (inbox)
        robo__inbox_close(inbox);
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
