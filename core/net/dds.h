/* Domains of DDS (robotalk/dds.h), for addresses dds://DOMAIN[/PARTITION]. */
#pragma once

#include "loop.h"
#include "socket.h"
#include "url.h"
#include "robotalk/dds.h"

/* The options of these addresses, in the order of their table; the protocol's row has one more, its own, before them. */
enum {
    ROBO__DDS_MULTICAST = 1,
    ROBO__DDS_UNSECURED,
    ROBO__DDS_PEER,
    ROBO__DDS_INTERFACE,
    ROBO__DDS_SECURITY,
    ROBO__DDS_MORE /* from here on the row's own, too */
};
/* clang-format off */
#define ROBO__DDS_OPTIONS \
    { "multicast", ROBO_SCHEME_FLAG, 0, 0, 0, "processes find each other by multicast, too; else by peer alone" }, \
    { "unsecured", ROBO_SCHEME_FLAG, 0, 0, 0, "other machines may come in without certificates" }, \
    { "peer", ROBO_SCHEME_TEXT, 0, 0, 0, "another machine of the domain; several times for several. None: this machine alone" }, \
    { "interface", ROBO_SCHEME_TEXT, 0, 0, 0, "the network interface, by name or address. None: the system's choice" }, \
    { "security", ROBO_SCHEME_TEXT, 0, 0, 0, "the folder with certificates and permissions that `robotalk keys dds` makes" }
/* clang-format on */
/* Their values: texts by slot of url->text. */
enum { ROBO__DDS_TEXT_PEER, ROBO__DDS_TEXT_INTERFACE, ROBO__DDS_TEXT_SECURITY };

/* Whether only this machine is in the domain. */
bool robo__dds_is_local(const struct robo__url *url);

/* An address of DDS that names no robot: what is behind the domain is its partition. ROBO_EURL with a message in why: it is too long. Others stay. */
int robo__dds_site(struct robo__url *url, char why[256]);

/* As robo_dds_open, with an address that was read. */
robo_dds *robo__dds_open(robo_loop *loop, const struct robo__url *url, int *error, char why[256]);

/* The partition of the address. */
const char *robo__dds_partition(const robo_dds *dds);

/* enum robo_role that this process may have in the domain. */
uint8_t robo__dds_role(const robo_dds *dds);
/* The greatest role of a client by the partition that its writer has: permissions allow it. 0: it has gone. */
uint8_t robo__dds_writer_role(const robo_dds_reader *reader, uint64_t writer);

/* Reads the wall clock, and lets CycloneDDS go on when that was set back: its threads wait for instants of it. By how much it is ahead of the
 * world's clock. Any thread; called whenever something is written or taken, and by servers each 0.1 s. */
robo_time robo__dds_wall(robo_dds *dds);

/* The name of this machine, for people. */
void robo__dds_host(char name[64]);

/* The robots of a domain, each with the number of its server (spec/dds.md). */
extern const struct robo_dds_topic robo__dds_robots;

/* The server of a robot in the domain, by its number: within `timeout`. ROBO_EADDRESS: there is none; ROBO_EURL; ROBO_ESYSTEM, with a message in
 * why. Blocks. */
int robo__dds_find(const struct robo__url *url, robo_time timeout, uint8_t server[ROBO_DDS_KEY],
                   char why[256]);

struct robo__listener;
struct robo__dds_channel;
/* The domain that is listened to, and the number of this server there. */
robo_dds *robo__dds_of(const struct robo__listener *listener, uint8_t server[ROBO_DDS_KEY]);
/* Which process a channel comes from; the greatest role of its client. */
uint8_t robo__dds_origin(const struct robo__dds_channel *channel, uint8_t origin[ROBO__ORIGIN]);
