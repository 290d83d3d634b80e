/* Drivers of shared objects. */
#pragma once

#include "robotalk.h"
#include "robotalk/records.h"

/* A shared object that is open as long as a device needs it: the system counts. */
struct robo__plugin {
    void *object; /* NULL: none */
    robo_driver table;
};

/* Opens the shared object that a binding names, and takes its table. ROBO_EDEVICE, and why; then nothing is open. */
int robo__plugin_open(struct robo__plugin *plugin, const struct robo_binding *binding,
                      char why[256]);
void robo__plugin_close(struct robo__plugin *plugin);
