// The upserts of registrations in a plain loop: what SQLite alone does on this machine.
//
//     plain-sqlite FILE SECONDS RUN
//
// FILE is a database of bugle-server, whose tables, indexes and triggers are used as they are. Each upsert is a
// transaction of its own, in WAL mode with synchronous=FULL. Prints registrations a second, then the median and the
// 99th percentile of their times in milliseconds.
#include "../registrations/registration.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *database;

static void check(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "plain-sqlite: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static sqlite3_stmt *prepared(const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
    return statement;
}

static int run(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    check(code);
    return code;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    if (argc != 4) return 64;
    double seconds = atof(argv[2]);
    uint64_t number = strtoull(argv[3], NULL, 10);
    check(sqlite3_open(argv[1], &database));
    check(sqlite3_exec(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536", 0, 0, 0));
    sqlite3_stmt *begin = prepared("BEGIN IMMEDIATE"), *commit = prepared("COMMIT");
    sqlite3_stmt *known = prepared("SELECT id, objectId, createdAt, document FROM installation WHERE deviceToken = ?");
    sqlite3_stmt *insert =
        prepared("INSERT INTO installation(objectId, createdAt, updatedAt, document) VALUES (?, ?, ?, ?)");
    sqlite3_stmt *update = prepared("UPDATE installation SET updatedAt = ?, document = ? WHERE id = ?");
    size_t capacity = 1 << 20, count = 0;
    double *times = malloc(capacity * sizeof *times);
    double start = now(), end = start;
    while (end - start < seconds) {
        char token[65], document[512], object[32];
        uint64_t device = device_of(count);
        device_token(token, number, device);
        int length = registration(document, sizeof document, token, device, "bench");
        length += snprintf(document + length - 1, sizeof document - (size_t)length, ",\"valid\":true}") - 1;
        sqlite3_int64 instant = (sqlite3_int64)time(NULL) * 1000;
        run(begin);
        sqlite3_bind_text(known, 1, token, 64, SQLITE_STATIC);
        if (run(known) == SQLITE_ROW) {
            sqlite3_int64 row = sqlite3_column_int64(known, 0);
            sqlite3_bind_int64(update, 1, instant);
            sqlite3_bind_text(update, 2, document, length, SQLITE_STATIC);
            sqlite3_bind_int64(update, 3, row);
            sqlite3_reset(known);
            run(update);
            sqlite3_reset(update);
        } else {
            sqlite3_reset(known);
            int digits = snprintf(object, sizeof object, "%024llx", (unsigned long long)mixed(count ^ number << 32));
            sqlite3_bind_text(insert, 1, object, digits, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 2, instant);
            sqlite3_bind_int64(insert, 3, instant);
            sqlite3_bind_text(insert, 4, document, length, SQLITE_STATIC);
            run(insert);
            sqlite3_reset(insert);
        }
        run(commit);
        sqlite3_reset(begin);
        sqlite3_reset(commit);
        double last = end;
        end = now();
        if (count == capacity) times = realloc(times, (capacity *= 2) * sizeof *times);
        times[count++] = (end - last) * 1000;
    }
    qsort(times, count, sizeof *times, ascending);
    printf("%.0f %.3f %.3f\n", count / (end - start), times[count / 2], times[count * 99 / 100]);
    return 0;
}
