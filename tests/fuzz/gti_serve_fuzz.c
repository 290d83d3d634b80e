/* Any bytes to a server's connection of the Golog-Tekkotsu interface, in the format that the first byte tells; a
 * script answers some questions at once, some late and some never. */
#include "gti/server.h"
#include "net/inbox.h"
#include "server_feed.h"
#include "sim_world.h"

static struct robo__inbox *inbox;
static uint64_t late;

static void answer(struct robo__question *question)
{
    double values[4] = { question->count > 0 ? question->value[0] : 1, 2, 3, 4 };
    robo__inbox_answer(question, question->number % 5 != 0, values, question->number % 5);
}

static void on_question(struct robo__question *question, void *owner)
{
    struct robo__question *before = robo__inbox_find(inbox, late);
    (void)owner;
    if (question->number % 7 == 0)
        return;
    if (question->number % 3 == 0) {
        late = question->number;
        question = before;
    }
    if (question)
        answer(question);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    if (n == 0)
        return 0;
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    struct robo__url url = robo__url_local(&robo__gti);
    for (size_t i = 0; i < 3; i++) /* big, packed, radians */
        url.option[i] = in[0] >> i & 1;
    in++, n--;
    robo__host_init(&host, world, NULL);
    inbox = robo__inbox_open(&host, on_question, NULL);
    if (inbox) {
        robo__host_use_inbox(&host, inbox);
        feed_server(&host, &url, in, n);
        robo__inbox_close(inbox);
    }
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
