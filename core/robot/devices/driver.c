/* The drivers of a world, and those of shared objects. */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "robot/world/inside.h"
#include "robotalk/host.h"

/* Takes over a host's table: ROBO_EINVAL when it has no size, or lacks what it must have. */
static int take(robo_driver *to, const robo_driver *from)
{
    if (!from || robo__sized_take(to, sizeof *to, from) < 0)
        return ROBO_EINVAL;
    bool whole =
        to->name && to->open && (to->start || to->send) && to->read && to->halt && to->close;
    return whole ? 0 : ROBO_EINVAL;
}

int robo_add_driver(robo_world *world, const robo_driver *driver)
{
    robo_driver table;
    if (take(&table, driver) < 0)
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

/* ---- shared objects ---- */

static const char *file_of(const struct robo_binding *binding)
{
    for (unsigned i = 0; i < binding->options; i++)
        if (strcmp(binding->option[i].name, "file") == 0 &&
            binding->option[i].type == ROBO_OPTION_TEXT)
            return binding->option[i].value.text;
    return "";
}

static int refuse(struct robo__plugin *plugin, char why[256], const char *file, const char *what)
{
    snprintf(why, 256, "%s: %s", file, what);
    robo__plugin_close(plugin);
    return ROBO_EDEVICE;
}

int robo__plugin_open(struct robo__plugin *plugin, const struct robo_binding *binding,
                      char why[256])
{
    typedef const robo_driver *entry_point(int version);
    const char *file = file_of(binding);
    *plugin = (struct robo__plugin){ 0 };
    if (!strchr(file, '/')) /* else the system would look for it in its own places */
        return refuse(plugin, why, file, "expected the path of a shared object, with a slash");
    plugin->object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!plugin->object)
        return refuse(plugin, why, file, dlerror());
    entry_point *entry = NULL;
    void *symbol = dlsym(plugin->object, "robo_driver_entry");
    memcpy(&entry, &symbol, sizeof entry);
    if (!entry)
        return refuse(plugin, why, file, "it has no robo_driver_entry, so it is no driver");
    const robo_driver *table = entry(ROBO_API_VERSION);
    if (!table)
        return refuse(plugin, why, file, "it was made for another version of robotalk.h");
    if (take(&plugin->table, table) < 0)
        return refuse(plugin, why, file, "its table has no size, or lacks a function");
    return 0;
}

void robo__plugin_close(struct robo__plugin *plugin)
{
    if (plugin->object)
        dlclose(plugin->object);
    plugin->object = NULL;
}
