/* One end of a TLS 1.3 connection. */
#include "tls.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "known_servers.h"
#include "openssl.h"
#include "socket.h"

enum { BEFORE_MOST = 1 << 16 }; /* bytes that may come before the handshake is done */

static const struct robo__openssl *o; /* since the first keys were opened */
static BIO_METHOD *method;

/* ---- OpenSSL's way to the socket ---- */

static int bio_read(BIO *bio, char *out, int n)
{
    struct robo__tls *tls = o->BIO_get_data(bio);
    size_t room = (size_t)n < tls->turn ? (size_t)n : tls->turn;
    o->BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    ssize_t got = -1;
    errno = EAGAIN;
    if (room > 0)
        got = recv(tls->fd, out, room, tls->flags);
    tls->flags = MSG_DONTWAIT;
    tls->turn = got == (ssize_t)room ? tls->turn - room : 0; /* less than asked for: it is empty */
    if (!tls->up && got > 0) {
        if (tls->before == 0)
            tls->foreign = out[0] != SSL3_RT_HANDSHAKE && out[0] != SSL3_RT_ALERT;
        tls->before += (size_t)got;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        o->BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
    else if (got < 0)
        tls->error = errno;
    tls->ended = tls->ended || got == 0;
    return (int)got;
}

static int bio_write(BIO *bio, const char *bytes, int n)
{
    struct robo__tls *tls = o->BIO_get_data(bio);
    o->BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    ssize_t sent = n;
    while (!tls->mute &&
           (sent = send(tls->fd, bytes, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL)) < 0 &&
           errno == EINTR)
        ;
    if (sent < 0 && tls->serves && tls->up && (errno == EPIPE || errno == ECONNRESET)) {
        tls->mute = true; /* as server.c has it of other sockets */
        return n;
    }
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        o->BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY);
    else if (sent < 0)
        tls->error = errno;
    return (int)sent;
}

static long bio_ctrl(BIO *bio, int what, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return what == BIO_CTRL_FLUSH;
}

static void make_method(void)
{
    char why[256];
    o = robo__openssl(why);
    method = o->BIO_meth_new(o->BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "robotalk");
    if (!method)
        return;
    o->BIO_meth_set_read(method, bio_read);
    o->BIO_meth_set_write(method, bio_write);
    o->BIO_meth_set_ctrl(method, bio_ctrl);
}

/* ---- life ---- */

/* It owns the socket, also when there is no memory for it. */
static struct robo__tls *open_tls(struct robo__tls_keys *keys, int fd)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_method);
    struct robo__tls *tls = calloc(1, sizeof *tls);
    SSL *ssl = tls && method ? o->SSL_new(keys->context) : NULL;
    BIO *bio = ssl ? o->BIO_new(method) : NULL;
    if (!bio) {
        if (ssl)
            o->SSL_free(ssl);
        free(tls);
        close(fd);
        return NULL;
    }
    tls->ssl = ssl;
    tls->fd = fd;
    tls->flags = MSG_DONTWAIT;
    o->BIO_set_data(bio, tls);
    o->BIO_set_init(bio, 1);
    o->SSL_set_bio(ssl, bio, bio);
    return tls;
}

struct robo__tls *robo__tls_accept(struct robo__tls_keys *keys, int fd)
{
    struct robo__tls *tls = open_tls(keys, fd);
    if (tls) {
        tls->serves = true;
        o->SSL_set_accept_state(tls->ssl);
    }
    return tls;
}

void robo__tls_close(struct robo__tls *tls)
{
    if (tls->up && !tls->broken)
        o->SSL_shutdown(tls->ssl);
    o->SSL_free(tls->ssl);
    o->ERR_clear_error();
    close(tls->fd);
    free(tls);
}

bool robo__tls_key(const struct robo__tls *tls, uint8_t key[ROBO__HASH])
{
    X509 *cert = o->SSL_get1_peer_certificate(tls->ssl);
    bool shown = cert && robo__tls_key_of(cert, key);
    o->X509_free(cert);
    return shown;
}

/* ---- faults ---- */

