/* The files of a +tls address: the keys of one end, and the keys that it trusts. */
#include "tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "known_servers.h"
#include "openssl.h"

static int fail(char why[256], const char *file, const char *what)
{
    snprintf(why, 256, "%.*s: %s", (int)(250 - strlen(what)), file, what);
    return ROBO_EADDRESS;
}

/* No prompt for a password: there may be no terminal. */
static int no_password(char *out, int size, int writes, void *owner)
{
    (void)out, (void)size, (void)writes, (void)owner;
    return -1;
}

static int use_key(const struct robo__openssl *o, SSL_CTX *context, const char *file, char why[256])
{
    FILE *f = robo__secret_open(file, ROBO__PRIVATE, why);
    if (!f)
        return ROBO_EADDRESS;
    EVP_PKEY *key = o->PEM_read_PrivateKey(f, NULL, no_password, NULL);
    fclose(f);
    if (!key)
        return fail(why, file, "expected a private key in PEM, without a password");
    bool fits = o->SSL_CTX_use_PrivateKey(context, key) == 1;
    o->EVP_PKEY_free(key);
    return fits ? 0 : fail(why, file, "expected the private key of the certificate");
}

/* Whether a file of certificates can be read; trusted ones must not be writable by everybody. */
static bool is_readable(const char *file, unsigned rules, char why[256])
{
    FILE *f = robo__secret_open(file, rules, why);
    if (f)
        fclose(f);
    return f != NULL;
}

static int show(const struct robo__openssl *o, SSL_CTX *context, const struct robo__url *url,
                char why[256])
{
    const char *cert = url->file[ROBO__CERT];
    if (!is_readable(cert, 0, why))
        return ROBO_EADDRESS;
    if (o->SSL_CTX_use_certificate_chain_file(context, cert) != 1)
        return fail(why, cert, "expected a certificate in PEM");
    return use_key(o, context, url->file[ROBO__KEY], why);
}

/* ---- servers that a client trusts ---- */

