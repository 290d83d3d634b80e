/* A server in a domain of DDS: its robots are known there, their states and leases are published, and panics of the domain act on them. On the thread of
 * its loop. spec/dds.md has the topics. */
#pragma once

#include "net/listener.h"

int robo__fleet_serve(struct robo__listener *listener, char why[256]);
void robo__fleet_unserve(struct robo__listener *listener);
