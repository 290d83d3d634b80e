/* A robot's description and body as tests look at them: between what else they do, and not beyond the next few reloads. */
#pragma once

#include "base/readers.h"
#include "robot/reports.h"

static inline robo_body *described_body(const robo_robot *of)
{
    robo__reading_begin();
    robo_body *is = robo__robot_body(of);
    robo__reading_end();
    return is;
}

static inline const struct robo_description *described(const robo_robot *of)
{
    return robo_body_description(described_body(of));
}
