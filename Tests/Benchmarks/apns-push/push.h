#ifndef PUSH_H
#define PUSH_H

// What both programs that are measured against each other send: the same bytes, number by number.
#include <sys/resource.h>

#define PUSH_TOKENS 1000
#define PUSH_TOPIC "com.example.app"
#define PUSH_EXPIRATION "1763786400"
#define PUSH_TOKEN \
    "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzYzNzAwMDAwfQ.MEYCIQDzqyahmH1rz1s-LFNkylXEa2lZ_aOCX4daxxTZkVEGzwIhALvkClnx5m5eAT6Lxw7LZtEQcH6JENhJTMArwLf3sXwi"
#define PUSH_BODY \
    "{\"aps\":{\"alert\":{\"title\":\"Weekend\",\"body\":\"Everything in the shop is a little cheaper until Sunday evening.\"},\"sound\":\"default\",\"thread-id\":\"offers\"},\"campaign\":\"weekend\"}"

// Processor time of this process so far, in seconds.
static inline double push_processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// The most memory that this process ever had, in MB.
static inline long push_most_memory(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

#endif
