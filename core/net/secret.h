/* What must not become known, and what tells it: hashes of tokens and keys, files that only their owner may read. By OpenSSL
 * (openssl.h), loaded when it is first needed. */
#ifndef ROBO_SECRET_H
#define ROBO_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ROBO__HASH = 32 /* bytes of a hash: SHA-256 */, ROBO__TOKEN_TEXT = 4 + 2 * 32 + 1 };

/* Whether hashes can be made and compared here; false: without OpenSSL, with words in why. */
bool robo__secret_ready(char why[256]);

/* The hash of these bytes. false: without OpenSSL, or without memory. */
bool robo__secret_hash(const void *bytes, size_t n, uint8_t hash[ROBO__HASH]);

/* Compares in a time that does not tell where they differ. OpenSSL is loaded. */
bool robo__secret_same(const uint8_t a[ROBO__HASH], const uint8_t b[ROBO__HASH]);

/* A new token: "rtk_" and 256 bits of chance in hexadecimal digits. ROBO_E… with words in why. */
int robo__secret_token(char token[ROBO__TOKEN_TEXT], char why[256]);

/* 64 hexadecimal digits to bytes and back; false: they are none, or others follow. */
bool robo__secret_read_hash(const char *text, size_t n, uint8_t hash[ROBO__HASH]);
void robo__secret_write_hash(const uint8_t hash[ROBO__HASH], char text[2 * ROBO__HASH + 1]);

/* What must hold of a file, whatever its name leads to: bits of its mode that may not be set, and whose it is. */
enum {
    ROBO__PRIVATE = 0077, /* others than its owner may neither read nor write it */
    ROBO__MINE = 0022,    /* others may not write it */
    ROBO__NOT_ALL = 0002, /* not everybody may write it */
    ROBO__OWN = 1 << 12   /* it belongs to this user, or to root */
};

/* Opens a file of which that holds; NULL with words in why. Never waits. */
FILE *robo__secret_open(const char *file, unsigned rules, char why[256]);

/* The text of such a file, at most `most` bytes, with a zero behind it, for free(); *n: how many without that. ROBO_EADDRESS,
 * ROBO_ENOMEM with words in why. */
int robo__secret_file(const char *file, unsigned rules, size_t most, char **text, size_t *n,
                      char why[256]);

/* The token in a private file: its first line, without blanks around it. Who names the token itself instead is told so, and the
 * words do not repeat it. */
int robo__secret_token_file(const char *file, char token[256], char why[256]);

#endif
