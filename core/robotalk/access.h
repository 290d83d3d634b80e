/* May change without notice between versions. */
/* Access control: tokens, keys and certificates. */
#pragma once

#include <stddef.h>

#include "robotalk/base.h"

ROBO_API_BEGIN

/* ---- access control: docs/access.md ---- */

enum {
    ROBO_TOKEN_SIZE = 256, /* room for any token */
    ROBO_HASH_TEXT = 65    /* room for a hash: SHA-256 in 64 hexadecimal digits */
};

/* A path of the user's own files, $XDG_CONFIG_HOME/robotalk/NAME or ~/.config/robotalk/NAME. ROBO_ENONE: there is no home. */
int robo_config_path(const char *name, char path[256]);

/* A new token, and the hash by which a server's list names it; ROBO_E… with a message in why, as all of these. They need
 * OpenSSL. */
int robo_token_make(char token[ROBO_TOKEN_SIZE], char hash[ROBO_HASH_TEXT], char why[256]);
/* The token in the first line of a file that only its owner may read. Without OpenSSL. */
int robo_token_read(const char *file, char token[ROBO_TOKEN_SIZE], char why[256]);

struct robo_key_options {
    size_t size;      /* sizeof(struct robo_key_options) */
    const char *name; /* in the certificate, for people; 1 to 63 characters */
    /* NULL, or names and numbers of hosts with a comma between them: of a server, for clients that know the signer */
    const char *hosts;
    int days; /* that it is good for; 0: 3650 */
    const char *
        cert; /* the files, which must not exist yet: a certificate, and its private key, which only its owner may */
    const char *key; /* read */
    /* NULL: it is signed by its own key; or the files of another certificate and its key, which sign it */
    const char *signer_cert, *signer_key;
    int signs; /* the key signs certificates of others */
};
/* A private key and a certificate for it; the hash of its public key, as robo_key_hash. */
int robo_key_make(const struct robo_key_options *options, char hash[ROBO_HASH_TEXT], char why[256]);
/* The hash of the public key in a certificate's file: SHA-256 of its SubjectPublicKeyInfo. */
int robo_key_hash(const char *cert, char hash[ROBO_HASH_TEXT], char why[256]);
/* Writes a text, and the signature of that certificate's key, to a new file: S/MIME, as DDS Security has its documents. */
int robo_text_sign(const char *text, const char *cert, const char *key, const char *file,
                   char why[256]);

ROBO_API_END
