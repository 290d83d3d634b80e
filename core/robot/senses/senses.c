/* The senses of a robot: its readings and its cameras come and go together. */
#include "senses.h"

void robo__senses_open(struct robo__senses *senses)
{
    robo__readings_open(senses);
}

void robo__senses_close(struct robo__senses *senses)
{
    robo__cameras_free(senses);
    robo__readings_close(senses);
}

int robo__senses_attach(struct robo__senses *senses, robo_body *body,
                        robo_device *const device[ROBO_MAX_DEVICES])
{
    const int error = robo__readings_attach(senses, device);
    return error < 0 ? error : robo__cameras_attach(senses, body, device);
}

void robo__senses_detach(struct robo__senses *senses)
{
    robo__readings_detach(senses);
    robo__cameras_detach(senses);
}
