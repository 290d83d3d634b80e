/* Keys, certificates and tokens that are made here. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sized.h"
#include "user_files.h"
#include "openssl.h"
#include "tls.h"
#include "robotalk/access.h"

enum { DAYS = 3650, DAY = 86400 };

static int fail(char why[256], const char *about, const char *what)
{
    snprintf(why, 256, "%.*s: %s", (int)(250 - strlen(what)), about, what);
    return ROBO_EADDRESS;
}

/* ---- files and tokens ---- */

int robo_config_path(const char *name, char path[256])
{
    return robo__user_files_path(name, path) ? 0 : ROBO_ENONE;
}

int robo_token_make(char token[ROBO_TOKEN_SIZE], char hash[ROBO_HASH_TEXT], char why[256])
{
    uint8_t bytes[ROBO__HASH];
    int error = robo__secret_token(token, why);
    if (error < 0)
        return error;
    if (!robo__secret_hash(token, strlen(token), bytes))
        return fail(why, "token", robo_strerror(ROBO_ENOMEM));
    robo__secret_write_hash(bytes, hash);
    return 0;
}

int robo_token_read(const char *file, char token[ROBO_TOKEN_SIZE], char why[256])
{
    return robo__secret_token_file(file, token, why);
}

int robo_key_hash(const char *cert, char hash[ROBO_HASH_TEXT], char why[256])
{
    struct robo__access_list list = { 0 };
    int error = robo__tls_list(&list, cert, why);
    if (error == 0)
        robo__secret_write_hash(list.entry[0].hash, hash);
    robo__access_list_free(&list);
    return error;
}

/* ---- keys ---- */

/* "DNS:a,IP:b" of the hosts; false: they do not fit, or are none. */
static bool write_hosts(const char *hosts, char out[1024])
{
    size_t used = 0;
    while (*hosts) {
        size_t n = strcspn(hosts, ",");
        bool is_number = memchr(hosts, ':', n) != NULL, good = n > 0;
        size_t digits = strspn(hosts, "0123456789.");
        is_number = is_number || digits >= n;
        for (size_t i = 0; i < n; i++)
            good = good && (isalnum((unsigned char)hosts[i]) || strchr(".-:*", hosts[i]));
        if (!good || used + n + 8 > 1024)
            return false;
        used += (size_t)snprintf(out + used, 1024 - used, "%s%s%.*s", used ? "," : "",
                                 is_number ? "IP:" : "DNS:", (int)n, hosts);
        hosts += n + (hosts[n] == ',');
    }
    return used > 0;
}

static bool add_hosts(const struct robo__openssl *o, X509 *cert, const char *hosts)
{
    char text[1024];
    if (!hosts)
        return true;
    X509_EXTENSION *e = write_hosts(hosts, text)
                            ? o->X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, text)
                            : NULL;
    bool done = e && o->X509_add_ext(cert, e, -1) == 1;
    if (e)
        o->X509_EXTENSION_free(e);
    return done;
}

/* Fills in a certificate that is signed by its own key. Returns the fault, or NULL. */
static const char *fill(const struct robo__openssl *o, X509 *cert, EVP_PKEY *key,
                        const struct robo_key_options *options)
{
    static const char failed[] = "OpenSSL makes no certificate";
    uint64_t serial;
    X509_NAME *name = o->X509_get_subject_name(cert);
    if (o->RAND_bytes((unsigned char *)&serial, sizeof serial) != 1 ||
        o->X509_set_version(cert, 2) != 1 ||
        o->ASN1_INTEGER_set_uint64(o->X509_get_serialNumber(cert), serial >> 1) != 1 ||
        /* clocks differ */
        !o->X509_gmtime_adj(o->X509_getm_notBefore(cert), -DAY) ||
        !o->X509_gmtime_adj(o->X509_getm_notAfter(cert),
                            (long)DAY * (options->days ? options->days : DAYS)) ||
        o->X509_set_pubkey(cert, key) != 1)
        return failed;
    if (o->X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                      (const unsigned char *)options->name, -1, -1, 0) != 1)
        return "expected a name of 1 to 63 characters";
    if (!add_hosts(o, cert, options->hosts))
        return "expected names or numbers of hosts";
    return o->X509_set_issuer_name(cert, name) == 1 && o->X509_sign(cert, key, o->EVP_sha256()) > 0
               ? NULL
               : failed;
}

/* A new file. */
static FILE *create(const char *file, mode_t mode, char why[256])
{
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f)
        fail(why, file, errno == EEXIST ? "there is such a file already" : strerror(errno));
    if (!f && fd >= 0)
        close(fd);
    return f;
}

/* Both files, or none. */
static int write_both(const struct robo__openssl *o, X509 *cert, EVP_PKEY *key,
                      const struct robo_key_options *options, char why[256])
{
    FILE *k = create(options->key, 0600, why), *c = k ? create(options->cert, 0644, why) : NULL;
    bool done = c && o->PEM_write_PrivateKey(k, key, NULL, NULL, 0, NULL, NULL) == 1 &&
                o->PEM_write_X509(c, cert) == 1;
    if (c && (fclose(c) != 0 || !done)) {
        done = false;
        unlink(options->cert);
        fail(why, options->cert, strerror(errno));
    }
    if (k && (fclose(k) != 0 || !done)) {
        if (done) {
            fail(why, options->key, strerror(errno));
            unlink(options->cert);
        }
        done = false;
        unlink(options->key);
    }
    return done ? 0 : ROBO_EADDRESS;
}

int robo_key_make(const struct robo_key_options *given, char hash[ROBO_HASH_TEXT], char why[256])
{
    struct robo_key_options options;
    uint8_t bytes[ROBO__HASH];
    if (!given || robo__sized_take(&options, sizeof options, given) < 0 || !options.name ||
        !options.cert || !options.key || options.days < 0 || strlen(options.name) > 63) {
        snprintf(why, 256, "expected options with a size, a name of 1 to 63 characters, files");
        return ROBO_EINVAL;
    }
    const struct robo__openssl *o = robo__openssl(why);
    if (!o)
        return ROBO_EADDRESS;
    EVP_PKEY *key = o->EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    X509 *cert = key ? o->X509_new() : NULL;
    const char *wrong = cert ? fill(o, cert, key, &options) : "OpenSSL makes no key";
    int error = wrong ? fail(why, options.name, wrong) : write_both(o, cert, key, &options, why);
    if (error == 0 && robo__tls_key_of(cert, bytes))
        robo__secret_write_hash(bytes, hash);
    o->X509_free(cert);
    o->EVP_PKEY_free(key);
    o->ERR_clear_error();
    return error;
}