/* Whether a certificate was refused because it is unknown. */
static bool is_unknown(long verified)
{
    return verified == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT ||
           verified == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN ||
           verified == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
           verified == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
           verified == X509_V_ERR_CERT_UNTRUSTED;
}

static void words(struct robo__tls *tls)
{
    unsigned long first = o->ERR_peek_error();
    int reason = ERR_GET_REASON(first);
    const char *text = o->ERR_reason_error_string(first);
    long verified = o->SSL_get_verify_result(tls->ssl);
    const char *before = "", *what = text ? text : "an unknown error of TLS";
    if (tls->foreign)
        what = "TLS is not spoken there";
    else if (tls->error)
        what = strerror(tls->error);
    else if (tls->ended)
        what = tls->up ? "the connection was cut off"
                       : "the connection was closed before the handshake was done";
    else if (first == 0)
        what = "the connection is lost";
    else if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED &&
             verified == X509_V_ERR_APPLICATION_VERIFICATION) {
        tls->refused = true;
        what = "its key is not the one that is known";
    } else if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED && is_unknown(verified))
        what = "its certificate is not among those that are trusted";
    else if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        before = "its certificate is refused: ";
        what = o->X509_verify_cert_error_string(verified);
    } else if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE)
        what = "it shows no certificate";
    else if (reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED)
        what = "the other end wants to see a certificate (cert=FILE&key=FILE)";
    else if (reason == SSL_R_TLSV1_ALERT_UNKNOWN_CA)
        what = "the other end does not trust this one's certificate";
    else if (reason == SSL_R_UNSUPPORTED_PROTOCOL || reason == SSL_R_TLSV1_ALERT_PROTOCOL_VERSION)
        what = "TLS 1.3 is not spoken there, but an older version";
    else if (reason > SSL_AD_REASON_OFFSET && ERR_GET_LIB(first) == ERR_LIB_SSL)
        before = "the other end refuses: ";
    snprintf(tls->why, sizeof tls->why, "%s%s", before, what);
}

/* The result of a call that did not succeed: 0, wait; or the connection is over. */
static int result_of(struct robo__tls *tls, int result)
{
    int error = o->SSL_get_error(tls->ssl, result);
    if (error == SSL_ERROR_WANT_WRITE)
        tls->stuck = true;
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
        return 0;
    tls->broken = true;
    if (error == SSL_ERROR_ZERO_RETURN)
        return ROBO__TLS_CLOSED;
    words(tls);
    return ROBO__TLS_LOST;
}

/* ---- bytes ---- */

ptrdiff_t robo__tls_read(struct robo__tls *tls, uint8_t *out, size_t n)
{
    tls->stuck = false;
    o->ERR_clear_error();
    int got = o->SSL_read(tls->ssl, out, n < INT32_MAX ? (int)n : INT32_MAX);
    if (!tls->up && o->SSL_is_init_finished(tls->ssl))
        tls->up = true;
    if (got > 0)
        return got;
    int result = result_of(tls, got);
    if (result == 0 && !tls->up && tls->before > BEFORE_MOST) {
        snprintf(tls->why, sizeof tls->why, "it says much, and does not finish its handshake");
        tls->broken = true;
        return ROBO__TLS_LOST;
    }
    return result;
}

ptrdiff_t robo__tls_write(struct robo__tls *tls, const uint8_t *bytes, size_t n)
{
    if (!tls->up || n == 0)
        return 0;
    bool stuck = tls->stuck; /* of reading */
    o->ERR_clear_error();
    int sent = o->SSL_write(tls->ssl, bytes,
                            n < SSL3_RT_MAX_PLAIN_LENGTH ? (int)n : SSL3_RT_MAX_PLAIN_LENGTH);
    if (sent > 0)
        return sent;
    int result = result_of(tls, sent);
    tls->stuck = stuck;
    return result;
}

/* ---- connecting ---- */

/* Whether its certificate is for that host. The file of the trusted may name the certificate itself: then it needs no name. */
static bool is_for(struct robo__tls *tls, const char *host)
{
    if (o->OPENSSL_sk_num((const OPENSSL_STACK *)o->SSL_get0_verified_chain(tls->ssl)) == 1)
        return true;
    X509 *cert = o->SSL_get1_peer_certificate(tls->ssl);
    bool is = cert && (o->X509_check_ip_asc(cert, host, 0) == 1 ||
                       o->X509_check_host(cert, host, 0, 0, NULL) == 1);
    o->X509_free(cert);
    return is;
}

