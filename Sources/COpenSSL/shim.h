#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <openssl/provider.h>
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

/* Whether an error of the queue says that an algorithm is not known or no loaded provider has it. */
static inline int bugle_error_is_unsupported(unsigned long error) {
    int reason = ERR_GET_REASON(error);
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
#endif
