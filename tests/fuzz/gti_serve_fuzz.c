/* Any bytes to a server's connection of the Golog-Tekkotsu interface, in the format that the first byte tells and in pieces
 * whose sizes the input chooses; a script answers some questions at once, some late and some never. Then time goes on. */
#include "gti/serve.h"
#include "net/inbox.h"
#include "net/loopback.h"
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

static void deliver(struct robo__loopback *loopback, const uint8_t *bytes, size_t n, robo_time now)
{
    (void)loopback, (void)bytes, (void)n, (void)now;
}

static void lost(struct robo__loopback *loopback)
{
    (void)loopback;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    if (n == 0)
        return 0;
    robo_world *world = open_sim_world(500000000);
    struct robo__host host;
    struct robo__loopback *loopback;
    struct robo__url url = robo__url_local(&robo__gti);
    for (size_t i = 0; i < 3; i++) /* big, packed, radians */
        url.option[i] = in[0] >> i & 1;
    in++, n--;
    robo__host_init(&host, world, NULL);
    inbox = robo__inbox_open(&host, on_question, NULL);
    if (inbox)
        robo__host_use_inbox(&host, inbox);
    if (inbox && robo__loopback_open(&host, &url, NULL, &loopback) == 0) {
        loopback->deliver = deliver;
        loopback->lost = lost;
        while (n > 0) {
            size_t piece = 1 + in[0] % 97;
            in++, n--;
            if (piece > n)
                piece = n;
            robo__loopback_send(loopback, in, piece);
            in += piece;
            n -= piece;
            robo_advance(world, robo_now(world) + 1000000);
        }
        robo_advance(world, robo_now(world) + 1000000000);
        robo__loopback_close(loopback);
    }
    if (inbox)
        robo__inbox_close(inbox);
    robo__host_free(&host);
    robo_close(world);
    return 0;
}
