/* The access list of an address. Each client in it has a name, a role, and the hash of a token or of a public key. The hash of a token
 * is kept and not the token, so that a reader of the file, or of a copy, cannot connect with it; a token has 256 bits of
 * chance, so that a plain hash is enough. A key is the client's, which TLS has it prove (tls.h).
 *
 * The file is text, a client a line: NAME ROLE token|key HASH, with blanks between them, or NAME ROLE page HASH UNTIL, a link by which a
 * browser may connect until that second of Unix time (protocols/web/links.h); HASH is SHA-256 in 64 hexadecimal digits. Empty lines and those that begin with # mean nothing. A name may occur in several lines. */
#pragma once

#include "secret.h"

struct robo__access_entry {
    char name[32];
    uint8_t role; /* enum robo_role */
    bool is_key, is_page;
    int64_t until; /* of a page: s of Unix time */
    uint8_t hash[ROBO__HASH];
};

struct robo__access_list {
    size_t count, room, keys,
        tokens; /* keys, tokens: how many of them are such; the others are links of pages */
    struct robo__access_entry *entry;
};

/* Adds one; false: no memory. Zeroed memory is an empty list. */
bool robo__access_list_add(struct robo__access_list *list, const struct robo__access_entry *entry);

/* Adds those of a text of n bytes. ROBO_EADDRESS: *line is the number of the line that is wrong, why says what was expected;
 * ROBO_ENOMEM. */
int robo__access_list_parse(struct robo__access_list *list, const char *text, size_t n,
                            unsigned *line, char why[256]);

/* Adds the clients of a file that only its owner may read. ROBO_E… with a message in why. */
int robo__access_list_read(struct robo__access_list *list, const char *file, char why[256]);

/* enum robo_role of the client with this hash; 0: it is not listed. Compares with all entries, so
 * that the time does not depend on which one matches. */
uint8_t robo__access_list_role(const struct robo__access_list *list, bool is_key,
                               const uint8_t hash[ROBO__HASH]);

/* The entry of a link of a page; NULL: it is not listed. */
const struct robo__access_entry *robo__access_list_page(const struct robo__access_list *list,
                                                        const uint8_t hash[ROBO__HASH]);

void robo__access_list_free(struct robo__access_list *list);
