#define _GNU_SOURCE
// The sender's measure: notifications over connections of libcurl's, framed by nghttp2, as a plain C program writes it.
//
//     plain-apns PORT CA-FILE CONNECTIONS STREAMS COUNT
//
// Sends COUNT notifications to 127.0.0.1:PORT over so many connections with so many streams each. No journal, no time
// limits, nothing is looked at but the status. Prints pushes a second, then microseconds of processor time for each.
// Exit status 1 when an answer is not 200.
#include <curl/curl.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../apns-push/push.h"

typedef struct {
    CURL *handle;
    nghttp2_session *session;
    curl_socket_t socket;
    char text[1 << 14];
    size_t length, sent;
    long inFlight;
} Connection;

static long begun, ended, count, streams;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *why) {
    fprintf(stderr, "plain-apns: %s\n", why);
    exit(1);
}

static CURLcode offer(CURL *handle, void *context, void *user) {
    (void)handle, (void)user;
    return SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\x02h2", 3) ? CURLE_SSL_CONNECT_ERROR : CURLE_OK;
}

static ssize_t give(
    nghttp2_session *session, int32_t stream, uint8_t *room, size_t size, uint32_t *flags, nghttp2_data_source *source,
    void *user) {
    (void)session, (void)stream, (void)user;
    size_t left = sizeof PUSH_BODY - 1 - (size_t)source->fd, part = left < size ? left : size;
    memcpy(room, PUSH_BODY + source->fd, part);
    source->fd += (int)part;
    if (part == left) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)part;
}

static int header(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t nameLength, const uint8_t *value,
    size_t valueLength, uint8_t flags, void *user) {
    (void)session, (void)frame, (void)flags, (void)user;
    if (nameLength == 7 && !memcmp(name, ":status", 7) && (valueLength != 3 || memcmp(value, "200", 3)))
        fail("an answer is not 200");
    return 0;
}

static int closed(nghttp2_session *session, int32_t stream, uint32_t code, void *user) {
    (void)session, (void)stream;
    if (code) fail("a stream was reset");
    ((Connection *)user)->inFlight--;
    ended++;
    return 0;
}

#define FIELD(name, value, length, flag) \
    (nghttp2_nv) { \
        (uint8_t *)(name), (uint8_t *)(value), strlen(name), (length), \
            NGHTTP2_NV_FLAG_NO_COPY_NAME | (flag) \
    }
#define FIXED(name, value) FIELD(name, value, strlen(value), NGHTTP2_NV_FLAG_NO_COPY_VALUE)

static void begin(Connection *connection) {
    char path[80], identifier[40];
    long number = begun++;
    int pathLength = snprintf(path, sizeof path, "/3/device/%064lx", number % PUSH_TOKENS);
    int length = snprintf(identifier, sizeof identifier, "%08lx-1111-8222-8333-444444444444", number);
    nghttp2_nv fields[] = {
        FIXED(":method", "POST"), FIXED(":scheme", "https"), FIXED(":authority", "127.0.0.1"),
        FIELD(":path", path, (size_t)pathLength, 0), FIXED("authorization", "bearer " PUSH_TOKEN),
        FIXED("apns-topic", PUSH_TOPIC), FIXED("apns-push-type", "alert"), FIXED("apns-priority", "10"),
        FIXED("apns-expiration", PUSH_EXPIRATION),
        FIELD("apns-id", identifier, (size_t)length, NGHTTP2_NV_FLAG_NO_INDEX)};
    nghttp2_data_provider body = {.source.fd = 0, .read_callback = give};
    if (nghttp2_submit_request(
            connection->session, NULL, fields, sizeof fields / sizeof *fields, &body, NULL) < 0)
        fail("no stream is left");
    connection->inFlight++;
}

static void receive(Connection *connection) {
    static uint8_t bytes[1 << 14];
    size_t size;
    CURLcode code;
    while (!(code = curl_easy_recv(connection->handle, bytes, sizeof bytes, &size)) && size)
        if (nghttp2_session_mem_recv(connection->session, bytes, size) < 0) fail("nghttp2_session_mem_recv");
    if (code != CURLE_AGAIN) fail("the server closed a connection");
}

static void transmit(Connection *connection) {
    while (1) {
        if (connection->sent == connection->length) {
            connection->sent = connection->length = 0;
            const uint8_t *frame;
            ssize_t size;
            while (connection->length < 15000
                   && (size = nghttp2_session_mem_send(connection->session, &frame)) > 0) {
                memcpy(connection->text + connection->length, frame, (size_t)size);
                connection->length += (size_t)size;
            }
            if (!connection->length) return;
        }
        size_t size;
        CURLcode code = curl_easy_send(
            connection->handle, connection->text + connection->sent, connection->length - connection->sent, &size);
        if (code == CURLE_AGAIN) return;
        if (code) fail("curl_easy_send");
        connection->sent += size;
    }
}

static void make(Connection *connection, const char *port, const char *authority) {
    char url[64];
    snprintf(url, sizeof url, "https://127.0.0.1:%s", port);
    CURL *handle = connection->handle = curl_easy_init();
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_CAINFO, authority);
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(handle, CURLOPT_SSL_ENABLE_ALPN, 0L);
    curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, offer);
    if (curl_easy_perform(handle)) fail("no connection");
    curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &connection->socket);
    nghttp2_session_callbacks *callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, header);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, closed);
    nghttp2_session_client_new(&connection->session, callbacks, connection);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, NULL, 0);
}

int main(int argc, char **argv) {
    if (argc != 6) return fprintf(stderr, "usage: plain-apns PORT CA-FILE CONNECTIONS STREAMS COUNT\n"), 64;
    long connections = atol(argv[3]);
    streams = atol(argv[4]), count = atol(argv[5]);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    Connection *all = calloc((size_t)connections, sizeof *all);
    struct pollfd *sockets = calloc((size_t)connections, sizeof *sockets);
    for (long i = 0; i < connections; i++) make(&all[i], argv[1], argv[2]);
    double begin_time = now(), begin_processor = push_processor_time();
    while (ended < count) {
        for (long i = 0; i < connections; i++) {
            while (begun < count && all[i].inFlight < streams) begin(&all[i]);
            transmit(&all[i]);
            int isFull = all[i].sent < all[i].length;
            sockets[i] = (struct pollfd){all[i].socket, (short)(POLLIN | (isFull ? POLLOUT : 0)), 0};
        }
        poll(sockets, (nfds_t)connections, 1000);
        for (long i = 0; i < connections; i++)
            if (sockets[i].revents) receive(&all[i]);
    }
    double seconds = now() - begin_time, used = push_processor_time() - begin_processor;
    printf("%.0f %.2f\n", (double)count / seconds, used / (double)count * 1e6);
    return 0;
}
