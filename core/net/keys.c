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
#include "secret.h"
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

static bool extend(const struct robo__openssl *o, X509 *cert, int nid, const char *text)
{
    X509_EXTENSION *e = o->X509V3_EXT_conf_nid(NULL, NULL, nid, text);
    bool done = e && o->X509_add_ext(cert, e, -1) == 1;
    if (e)
        o->X509_EXTENSION_free(e);
    return done;
}

/* Who signs: a certificate, and its key. */
struct signer {
    X509 *cert;
    EVP_PKEY *key;
};

static void free_signer(const struct robo__openssl *o, struct signer *s)
{
    o->X509_free(s->cert);
    o->EVP_PKEY_free(s->key);
}

static int read_signer(const struct robo__openssl *o, const char *cert, const char *key,
                       struct signer *s, char why[256])
{
    *s = (struct signer){ NULL, NULL };
    FILE *c = robo__secret_open(cert, 0, why),
         *k = c ? robo__secret_open(key, ROBO__PRIVATE | ROBO__OWN, why) : NULL;
    if (k && !(s->cert = o->PEM_read_X509(c, NULL, NULL, NULL)))
        fail(why, cert, "expected a certificate in PEM");
    else if (k && !(s->key = o->PEM_read_PrivateKey(k, NULL, NULL, NULL)))
        fail(why, key, "expected a private key in PEM");
    if (c)
        fclose(c);
    if (k)
        fclose(k);
    if (s->key)
        return 0;
    free_signer(o, s);
    return ROBO_EADDRESS;
}

/* Fills in a certificate, and signs it. Returns the fault, or NULL. */
static const char *fill(const struct robo__openssl *o, X509 *cert, EVP_PKEY *key,
                        const struct signer *signer, const struct robo_key_options *options)
{
    char hosts[1024];
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
    if (options->hosts &&
        (!write_hosts(options->hosts, hosts) || !extend(o, cert, NID_subject_alt_name, hosts)))
        return "expected names or numbers of hosts";
    if (options->signs && !extend(o, cert, NID_basic_constraints, "critical,CA:TRUE"))
        return failed;
    if (signer->cert)
        name = o->X509_get_subject_name(signer->cert);
    return o->X509_set_issuer_name(cert, name) == 1 &&
                   o->X509_sign(cert, signer->cert ? signer->key : key, o->EVP_sha256()) > 0
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
        !options.cert || !options.key || options.days < 0 || strlen(options.name) > 63 ||
        !options.signer_cert != !options.signer_key) {
        snprintf(why, 256, "expected options with a size, a name of 1 to 63 characters, files");
        return ROBO_EINVAL;
    }
    const struct robo__openssl *o = robo__openssl(why);
    if (!o)
        return ROBO_EADDRESS;
    struct signer signer = { NULL, NULL };
    if (options.signer_cert &&
        read_signer(o, options.signer_cert, options.signer_key, &signer, why) < 0)
        return ROBO_EADDRESS;
    EVP_PKEY *key = o->EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    X509 *cert = key ? o->X509_new() : NULL;
    const char *wrong = cert ? fill(o, cert, key, &signer, &options) : "OpenSSL makes no key";
    int error = wrong ? fail(why, options.name, wrong) : write_both(o, cert, key, &options, why);
    if (error == 0 && robo__tls_key_of(cert, bytes))
        robo__secret_write_hash(bytes, hash);
    o->X509_free(cert);
    o->EVP_PKEY_free(key);
    free_signer(o, &signer);
    o->ERR_clear_error();
    return error;
}

/* ---- signatures ---- */

int robo_text_sign(const char *text, const char *cert, const char *key, const char *file,
                   char why[256])
{
    enum { FLAGS = PKCS7_TEXT | PKCS7_DETACHED | PKCS7_STREAM };
    struct signer signer;
    const struct robo__openssl *o = robo__openssl(why);
    if (!o || read_signer(o, cert, key, &signer, why) < 0)
        return ROBO_EADDRESS;
    errno = 0;
    BIO *in = o->BIO_new_mem_buf(text, -1), *out = o->BIO_new_file(file, "wx");
    const char *wrong = !in || !out ? strerror(errno) : "OpenSSL signs no text";
    PKCS7 *made = in && out ? o->PKCS7_sign(signer.cert, signer.key, NULL, in, FLAGS) : NULL;
    const bool done = made && o->SMIME_write_PKCS7(out, made, in, FLAGS) == 1;
    o->PKCS7_free(made);
    o->BIO_free(in);
    o->BIO_free(out);
    free_signer(o, &signer);
    o->ERR_clear_error();
    return done ? 0 : fail(why, file, wrong);
}