/* The server must show a certificate of this file, or one that was signed by one of them. */
static int trust(const struct robo__openssl *o, SSL_CTX *context, const char *file, char why[256])
{
    if (!is_readable(file, ROBO__NOT_ALL, why))
        return ROBO_EADDRESS;
    if (o->SSL_CTX_load_verify_locations(context, file, NULL) != 1)
        return fail(why, file, "expected certificates in PEM");
    /* certificates in the file are trusted, self-signed or not */
    o->X509_VERIFY_PARAM_set_flags(o->SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
    o->SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    return 0;
}

/* Without a certificate that is named, a server is trusted that shows the key that is known, or the first one. */
static int is_known(X509_STORE_CTX *chain, void *arg)
{
    char why[256];
    struct robo__tls_keys *keys = arg;
    const struct robo__openssl *o = robo__openssl(why);
    X509 *cert = o->X509_STORE_CTX_get0_cert(chain);
    bool good = cert && robo__tls_key_of(cert, keys->shown) &&
                (!keys->known || robo__secret_same(keys->key, keys->shown));
    o->X509_STORE_CTX_set_error(chain, good ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION);
    return good;
}

static int pin(const struct robo__openssl *o, struct robo__tls_keys *keys,
               const struct robo__url *url, char why[256])
{
    keys->known = robo__known_servers_look(url, keys->key, why);
    if (keys->known < 0)
        return keys->known;
    o->SSL_CTX_set_verify(keys->context, SSL_VERIFY_PEER, NULL);
    o->SSL_CTX_set_cert_verify_callback(keys->context, is_known, keys);
    return 0;
}

/* ---- access list ---- */

bool robo__tls_key_of(void *cert, uint8_t key[ROBO__HASH])
{
    char why[256];
    const struct robo__openssl *o = robo__openssl(why);
    unsigned char bytes[4096], *end = bytes;
    const X509_PUBKEY *public_key = o->X509_get_X509_PUBKEY(cert);
    int n = public_key ? o->i2d_X509_PUBKEY(public_key, NULL) : 0;
    return n > 0 && (size_t)n <= sizeof bytes && o->i2d_X509_PUBKEY(public_key, &end) == n &&
           robo__secret_hash(bytes, (size_t)n, key);
}

int robo__tls_list(struct robo__access_list *list, const char *file, char why[256])
{
    struct robo__access_entry entry = { .name = "clients",
                                        .role = ROBO_ROLE_OPERATE,
                                        .is_key = true };
    const struct robo__openssl *o = robo__openssl(why);
    FILE *f = o ? robo__secret_open(file, ROBO__NOT_ALL, why) : NULL;
    if (!f)
        return ROBO_EADDRESS;
    const size_t before = list->count;
    bool good = true;
    X509 *cert;
    o->ERR_clear_error();
    while (good && (cert = o->PEM_read_X509(f, NULL, no_password, NULL)) != NULL) {
        good = robo__tls_key_of(cert, entry.hash) && robo__access_list_add(list, &entry);
        o->X509_free(cert);
    }
    fclose(f);
    good = good && list->count > before &&
           ERR_GET_REASON(o->ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    o->ERR_clear_error();
    return good ? 0 : fail(why, file, "expected certificates in PEM");
}

/* The fault of a client's certificate: its key must be listed, and it must be valid today. A certificate that a listed one
 * has signed is not listed, so there is no chain to check. */
static int fault_of(const struct robo__openssl *o, const struct robo__access *access, X509 *cert)
{
    uint8_t key[ROBO__HASH];
    if (!cert || !robo__tls_key_of(cert, key) || !robo__access_list_role(&access->list, true, key))
        return X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT; /* self-signed */
    if (o->X509_cmp_current_time(o->X509_get0_notBefore(cert)) >= 0)
        return X509_V_ERR_CERT_NOT_YET_VALID;
    if (o->X509_cmp_current_time(o->X509_get0_notAfter(cert)) <= 0)
        return X509_V_ERR_CERT_HAS_EXPIRED;
    return X509_V_OK;
}

static int is_listed(X509_STORE_CTX *chain, void *access)
{
    char why[256];
    const struct robo__openssl *o = robo__openssl(why);
    int fault = fault_of(o, access, o->X509_STORE_CTX_get0_cert(chain));
    o->X509_STORE_CTX_set_error(chain, fault);
    return fault == X509_V_OK;
}

/* A client must show a key that is listed, unless something else or nothing at all does as well. */
static void guard(const struct robo__openssl *o, SSL_CTX *context,
                  const struct robo__access *access, const struct robo__protocol *protocol)
{
    const bool must = !access->open && !robo__access_takes_others(access, protocol);
    if (access->list.keys == 0)
        return;
    o->SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (must ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                          NULL);
    o->SSL_CTX_set_cert_verify_callback(context, is_listed, (void *)(uintptr_t)access);
}

/* ---- files ---- */

static int read_files(const struct robo__openssl *o, struct robo__tls_keys *keys,
                      const struct robo__url *url, const struct robo__access *access, char why[256])
{
    SSL_CTX *context = keys->context;
    const char *clients = url->file[ROBO__CLIENTS], *trusted = url->file[ROBO__TRUST];
    bool cert = url->file[ROBO__CERT][0], key = url->file[ROBO__KEY][0];
    int error = 0;
    if (cert != key || (access && !cert)) {
        snprintf(why, 256,
                 "expected cert=FILE&key=FILE behind a +tls address; robotalk keys server makes "
                 "such files, which then need not be named");
        return ROBO_EADDRESS;
    }
    if (access ? *trusted : *clients)
        return fail(why, access ? "trust" : "clients",
                    access ? "a server names its clients' certificates by clients=FILE"
                           : "a client names the server's certificate by trust=FILE");
    if (cert)
        error = show(o, context, url, why);
    if (error == 0 && access)
        guard(o, context, access, url->protocol);
    else if (error == 0 && *trusted)
        error = trust(o, context, trusted, why);
    else if (error == 0)
        error = pin(o, keys, url, why);
    return error;
}

int robo__tls_keys_open(const struct robo__url *url, const struct robo__access *access,
                        struct robo__tls_keys **keys, char why[256])
{
    const struct robo__openssl *o = robo__openssl(why);
    if (!o)
        return ROBO_EADDRESS;
    SSL_CTX *context = o->SSL_CTX_new(o->TLS_method());
    struct robo__tls_keys *k = context ? calloc(1, sizeof *k) : NULL;
    if (!k) {
        o->SSL_CTX_free(context);
        snprintf(why, 256, "%s", robo_strerror(ROBO_ENOMEM));
        return ROBO_ENOMEM;
    }
    k->context = context;
    k->users = 1;
    o->SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_3_VERSION, NULL);
    o->SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    /* one recv for all received bytes */
    o->SSL_CTX_ctrl(context, SSL_CTRL_SET_READ_AHEAD, 1, NULL);
    o->SSL_CTX_ctrl(context, SSL_CTRL_MODE,
                    SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER, NULL);
    o->SSL_CTX_set_num_tickets(context, 0);
    int error = read_files(o, k, url, access, why);
    o->ERR_clear_error();
    if (error < 0) {
        robo__tls_keys_close(k);
        return error;
    }
    *keys = k;
    return 0;
}

int robo__tls_keys_renew(struct robo__tls_keys *keys, const struct robo__url *url,
                         const struct robo__access *access, char why[256])
{
    struct robo__tls_keys *fresh;
    int error = robo__tls_keys_open(url, access, &fresh, why);
    if (error < 0)
        return error;
    void *old = keys->context;
    keys->context = fresh->context;
    fresh->context = old; /* each connection holds its own */
    robo__tls_keys_close(fresh);
    return 0;
}

void robo__tls_keys_close(struct robo__tls_keys *keys)
{
    char why[256];
    if (!keys || --keys->users > 0)
        return;
    robo__openssl(why)->SSL_CTX_free(keys->context);
    free(keys);
}
