#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>
#include <openssl/ssl.h>

// libcurl 7.80 brought the callback before each attempt, without which a request cannot be kept from being repeated.
#if LIBCURL_VERSION_NUM < 0x075000
#error "libcurl 7.80 or newer is needed"
#endif

// Each name in parentheses is the function itself, not the type-checking macro of the same name.

/// Wrapper for `curl_easy_setopt` with a whole number, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_setopt_long(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Wrapper for `curl_easy_setopt` with a size, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_setopt_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Wrapper for `curl_easy_setopt` with a text, which libcurl copies, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_setopt_string(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Wrapper for `curl_easy_setopt` with a pointer, which libcurl keeps, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_setopt_pointer(CURL *handle, CURLoption option, void *value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Wrapper for `curl_easy_setopt` with bytes, which libcurl copies, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_setopt_copy(CURL *handle, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return (curl_easy_setopt)(handle, option, &blob);
}

/// Wrapper for `curl_easy_setopt` with a list, which libcurl keeps, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_setopt_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Wrapper for `curl_easy_setopt` with a function that takes or gives bytes (read, write and header have one shape),
/// because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_setopt_transfer(CURL *handle, CURLoption option, curl_write_callback value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Wrapper for `curl_easy_setopt` with a function that seeks, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_setopt_seek(CURL *handle, CURLoption option, curl_seek_callback value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Wrapper for `curl_easy_setopt` with a function called before each attempt, because Swift cannot call variadic
/// functions.
static inline CURLcode ccurl_easy_setopt_prerequest(CURL *handle, CURLoption option, curl_prereq_callback value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Wrapper for `curl_easy_setopt` with a function called for each new socket, because Swift cannot call variadic
/// functions.
static inline CURLcode ccurl_easy_setopt_sockopt(CURL *handle, CURLoption option, curl_sockopt_callback value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Wrapper for `curl_easy_setopt` with bytes, which must live as long as the handle, because Swift cannot call variadic
/// functions.
static inline CURLcode ccurl_easy_setopt_blob(CURL *handle, CURLoption option, void *bytes, size_t count) {
    struct curl_blob blob = {bytes, count, CURL_BLOB_NOCOPY};
    return (curl_easy_setopt)(handle, option, &blob);
}

/// Wrapper for `curl_easy_getinfo` with a whole number, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_getinfo_long(CURL *handle, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(handle, info, value);
}

/// Wrapper for `curl_easy_getinfo` with a size, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_getinfo_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return (curl_easy_getinfo)(handle, info, value);
}

/// Wrapper for `curl_easy_getinfo` with a pointer, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_getinfo_pointer(CURL *handle, CURLINFO info, void **value) {
    return (curl_easy_getinfo)(handle, info, value);
}

/// Wrapper for `curl_multi_setopt` with a whole number, because Swift cannot call variadic functions.
static inline CURLMcode ccurl_multi_setopt_long(CURLM *handle, CURLMoption option, long value) {
    return (curl_multi_setopt)(handle, option, value);
}

/// Wrapper for `curl_multi_setopt` with a pointer, which libcurl keeps, because Swift cannot call variadic functions.
static inline CURLMcode ccurl_multi_setopt_pointer(CURLM *handle, CURLMoption option, void *value) {
    return (curl_multi_setopt)(handle, option, value);
}

/// Wrapper for `curl_multi_setopt` with a function that hears which sockets to watch, because Swift cannot call variadic
/// functions.
static inline CURLMcode ccurl_multi_setopt_socket(CURLM *handle, CURLMoption option, curl_socket_callback value) {
    return (curl_multi_setopt)(handle, option, value);
}

/// Wrapper for `curl_multi_setopt` with a function that hears when to come back, because Swift cannot call variadic
/// functions.
static inline CURLMcode ccurl_multi_setopt_timer(CURLM *handle, CURLMoption option, curl_multi_timer_callback value) {
    return (curl_multi_setopt)(handle, option, value);
}

/// Allows https, and plain http if asked for, by the option that the libcurl at hand has for it: the text form came
/// with 7.85, which made the bits deprecated.
static inline CURLcode ccurl_easy_allow_protocols(CURL *handle, int plain) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return (curl_easy_setopt)(handle, CURLOPT_PROTOCOLS_STR, plain ? "http,https" : "https");
#else
    return (curl_easy_setopt)(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTPS | (plain ? CURLPROTO_HTTP : 0)));
#endif
}

/// Lets a transfer end while a name is still being resolved, instead of waiting for the resolver's thread; libcurl
/// before 7.87 has no such option and waits.
static inline CURLcode ccurl_easy_leave_resolver(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return (curl_easy_setopt)(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
    return CURLE_OK;
#endif
}

/// Wrapper for `curl_easy_setopt` with a function that prepares TLS, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_setopt_tls(CURL *handle, curl_ssl_ctx_callback value) {
    return (curl_easy_setopt)(handle, CURLOPT_SSL_CTX_FUNCTION, value);
}

/// Wrapper for `curl_easy_getinfo` with a socket, because Swift cannot call variadic functions.
static inline CURLcode ccurl_easy_getinfo_socket(CURL *handle, curl_socket_t *value) {
    return (curl_easy_getinfo)(handle, CURLINFO_ACTIVESOCKET, value);
}

/// Offers HTTP/2 and nothing else (ALPN); true when that was possible.
static inline int ccurl_offer_http2(void *context) {
    return SSL_CTX_set_alpn_protos((SSL_CTX *)context, (const unsigned char *)"\x02h2", 3) == 0;
}

/// True if the server accepted that offer.
static inline int ccurl_has_http2(CURL *handle) {
    struct curl_tlssessioninfo *session = NULL;
    if ((curl_easy_getinfo)(handle, CURLINFO_TLS_SSL_PTR, &session) || !session || !session->internals
        || session->backend != CURLSSLBACKEND_OPENSSL)
        return 0;
    const unsigned char *name = NULL;
    unsigned int length = 0;
    SSL_get0_alpn_selected((const SSL *)session->internals, &name, &length);
    return length == 2 && name[0] == 'h' && name[1] == '2';
}

#endif
