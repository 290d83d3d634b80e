/* The legs of a body: the options of the device that moves them, where its feet stand, how fast it walks. Both simulators of
 * walking bodies read them here. */
#pragma once

#include "gait.h"

/* Whether an option is one of legs; for the `reads` of a driver that has options of its own beside them. */
bool robo__legs_reads(const struct robo_description *description, unsigned device,
                      const char *option);
/* For the reading of legs by such a driver, which has checked all options already: any may be there. */
bool robo__legs_any(const struct robo_description *description, unsigned device,
                    const char *option);

/* 0; ROBO_EINVAL and why: the options of the device are wrong. reads: as in struct robo__option_table, or NULL. */
int robo__legs_read(const struct robo_description *description, unsigned device,
                    bool (*reads)(const struct robo_description *description, unsigned device,
                                  const char *name),
                    struct robo__legs *legs, char why[128]);

/* Where the feet of the standing body are. False: with these legs, that gait cannot be. */
bool robo__legs_place(struct robo__legs *legs, const robo_model *model);

/* No faster than the legs are long and quick, along each axis for itself. */
void robo__legs_limit(const struct robo__legs *legs, struct robo__sim_base *base);
