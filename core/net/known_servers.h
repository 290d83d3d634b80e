/* Servers whose keys this user knows: known_servers among the user's own files (user_files.h). A line is HOST:PORT HASH, the host as
 * the address has it, the hash that of the server's public key (tls.h); empty lines and those that begin with # mean nothing. A
 * server is recorded at its first connection; a server whose key has changed later is refused. */
#pragma once

#include "secret.h"
#include "url.h"

enum { ROBO__KNOWN_NAME = 272 };

/* HOST:PORT of an address. */
const char *robo__known_servers_name(const struct robo__url *url, char name[ROBO__KNOWN_NAME]);

/* The key of the server of that name in a text. 1; 0: it is not there; ROBO_EADDRESS: *line is wrong. */
int robo__known_servers_find(const char *text, size_t n, const char *name, uint8_t key[ROBO__HASH],
                             unsigned *line);

/* Looks up the known key of the server at url: 1; 0: it is not known; ROBO_E… with a message in
 * why. */
int robo__known_servers_look(const struct robo__url *url, uint8_t key[ROBO__HASH], char why[256]);

/* Records the key. ROBO_EADDRESS with a message in why. */
int robo__known_servers_add(const struct robo__url *url, const uint8_t key[ROBO__HASH],
                            char why[256]);
