/* Drivers of shared objects. */
#include "plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "robot/world/world.h"

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
    if (robo__driver_take(&plugin->table, table) < 0)
        return refuse(plugin, why, file, "its table has no size, or lacks a function");
    return 0;
}

void robo__plugin_close(struct robo__plugin *plugin)
{
    if (plugin->object)
        dlclose(plugin->object);
    plugin->object = NULL;
}
