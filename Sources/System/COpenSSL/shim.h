#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <openssl/provider.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

/* Swift imports neither the sk_* macros nor the composed ERR_R_* constants; one inline function for each use. */

/* Frees what PKCS12_unpack_authsafes returned, with its elements. */
static inline void bugle_PKCS7_stack_free(STACK_OF(PKCS7) *stack) { sk_PKCS7_pop_free(stack, PKCS7_free); }

static inline int bugle_PKCS7_stack_count(const STACK_OF(PKCS7) *stack) { return sk_PKCS7_num(stack); }

static inline PKCS7 *bugle_PKCS7_stack_value(const STACK_OF(PKCS7) *stack, int index) {
    return sk_PKCS7_value(stack, index);
}

/* Frees what PKCS12_unpack_p7data and PKCS12_unpack_p7encdata returned, with its elements. */
static inline void bugle_safebag_stack_free(STACK_OF(PKCS12_SAFEBAG) *stack) {
    sk_PKCS12_SAFEBAG_pop_free(stack, PKCS12_SAFEBAG_free);
}

static inline int bugle_safebag_stack_count(const STACK_OF(PKCS12_SAFEBAG) *stack) {
    return sk_PKCS12_SAFEBAG_num(stack);
}

static inline PKCS12_SAFEBAG *bugle_safebag_stack_value(const STACK_OF(PKCS12_SAFEBAG) *stack, int index) {
    return sk_PKCS12_SAFEBAG_value(stack, index);
}

/* The NID of the content type of one part of a PKCS#12 file. */
static inline int bugle_PKCS7_type(const PKCS7 *part) { return OBJ_obj2nid(part->type); }

/* How often the checksum of a PKCS#12 file derives its key. */
static inline int64_t bugle_mac_iterations(const PKCS12 *archive) {
    const ASN1_INTEGER *iterations = NULL;
    PKCS12_get0_mac(NULL, NULL, NULL, &iterations, archive);
    /* 1 where the file does not say; -1 is more than a number of C holds. */
    return iterations == NULL ? 1 : ASN1_INTEGER_get(iterations);
}

/* How often an encryption derives its key from the passphrase; 0 when it has no such number, -1 when it is too large. */
static inline int64_t bugle_iterations(const X509_ALGOR *algorithm) {
    int64_t iterations = 0;
    if (OBJ_obj2nid(algorithm->algorithm) == NID_pbes2) {
        PBE2PARAM *scheme = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), algorithm->parameter);
        if (scheme == NULL) return 0;
        PBKDF2PARAM *derivation = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), scheme->keyfunc->parameter);
        if (derivation != NULL) iterations = ASN1_INTEGER_get(derivation->iter);
        PBKDF2PARAM_free(derivation);
        PBE2PARAM_free(scheme);
    } else {
        PBEPARAM *scheme = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBEPARAM), algorithm->parameter);
        if (scheme != NULL && scheme->iter != NULL) iterations = ASN1_INTEGER_get(scheme->iter);
        PBEPARAM_free(scheme);
    }
    ERR_clear_error();
    return iterations;
}

/* The same of an encrypted PKCS#8 key, and of an encrypted part of a PKCS#12 file; 0 when it is none. */
static inline int64_t bugle_key_iterations(const X509_SIG *key) {
    const X509_ALGOR *algorithm = NULL;
    if (key == NULL) return 0;
    X509_SIG_get0(key, &algorithm, NULL);
    return bugle_iterations(algorithm);
}

static inline int64_t bugle_part_iterations(const PKCS7 *part) {
    if (part->d.encrypted == NULL || part->d.encrypted->enc_data == NULL) return 0;
    return bugle_iterations(part->d.encrypted->enc_data->algorithm);
}

/* Whether an error of the queue says that an algorithm is not known or no loaded provider has it. */
static inline int bugle_error_is_unsupported(unsigned long error) {
    int reason = ERR_GET_REASON(error);
    /* Its 'unsupported' is said of bytes that are no key at all, as one text in 256 is that a wrong passphrase opened. */
    if (ERR_GET_LIB(error) == ERR_LIB_OSSL_DECODER) return 0;
    if (reason == ERR_R_UNSUPPORTED || reason == ERR_R_FETCH_FAILED) return 1;
    switch (ERR_GET_LIB(error)) {
    case ERR_LIB_EVP:
        return reason == EVP_R_UNKNOWN_PBE_ALGORITHM || reason == EVP_R_UNSUPPORTED_ALGORITHM
            || reason == EVP_R_UNSUPPORTED_CIPHER || reason == EVP_R_UNSUPPORTED_PRF
            || reason == EVP_R_UNSUPPORTED_KEY_DERIVATION_FUNCTION || reason == EVP_R_UNKNOWN_CIPHER
            || reason == EVP_R_UNSUPPORTED_SALT_TYPE;
    case ERR_LIB_PKCS12:
        return reason == PKCS12_R_UNKNOWN_DIGEST_ALGORITHM || reason == PKCS12_R_UNSUPPORTED_PKCS12_MODE;
    case ERR_LIB_PEM:
        return reason == PEM_R_UNSUPPORTED_ENCRYPTION || reason == PEM_R_UNSUPPORTED_CIPHER;
    default:
        return 0;
    }
}
/* The first 8 bytes, big-endian, of SHA-256 over two runs of bytes. The functions that OpenSSL 3 recommends instead take
   several times as long for a short text: they look for a provider, and allocate. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline uint64_t bugle_SHA256_prefix(const void *start, size_t length, const void *rest, size_t restLength) {
    SHA256_CTX context;
    unsigned char hash[SHA256_DIGEST_LENGTH];
    uint64_t value = 0;
    SHA256_Init(&context);
    SHA256_Update(&context, start, length);
    SHA256_Update(&context, rest, restLength);
    SHA256_Final(hash, &context);
    for (int byte = 0; byte < 8; byte++) value = value << 8 | hash[byte];
    return value;
}
#pragma clang diagnostic pop

#endif
