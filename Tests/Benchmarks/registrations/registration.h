// The registrations of the benchmark: the same sequence for the load generator and for the plain SQLite loop.
#ifndef REGISTRATION_H
#define REGISTRATION_H
#include <stdint.h>
#include <stdio.h>

// SplitMix64: one number becomes another that looks random.
static uint64_t mixed(uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

// The device of a step: every second step brings a new one, the others bring back one of those before.
static uint64_t device_of(uint64_t step) {
    uint64_t newest = step / 2;
    return step % 2 == 0 ? newest : mixed(step) % (newest + 1);
}

static void device_token(char token[65], uint64_t run, uint64_t device) {
    for (int part = 0; part < 4; part++)
        snprintf(token + 16 * part, 17, "%016llx", (unsigned long long)mixed(run * 1000003 + device * 4 + (uint64_t)part));
}

// What an SDK sends, its keys sorted as they are stored. Returns the length.
static int registration(char *text, size_t size, const char *token, uint64_t device, const char *channel) {
    return snprintf(
        text, size,
        "{\"apnsTopic\":\"org.example.app\",\"badge\":0,\"channels\":[\"%s\",\"group%u\"],\"deviceProfile\":\"driver\","
        "\"deviceToken\":\"%s\",\"deviceType\":\"ios\",\"timeZone\":\"Asia/Shanghai\"}",
        channel, (unsigned)(device % 1000), token);
}
#endif
