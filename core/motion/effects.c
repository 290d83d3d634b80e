/* The list of effects. */
#include "effects.h"

/* The next place of the list. As a rule a step has no more effects than there are places; a longer one carries some out. */
static struct robo__effect *add(struct robo__effects *e)
{
    if (e->count == ROBO__EFFECTS)
        e->carry_out(e);
    return &e->list[e->count++];
}

void robo__effect_end(struct robo__effects *e, robo_ticket ticket, enum robo_signal signal,
                      enum robo_reason reason)
{
    struct robo__effect *one = add(e);
    one->kind = ROBO__EFFECT_END;
    one->ticket = ticket;
    one->signal = signal;
    one->reason = reason;
}

void robo__effect_halt(struct robo__effects *e, unsigned device)
{
    struct robo__effect *one = add(e);
    one->device = (uint8_t)device;
    one->kind = ROBO__EFFECT_HALT;
}

void robo__effect_start(struct robo__effects *e, unsigned device, const struct robo_cmd *cmd,
                        robo_ticket ticket)
{
    struct robo__effect *one = add(e);
    one->device = (uint8_t)device;
    one->kind = ROBO__EFFECT_START;
    one->ticket = ticket;
    one->cmd = *cmd;
}
