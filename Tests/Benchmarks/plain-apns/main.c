#define _GNU_SOURCE
// The sender's measure: notifications through libcurl's multi interface, as a plain C program writes it.
//
//     plain-apns PORT CA-FILE CONNECTIONS STREAMS COUNT
//
// Sends COUNT notifications to 127.0.0.1:PORT over so many connections with so many streams each, with the settings of
// the sender: body by a read callback, sockets corked around each batch, easy handles and header lists reused, a parsed
// URL, a time limit for each request. Prints pushes a second, then microseconds of processor time for each push.
// Exit status 1 when an answer is not 200.
#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "../apns-push/push.h"

// The headers that all requests share: those of a token, and none that libcurl would add.
static const char *const headers[] = {
    "authorization: bearer " PUSH_TOKEN, "apns-topic: " PUSH_TOPIC, "apns-push-type: alert", "apns-priority: 10",
    "apns-expiration: " PUSH_EXPIRATION, "Content-Type:", "Accept:", NULL};

typedef struct {
    CURL *handle;
    CURLU *url;
    struct curl_slist head;
    char identifier[64];
    size_t given;
} Slot;

static int sockets[64], socketCount;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static size_t give(char *room, size_t size, size_t count, void *context) {
    Slot *slot = context;
    size_t left = sizeof PUSH_BODY - 1 - slot->given, part = left < size * count ? left : size * count;
    memcpy(room, PUSH_BODY + slot->given, part);
    slot->given += part;
    return part;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)context;
    return size * count;
}

static int refuse(void *context, curl_off_t offset, int origin) {
    (void)context, (void)offset, (void)origin;
    return CURL_SEEKFUNC_FAIL;
}

static int note(void *context, curl_socket_t descriptor, curlsocktype purpose) {
    (void)context, (void)purpose;
    if (socketCount < 64) sockets[socketCount++] = descriptor;
    return CURL_SOCKOPT_OK;
}

static void cork(int on) {
    for (int i = 0; i < socketCount; i++) setsockopt(sockets[i], IPPROTO_TCP, TCP_CORK, &on, sizeof on);
}

static void begin(CURLM *multi, Slot *slot, long number) {
    char path[128];
    snprintf(path, sizeof path, "/3/device/%064lx", number % PUSH_TOKENS);
    snprintf(slot->identifier, sizeof slot->identifier, "apns-id: %08lx-1111-8222-8333-444444444444", number);
    curl_url_set(slot->url, CURLUPART_PATH, path, 0);
    slot->given = 0;
    curl_multi_add_handle(multi, slot->handle);
}

int main(int argc, char **argv) {
    if (argc != 6) return fprintf(stderr, "usage: plain-apns PORT CA-FILE CONNECTIONS STREAMS COUNT\n"), 64;
    long connections = atol(argv[3]), streams = atol(argv[4]), count = atol(argv[5]);
    long places = connections * streams, begun = 0, ended = 0;
    char base[64];
    snprintf(base, sizeof base, "https://127.0.0.1:%s", argv[1]);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections);
    curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, streams);
    struct curl_slist *shared = NULL;
    for (const char *const *line = headers; *line; line++) shared = curl_slist_append(shared, *line);
    Slot *slots = calloc((size_t)places, sizeof *slots);
    for (long i = 0; i < places; i++) {
        Slot *slot = &slots[i];
        slot->url = curl_url();
        curl_url_set(slot->url, CURLUPART_URL, base, 0);
        slot->head = (struct curl_slist){slot->identifier, shared};
        CURL *handle = slot->handle = curl_easy_init();
        curl_easy_setopt(handle, CURLOPT_CURLU, slot->url);
        curl_easy_setopt(handle, CURLOPT_CAINFO, argv[2]);
        curl_easy_setopt(handle, CURLOPT_PROXY, "");
        curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        curl_easy_setopt(handle, CURLOPT_PIPEWAIT, 1L);
        curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, 30000L);
        curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, 4096L);
        curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
        curl_easy_setopt(handle, CURLOPT_POST, 1L);
        curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, (long)(sizeof PUSH_BODY - 1));
        curl_easy_setopt(handle, CURLOPT_HTTPHEADER, &slot->head);
        curl_easy_setopt(handle, CURLOPT_READFUNCTION, give);
        curl_easy_setopt(handle, CURLOPT_READDATA, slot);
        curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, refuse);
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, ignore);
        curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, ignore);
        curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, note);
        curl_easy_setopt(handle, CURLOPT_PRIVATE, slot);
    }
    double begin_time = now(), begin_processor = push_processor_time();
    for (long i = 0; i < places && begun < count; i++) begin(multi, &slots[i], begun++);
    while (ended < count) {
        int running, left;
        cork(1);
        curl_multi_perform(multi, &running);
        cork(0);
        CURLMsg *message;
        int hasBegun = 0;
        while ((message = curl_multi_info_read(multi, &left))) {
            Slot *slot;
            long status;
            CURL *handle = message->easy_handle;
            CURLcode code = message->data.result;
            curl_easy_getinfo(handle, CURLINFO_PRIVATE, &slot);
            curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
            if (status != 200) return fprintf(stderr, "plain-apns: status %ld, code %d\n", status, code), 1;
            curl_multi_remove_handle(multi, handle);
            ended++;
            if (begun < count) begin(multi, slot, begun++), hasBegun = 1;
        }
        if (!hasBegun && ended < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    double seconds = now() - begin_time, used = push_processor_time() - begin_processor;
    printf("%.0f %.2f\n", (double)count / seconds, used / (double)count * 1e6);
    return 0;
}
