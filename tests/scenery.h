/* Room for the records of a description that a test writes: as many of each kind as it asks for. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "body/description.h"

struct room {
    size_t records; /* of each kind */
    uint64_t bytes[];
};

/* *d is this head from now on, with room for so many records of each kind, all zero; a room that it had and that is large
 * enough is used again. *d was zeros before the first time. A room stays until the program ends; it is not taken from malloc,
 * whose blocks are counted and may be refused. */
static inline void begin_description(struct robo_description *d, unsigned records,
                                     struct robo_description head)
{
    struct robo_description full = head;
    for (int i = 0; i < ROBO__SECTIONS; i++)
        *robo__section_count(&full, &robo__sections[i]) = (uint16_t)records;
    const size_t size = robo__description_room(&full);
    struct room *room = d->link ? (struct room *)(void *)((char *)d->link - sizeof *room) : NULL;
    if (!room || room->records < records) {
        room = mmap(NULL, sizeof *room + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0);
        if (room == MAP_FAILED)
            abort();
        room->records = records;
    }
    memset(room->bytes, 0, size);
    robo__description_move(&full, room->bytes);
    *d = full;
    for (int i = 0; i < ROBO__SECTIONS; i++)
        *robo__section_count(d, &robo__sections[i]) =
            (uint16_t)robo__section_has(&head, &robo__sections[i]);
}

/* *to says the same as *from, in a room of its own, with a place to spare for each kind. */
static inline void copy_description(struct robo_description *to,
                                    const struct robo_description *from)
{
    unsigned most = 0;
    for (int i = 0; i < ROBO__SECTIONS; i++)
        if (robo__section_has(from, &robo__sections[i]) > most)
            most = robo__section_has(from, &robo__sections[i]);
    begin_description(to, most + 1, *from);
    for (int i = 0; i < ROBO__SECTIONS; i++) {
        const struct robo_section *s = &robo__sections[i];
        if (robo__section_has(from, s) > 0)
            memcpy(robo__section_record(to, s, 0), robo__section_record(from, s, 0),
                   robo__section_has(from, s) * s->size);
    }
}
