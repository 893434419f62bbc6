// Runs a command several times and prints the median wall time in milliseconds and the largest resident set in MB.
//
//     measure RUNS COMMAND [ARGUMENT ...]
//
// The command's output is thrown away. Exit status 0; 1 when a run could not be started or ended by a signal.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    int runs = argc > 2 ? atoi(argv[1]) : 0;
    if (runs < 1 || runs > 1000) {
        fprintf(stderr, "usage: measure RUNS COMMAND [ARGUMENT ...]\n");
        return 64;
    }
    double *times = calloc((size_t)runs, sizeof *times);
    long largest = 0;
    for (int run = 0; run <= runs; run++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        pid_t child = fork();
        if (child == 0) {
            int null = open("/dev/null", O_RDWR);
            dup2(null, 0);
            dup2(null, 1);
            dup2(null, 2);
            execvp(argv[2], argv + 2);
            _exit(127);
        }
        int status;
        struct rusage usage;
        if (child < 0 || wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127) return 1;
        clock_gettime(CLOCK_MONOTONIC, &end);
        // The first run warms the caches and does not count.
        if (run > 0) times[run - 1] = (end.tv_sec - begin.tv_sec) * 1e3 + (end.tv_nsec - begin.tv_nsec) / 1e6;
        if (usage.ru_maxrss > largest) largest = usage.ru_maxrss;
    }
    qsort(times, (size_t)runs, sizeof *times, ascending);
    printf("%.2f %.1f\n", times[runs / 2], largest / 1024.0);
    free(times);
    return 0;
}
