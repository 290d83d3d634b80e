/* The queue of a client of a Player server: which messages are of the batch that it has asked for. */

#include "../test.h"
#include "player/queue.h"

static struct robo__budget budget = { .total = 1 << 20 };

static void put(struct robo__player_queue *queue, unsigned index)
{
    struct robo__player_header h = {
        .interf = ROBO__PLAYER_SONAR, .index = index, .type = ROBO__PLAYER_DATA, .subtype = 1
    };
    assert_true(robo__player_queue_put(queue, &h, "", &(struct robo__player_body){ 0 }));
}

/* The index of the next message, which is sent; -1: none may go. */
static int send_next(struct robo__player_queue *queue)
{
    const struct robo__player_message *message = robo__player_queue_next(queue);
    const int index = message ? message->header.index : -1;
    if (message)
        robo__player_queue_sent(queue);
    return index;
}

TEST(what_replaces_data_of_a_batch_is_of_the_next_one)
{
    struct robo__player_queue queue;
    uint32_t dropped;
    robo__player_queue_open(&queue, &budget);
    robo__player_queue_mode(&queue, true);
    assert_true(
        robo__player_queue_rule(&queue, (const double[]){ -1, -1, -1, -1, ROBO__PLAYER_REPLACE }));
    for (unsigned i = 0; i < 3; i++)
        put(&queue, i);
    robo__player_queue_ask(&queue);
    assert_int_equal(send_next(&queue), 0);
    put(&queue, 1); /* the one that waits goes: of the batch the last is left */
    assert_int_equal(send_next(&queue), 2);
    assert_int_equal(send_next(&queue), -1);
    assert_true(robo__player_queue_synch(&queue, &dropped));
    assert_int_equal(dropped, 0);
    put(&queue, 0);
    robo__player_queue_ask(&queue);
    assert_int_equal(send_next(&queue), 1);
    put(&queue, 2); /* it is not of the batch, and replaces nothing of it */
    put(&queue, 2);
    assert_int_equal(send_next(&queue), 0);
    assert_int_equal(send_next(&queue), -1);
    robo__player_queue_close(&queue);
    assert_int_equal(atomic_load(&budget.used), 0);
}
