/* Properties of a description that several parts of the runtime need. Pure: all functions read the description alone. */
#pragma once

#include <stdbool.h>

#include "robotalk/messages.h"
#include "robotalk/kinematics.h"
#include "robotalk/records.h"

enum { ROBO__PLANNABLE = 10 }; /* dofs that the bus order `planned` can be asked for */

enum { ROBO__SECTIONS = 8 };
extern const struct robo_section
    robo__sections[ROBO__SECTIONS + 1]; /* ended by one without a noun */

static inline uint16_t *robo__section_count(struct robo_description *d,
                                            const struct robo_section *s)
{
    return (uint16_t *)(void *)((char *)d + s->count);
}
static inline unsigned robo__section_has(const struct robo_description *d,
                                         const struct robo_section *s)
{
    return *(const uint16_t *)(const void *)((const char *)d + s->count);
}
static inline void *robo__section_record(const struct robo_description *d,
                                         const struct robo_section *s, size_t number)
{
    return *(char *const *)(const void *)((const char *)d + s->first) + number * s->size;
}

/* Bytes that its records take, and such a room from now on, of zeros as a rule, in place of where they were. */
size_t robo__description_room(const struct robo_description *description);
void robo__description_move(struct robo_description *description, void *room);
/* *to says the same, in a room of so many bytes. */
void robo__description_copy(struct robo_description *to, const struct robo_description *from,
                            void *room);

/* Whether the numbers of its records are within their bounds, and none is missing: 0, or ROBO_EINVAL and the fault; why
 * may be NULL. */
int robo__description_count(const struct robo_description *description, char why[128]);

/* Whether its bus is valid: 0, or ROBO_EINVAL and the fault; why may be NULL. */
int robo__bus_check(const struct robo_description *description, char why[128]);

/* The least that a robot needs of its description, also without a geometry, so that drivers never follow nonsense:
 * devices for its joints, dofs in a row, times that can be added. 0 or ROBO_EINVAL. */
int robo__description_runs(const struct robo_description *description);

/* The link of the first root: joint 0 is its joint in all descriptions that pass robo_description_check. */
enum { ROBO__ROOT_LINK = 0 };

/* Whether the robot's root is moved by dofs: then go_to and set_speed are commands to control frame 0. */
bool robo__root_has_dofs(const struct robo_description *description);

/* The pose of the reference of the first root in the world. */
void robo__reference_of(const struct robo_description *description, struct robo_pose *pose);

/* A place in the world (m, and roll, pitch, yaw) as that reference sees it. */
void robo__to_reference(const struct robo_description *description, const double position[3],
                        const double attitude[3], struct robo_pose *pose);
