#define _GNU_SOURCE
// Sends requests to bugle-server over connections that are kept, and measures them.
//
//     load register PORT CONNECTIONS SECONDS RUN            registrations for some time, with the app key
//     load members PORT CONNECTIONS DEVICES RUN CHANNEL     so many devices of a channel, then ends
//     load repeat PORT RUNS METHOD TARGET [BODY]            one request again and again, with the master key
//
// Prints requests a second, then the median and the 99th percentile of their times in milliseconds. The app is
// BUGLE_BENCH_APP, the keys are BUGLE_SERVER_APP_KEY and BUGLE_SERVER_KEY. Exit status 1 when an answer is no success.
#include "../registrations/registration.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int port;
static uint64_t number;
static const char *channel = "bench";
static uint64_t mostSteps = UINT64_MAX;
static int everyStepIsNew;
static double deadline = 1e18;
static _Atomic uint64_t steps;

typedef struct {
    double *times;
    size_t count, capacity;
} Times;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "load: %s: %.300s\n", what, detail);
    exit(1);
}

static int connected(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1, handle = socket(AF_INET, SOCK_STREAM, 0);
    if (handle < 0 || connect(handle, (struct sockaddr *)&address, sizeof address) < 0) fail("cannot connect", "");
    setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return handle;
}

// What was received of an answer.
typedef struct {
    size_t length;
    char text[8192];
} Answer;

// Receives a part of an answer with a Content-Length; 1 when that was the last. Fails unless its status is 2xx.
static int receive(int handle, Answer *answer) {
    ssize_t got = recv(handle, answer->text + answer->length, sizeof answer->text - 1 - answer->length, 0);
    if (got <= 0) fail("the connection ended", "");
    answer->length += (size_t)got;
    answer->text[answer->length] = 0;
    char *end = strstr(answer->text, "\r\n\r\n");
    if (!end) return 0;
    char *size = strcasestr(answer->text, "content-length:");
    if (!size || size > end) fail("an answer without a length", answer->text);
    if (strncmp(answer->text, "HTTP/1.1 2", 10) != 0) fail("refused", answer->text);
    if (answer->length >= (size_t)(end + 4 - answer->text) + strtoul(size + 15, NULL, 10)) {
        answer->length = 0;
        return 1;
    }
    if (answer->length == sizeof answer->text - 1) fail("a large answer", answer->text);
    return 0;
}

static void ask(int handle, const char *method, const char *target, const char *key, const char *suffix,
                const char *body, int length) {
    char request[4096];
    int head = snprintf(
        request, sizeof request,
        "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nX-LC-Id: %s\r\nX-LC-Key: %s%s\r\nContent-Type: application/json\r\n"
        "Content-Length: %d\r\n\r\n%.*s",
        method, target, getenv("BUGLE_BENCH_APP"), getenv(key), suffix, length, length, body);
    for (int sent = 0; sent < head;) {
        ssize_t part = send(handle, request + sent, (size_t)(head - sent), MSG_NOSIGNAL);
        if (part <= 0) fail("cannot send", "");
        sent += (int)part;
    }
}

static void add(Times *times, double time) {
    if (times->count == times->capacity)
        times->times = realloc(times->times, (times->capacity = times->capacity * 2 + 1024) * sizeof(double));
    times->times[times->count++] = time;
}

// A connection over which one device after the other registers.
typedef struct {
    int handle;
    double begin;
    Answer answer;
} Client;

// Registers the next device; 0 when that was all.
static int begin_next(Client *client) {
    uint64_t step = atomic_fetch_add(&steps, 1);
    client->begin = now();
    if (step >= mostSteps || client->begin >= deadline) return 0;
    uint64_t device = everyStepIsNew ? step : device_of(step);
    char token[65], body[512];
    device_token(token, number, device);
    int length = registration(body, sizeof body, token, device, channel);
    ask(client->handle, "POST", "/1.1/installations", "BUGLE_SERVER_APP_KEY", "", body, length);
    return 1;
}

// The connections of one thread: as in pgbench, a few threads serve all.
typedef struct {
    int connections;
    Times times;
} Share;

static void *registering(void *argument) {
    Share *share = argument;
    Client *clients = calloc((size_t)share->connections, sizeof(Client));
    int events = epoll_create1(0), open = 0;
    for (int i = 0; i < share->connections; i++) clients[i].handle = connected();
    for (int i = 0; i < share->connections; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
        epoll_ctl(events, EPOLL_CTL_ADD, clients[i].handle, &event);
        open += begin_next(&clients[i]);
    }
    while (open > 0) {
        struct epoll_event ready[64];
        int count = epoll_wait(events, ready, 64, -1);
        for (int i = 0; i < count; i++) {
            Client *client = ready[i].data.ptr;
            if (!receive(client->handle, &client->answer)) continue;
            add(&share->times, (now() - client->begin) * 1000);
            if (!begin_next(client)) open--;
        }
    }
    for (int i = 0; i < share->connections; i++) close(clients[i].handle);
    free(clients);
    return NULL;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void report(Times *all, double seconds) {
    qsort(all->times, all->count, sizeof(double), ascending);
    if (all->count == 0) fail("nothing was sent", "");
    printf("%.0f %.3f %.3f\n", all->count / seconds, all->times[all->count / 2], all->times[all->count * 99 / 100]);
}

int main(int argc, char **argv) {
    const char *mode = argc > 5 ? argv[1] : "";
    Times all = {0};
    double start = now();
    port = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(mode, "repeat") == 0) {
        int handle = connected(), runs = atoi(argv[3]);
        const char *body = argc > 6 ? argv[6] : "";
        Answer answer = {0};
        for (int run = 0; run < runs; run++) {
            double begin = now();
            ask(handle, argv[4], argv[5], "BUGLE_SERVER_KEY", ",master", body, (int)strlen(body));
            while (!receive(handle, &answer)) continue;
            add(&all, (now() - begin) * 1000);
        }
    } else if (strcmp(mode, "register") == 0 || (strcmp(mode, "members") == 0 && argc == 7)) {
        int connections = atoi(argv[3]);
        if (connections < 1 || connections > 1024) return 64;
        number = strtoull(argv[5], NULL, 10);
        if (mode[0] == 'm') {
            mostSteps = strtoull(argv[4], NULL, 10);
            everyStepIsNew = 1;
            channel = argv[6];
        } else {
            deadline = start + atof(argv[4]);
        }
        enum { THREADS = 2 };
        pthread_t threads[THREADS];
        Share shares[THREADS] = {0};
        for (int i = 0; i < THREADS; i++) {
            shares[i].connections = (connections + i) / THREADS;
            pthread_create(&threads[i], NULL, registering, &shares[i]);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            for (size_t j = 0; j < shares[i].times.count; j++) add(&all, shares[i].times.times[j]);
        }
    } else {
        fprintf(stderr, "usage: load register PORT CONNECTIONS SECONDS RUN | members PORT CONNECTIONS DEVICES RUN "
                        "CHANNEL | repeat PORT RUNS METHOD TARGET [BODY]\n");
        return 64;
    }
    report(&all, now() - start);
    return 0;
}
