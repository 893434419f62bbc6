/*
 * The bar for reading: libyaml alone walking the events of every *.yaml file below a folder.
 *
 *     cc -O2 main.c -lyaml -o libyaml-events && ./libyaml-events DIR
 *
 * Prints how many files, events and bytes it met, and the seconds it took, reading included. A file that is not
 * well-formed is named and ends the run with 1.
 */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yaml.h>

static long files, events, bytes, failures;
static unsigned char *buffer;
static size_t capacity;

/* The whole file in `buffer`; its size, or -1. */
static long read_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t length;

    if (!file)
        return -1;
    if (size + 1 > capacity) {
        free(buffer);
        capacity = 2 * size + 4096;
        buffer = malloc(capacity);
        if (!buffer)
            abort();
    }
    setvbuf(file, NULL, _IONBF, 0);
    length = fread(buffer, 1, size, file);
    fclose(file);
    return (long)length;
}

static int walk_events(const unsigned char *text, size_t length)
{
    yaml_parser_t parser;
    yaml_event_t event;
    int is_end = 0;

    if (!yaml_parser_initialize(&parser))
        abort();
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, text, length);
    while (!is_end) {
        if (!yaml_parser_parse(&parser, &event))
            break;
        is_end = event.type == YAML_STREAM_END_EVENT;
        events++;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return is_end;
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *place)
{
    size_t length = strlen(path);
    long size;

    (void)place;
    if (type != FTW_F || length < 5 || strcmp(path + length - 5, ".yaml") != 0)
        return 0;
    size = read_file(path, (size_t)status->st_size);
    if (size < 0 || !walk_events(buffer, (size_t)size)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        failures++;
        return 0;
    }
    files++;
    bytes += size;
    return 0;
}

int main(int argc, char **argv)
{
    struct timespec start, end;

    if (argc != 2) {
        fprintf(stderr, "usage: libyaml-events DIR\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (nftw(argv[1], visit, 16, FTW_PHYS) != 0) {
        perror(argv[1]);
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("files %ld events %ld bytes %ld seconds %.3f\n", files, events, bytes,
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
    return failures ? 1 : 0;
}
