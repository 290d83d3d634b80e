/* OpenSSL 3, which is loaded when TLS is first used: a program that never uses it neither links nor loads it. Functions
 * are called through a table of those that are needed. */
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/shared_library.h"

/* clang-format off */
#define ROBO__OPENSSL_FUNCTIONS(X) \
    X(OPENSSL_init_ssl) X(OPENSSL_sk_num) X(TLS_method) X(SSL_CTX_new) X(SSL_CTX_free) \
    X(SSL_CTX_ctrl) X(SSL_CTX_set_num_tickets) X(SSL_CTX_set_verify) \
    X(SSL_CTX_set_cert_verify_callback) X(SSL_CTX_get0_param) X(SSL_CTX_load_verify_locations) \
    X(SSL_CTX_use_certificate_chain_file) X(SSL_CTX_use_PrivateKey) X(SSL_new) X(SSL_free) \
    X(SSL_ctrl) X(SSL_set_bio) X(SSL_set_accept_state) X(SSL_set_connect_state) \
    X(SSL_do_handshake) X(SSL_is_init_finished) X(SSL_read) X(SSL_write) X(SSL_shutdown) \
    X(SSL_get_error) X(SSL_get_verify_result) X(SSL_get0_verified_chain) \
    X(SSL_get1_peer_certificate) X(X509_VERIFY_PARAM_set_flags) X(X509_STORE_CTX_get0_cert) \
    X(X509_STORE_CTX_set_error) X(X509_get_X509_PUBKEY) X(X509_get0_notBefore) \
    X(X509_get0_notAfter) X(X509_cmp_current_time) X(i2d_X509_PUBKEY) X(X509_check_host) \
    X(X509_new) X(X509_set_version) X(X509_get_serialNumber) X(ASN1_INTEGER_set_uint64) \
    X(X509_gmtime_adj) X(X509_getm_notBefore) X(X509_getm_notAfter) X(X509_set_pubkey) \
    X(X509_get_subject_name) X(X509_set_issuer_name) X(X509_NAME_add_entry_by_txt) \
    X(X509V3_EXT_conf_nid) X(X509_EXTENSION_free) X(X509_add_ext) X(X509_sign) \
    X(X509_check_ip_asc) X(X509_free) X(X509_verify_cert_error_string) X(PEM_read_PrivateKey) \
    X(PEM_read_X509) X(PEM_write_PrivateKey) X(PEM_write_X509) X(EVP_PKEY_Q_keygen) \
    X(EVP_PKEY_free) X(EVP_Digest) X(EVP_sha1) X(EVP_sha256) X(CRYPTO_memcmp) X(RAND_bytes) \
    X(BIO_get_new_index) X(BIO_meth_new) X(BIO_meth_set_read) X(BIO_meth_set_write) \
    X(BIO_meth_set_ctrl) X(BIO_new) X(BIO_set_init) X(BIO_set_data) X(BIO_get_data) \
    X(BIO_set_flags) X(BIO_clear_flags) X(BIO_new_mem_buf) X(BIO_new_file) X(BIO_free) X(PKCS7_sign) X(PKCS7_free) \
    X(SMIME_write_PKCS7) X(ERR_clear_error) X(ERR_peek_error) \
    X(ERR_peek_last_error) X(ERR_reason_error_string)
/* clang-format on */

struct robo__openssl {
    ROBO__OPENSSL_FUNCTIONS(ROBO__SHARED_MEMBER)
};

/* Loads it, once. NULL with a message in why: it is not there. Any thread; reads files. */
const struct robo__openssl *robo__openssl(char why[256]);