/* Shakes hands, at the latest by that instant. */
static int shake(struct robo__tls *tls, const struct robo__url *url, robo_time until)
{
    int result;
    o->SSL_set_connect_state(tls->ssl);
    o->SSL_ctrl(tls->ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                (void *)(uintptr_t)url->host);
    do {
        tls->turn = BEFORE_MOST;
        tls->stuck = false;
        o->ERR_clear_error();
        result = o->SSL_do_handshake(tls->ssl);
        if (result == 1)
            break;
        robo_time left = until - robo__time_monotonic();
        struct timespec wait = robo__timespec(left);
        struct pollfd p = { .fd = tls->fd, .events = POLLIN };
        result = result_of(tls, result);
        if (tls->stuck)
            p.events = POLLOUT;
        if (result == 0 && (left <= 0 || ppoll(&p, 1, &wait, NULL) == 0))
            return ROBO_ETIMEOUT;
    } while (result == 0);
    if (result < 0)
        return ROBO_EADDRESS;
    tls->up = true;
    if (!url->file[ROBO__TRUST][0] || is_for(tls, url->host))
        return 0;
    snprintf(tls->why, sizeof tls->why,
             "its certificate names another host; trust=FILE may hold that certificate itself");
    return ROBO_EADDRESS;
}

/* A server that was not known is known from now on. */
static int remember(const struct robo__tls_keys *keys, const struct robo__url *url, char why[256])
{
    char hash[2 * ROBO__HASH + 1], name[ROBO__KNOWN_NAME];
    if (url->file[ROBO__TRUST][0] || keys->known)
        return 0;
    int error = robo__known_servers_add(url, keys->shown, why);
    robo__secret_write_hash(keys->shown, hash);
    if (error == 0)
        snprintf(why, 256, "%.120s is new here: from now on it is known by its key, %s",
                 robo__known_servers_name(url, name), hash);
    return error;
}

/* Why the handshake has failed. */
static void explain(const struct robo__tls *tls, const struct robo__tls_keys *keys,
                    const struct robo__url *url, int error, char why[256])
{
    char was[2 * ROBO__HASH + 1], is[2 * ROBO__HASH + 1], name[ROBO__KNOWN_NAME];
    if (error == ROBO_EADDRESS && keys->known > 0 && tls->refused) {
        robo__secret_write_hash(keys->key, was);
        robo__secret_write_hash(keys->shown, is);
        snprintf(
            why, 256,
            "it shows another key than before, so it may be another machine: it was %.16s…, it "
            "is %.16s…. If that is right: robotalk keys forget %.90s",
            was, is, robo__known_servers_name(url, name));
        return;
    }
    snprintf(why, 256, "%.60s, port %u: TLS: %.125s%s", url->host, url->port,
             error == ROBO_ETIMEOUT ? "no handshake in time" : tls->why,
             tls->ended && tls->before == 0 ? ", without a word: it may speak no TLS" : "");
}

int robo__tls_connect(const struct robo__url *url, robo_time timeout, struct robo__tls **tls,
                      char why[256])
{
    struct robo__tls_keys *keys;
    robo_time until = robo__time_monotonic() + robo__time_cut(timeout);
    why[0] = 0;
    int error = robo__tls_keys_open(url, NULL, &keys, why);
    if (error < 0)
        return error;
    int fd = robo__socket_connect(url, timeout, why);
    struct robo__tls *made = fd >= 0 ? open_tls(keys, fd) : NULL;
    if (made) {
        error = shake(made, url, until);
        if (error < 0)
            explain(made, keys, url, error, why);
        else
            error = remember(keys, url, why);
        if (error < 0)
            robo__tls_close(made);
        else
            *tls = made;
    } else if (fd >= 0) {
        snprintf(why, 256, "%s", robo_strerror(ROBO_ENOMEM));
        error = ROBO_ENOMEM;
    } else {
        error = fd;
    }
    robo__tls_keys_close(keys);
    return error;
}
