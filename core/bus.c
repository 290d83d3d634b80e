/* A robot's bus. */
#include "robotalk.h"

void robo_post_unsent(robo_device *device, unsigned joint, unsigned dof)
{
    (void)device;
    (void)joint;
    (void)dof;
}
