/* The drivers of a world. */
#include <string.h>

#include "inside.h"
#include "robotalk/host.h"

int robo_add_driver(robo_world *world, const robo_driver *driver)
{
    robo_driver table;
    if (robo__driver_take(&table, driver) < 0)
        return ROBO_EINVAL;
    int error = ROBO_ELIMIT;
    pthread_mutex_lock(&world->lock);
    for (size_t i = 0; i < ROBO__MOST_DRIVERS; i++) {
        struct robo__driver_entry *place = &world->driver[i];
        if (!place->given) {
            *place = (struct robo__driver_entry){ .given = driver, .table = table };
            error = 0;
            break;
        }
        if (strcmp(place->table.name, table.name) == 0) {
            error = place->given == driver ? 0 : ROBO_EEXISTS;
            break;
        }
    }
    pthread_mutex_unlock(&world->lock);
    return error;
}

const robo_driver *robo_find_driver(robo_world *world, const char *name)
{
    const robo_driver *found = NULL;
    pthread_mutex_lock(&world->lock);
    for (size_t i = 0; i < ROBO__MOST_DRIVERS && world->driver[i].given && !found; i++)
        if (strcmp(world->driver[i].table.name, name) == 0)
            found = &world->driver[i].table;
    pthread_mutex_unlock(&world->lock);
    return found;
}
