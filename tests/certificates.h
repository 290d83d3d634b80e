/* Certificates and keys for tests, made when they are needed: nothing that has a secret is kept in the tree. */
#pragma once

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct certificate {
    const char *name;                 /* of its files: NAME.pem and NAME.key */
    const char *host;                 /* "DNS:…" or "IP:…"; NULL: none */
    long from, to;                    /* s from now on; both 0: for an hour */
    const struct certificate *signer; /* made before; NULL: itself */
    bool signs;
    X509 *cert;
    EVP_PKEY *key;
};

static inline const char *certificate_file(char out[256], const char *folder, const char *name,
                                           const char *kind)
{
    snprintf(out, 256, "%s/%s.%s", folder, name, kind);
    return out;
}

static inline bool certificate_extend(X509 *cert, int kind, const char *value)
{
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, kind, value);
    bool done = e && X509_add_ext(cert, e, -1) == 1;
    X509_EXTENSION_free(e);
    return done;
}

/* Makes both files in the folder. */
static inline bool certificate_make(struct certificate *c, const char *folder)
{
    static long serial;
    char file[256];
    c->key = EVP_EC_gen("P-256");
    c->cert = X509_new();
    const struct certificate *by = c->signer ? c->signer : c;
    X509_NAME *name = X509_get_subject_name(c->cert);
    bool done = X509_set_version(c->cert, 2) == 1 &&
                ASN1_INTEGER_set(X509_get_serialNumber(c->cert), ++serial) == 1 &&
                X509_gmtime_adj(X509_getm_notBefore(c->cert), c->from ? c->from : -60) &&
                X509_gmtime_adj(X509_getm_notAfter(c->cert), c->to ? c->to : 3600) &&
                X509_set_pubkey(c->cert, c->key) == 1 &&
                X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)c->name,
                                           -1, -1, 0) == 1 &&
                X509_set_issuer_name(c->cert, X509_get_subject_name(by->cert)) == 1 &&
                (!c->host || certificate_extend(c->cert, NID_subject_alt_name, c->host)) &&
                (!c->signs || certificate_extend(c->cert, NID_basic_constraints, "CA:TRUE")) &&
                X509_sign(c->cert, by->key, EVP_sha256()) > 0;
    FILE *f = done ? fopen(certificate_file(file, folder, c->name, "pem"), "w") : NULL;
    done = f && PEM_write_X509(f, c->cert) == 1;
    if (f)
        fclose(f);
    f = done ? fopen(certificate_file(file, folder, c->name, "key"), "w") : NULL;
    done = f && chmod(file, 0600) == 0 &&
           PEM_write_PrivateKey(f, c->key, NULL, NULL, 0, NULL, NULL) == 1;
    if (f)
        fclose(f);
    return done;
}

/* Removes them. */
static inline void certificate_free(struct certificate *c, const char *folder)
{
    char file[256];
    remove(certificate_file(file, folder, c->name, "pem"));
    remove(certificate_file(file, folder, c->name, "key"));
    X509_free(c->cert);
    EVP_PKEY_free(c->key);
    c->cert = NULL;
    c->key = NULL;
}
