/* Secrets and what identifies them: hashes of tokens and keys, files that only their owner may read. By OpenSSL
 * (openssl.h), loaded when it is first needed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ROBO__SHA1 = 20 /* bytes */ };
enum { ROBO__HASH = 32 /* bytes of a hash: SHA-256 */, ROBO__TOKEN_TEXT = 4 + 2 * 32 + 1 };

/* Whether hashes can be made and compared here; false: without OpenSSL, with a message in why. */
bool robo__secret_ready(char why[256]);

/* The hash of these bytes. false: without OpenSSL, or without memory. */
bool robo__secret_hash(const void *bytes, size_t n, uint8_t hash[ROBO__HASH]);
/* The same by SHA-1, which keeps no secret: the handshake of a WebSocket has it. */
bool robo__secret_sha1(const void *bytes, size_t n, uint8_t hash[ROBO__SHA1]);

/* Compares in a time that does not depend on where they differ. OpenSSL is loaded. */
bool robo__secret_same(const uint8_t a[ROBO__HASH], const uint8_t b[ROBO__HASH]);

/* A new token: "rtk_" and 256 random bits in hexadecimal digits. ROBO_E… with a message in why. */
int robo__secret_token(char token[ROBO__TOKEN_TEXT], char why[256]);

/* 64 hexadecimal digits to bytes and back; false: they are none, or others follow. */
bool robo__secret_read_hash(const char *text, size_t n, uint8_t hash[ROBO__HASH]);
void robo__secret_write_hash(const uint8_t hash[ROBO__HASH], char text[2 * ROBO__HASH + 1]);

/* Rules for a file, after symbolic links are followed: bits of its mode that may not be set, and its owner. */
enum {
    ROBO__PRIVATE = 0077, /* others than its owner may neither read nor write it */
    ROBO__MINE = 0022,    /* others may not write it */
    ROBO__NOT_ALL = 0002, /* not everybody may write it */
    ROBO__OWN = 1 << 12   /* it belongs to this user, or to root */
};

/* Opens a file that follows the rules; NULL with a message in why. Never waits. */
FILE *robo__secret_open(const char *file, unsigned rules, char why[256]);

/* The text of such a file, at most `most` bytes, with a zero behind it, for free(); *n: the length without that.
 * ROBO_EADDRESS, ROBO_ENOMEM with a message in why. */
int robo__secret_file(const char *file, unsigned rules, size_t most, char **text, size_t *n,
                      char why[256]);

/* The token in a private file: its first line, without blanks around it. A token in place of the file's name is an error
 * whose message does not repeat the token. */
int robo__secret_token_file(const char *file, char token[256], char why[256]);
