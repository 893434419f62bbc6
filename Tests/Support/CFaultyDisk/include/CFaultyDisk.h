/// A disk in memory below SQLite (a VFS), with the faults that a seed makes of it.
///
/// It keeps of each file what the system shows, what a power cut leaves for certain, and every change between the two. Not
/// for several threads: one world's processes run on one.
#ifndef CFAULTYDISK_H
#define CFAULTYDISK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct faulty_disk faulty_disk;

/// What may go wrong with an operation.
typedef enum {
    /// A read fails.
    FAULTY_READ,
    /// A write fails; a part of it may have happened.
    FAULTY_WRITE,
    /// There is no room for a file to grow.
    FAULTY_FULL,
    /// A sync fails; what it should have written stays for the next one, or is lost, and the next one succeeds without it.
    FAULTY_SYNC,
    /// A sync says that it succeeded, and writes nothing.
    FAULTY_LIE,
    /// A file cannot be opened.
    FAULTY_OPEN,
    /// The process dies before a change.
    FAULTY_DEATH,
    /// The power fails before a change.
    FAULTY_CUT,
    FAULTY_FAULTS
} faulty_fault;

/// A disk without files; its VFS is registered until it is freed.
faulty_disk *faulty_disk_new(uint64_t seed);
void faulty_disk_free(faulty_disk *disk);
/// The name of its VFS.
const char *faulty_disk_name(const faulty_disk *disk);

/// The operations of 10,000 that fail so; 0 for all in the beginning.
void faulty_disk_set_rate(faulty_disk *disk, faulty_fault fault, int rate);
/// How often it happened.
int faulty_disk_count(const faulty_disk *disk, faulty_fault fault);
/// Nothing goes wrong while it is calm, whatever the rates.
void faulty_disk_set_calm(faulty_disk *disk, bool is_calm);

/// The process that opens files from now on.
void faulty_disk_enter(faulty_disk *disk, int process);
/// Ends a process: what it has open can do nothing more, and its locks are free.
void faulty_disk_end(faulty_disk *disk, int process);
/// True if it was not ended, by a fault or from outside.
bool faulty_disk_is_alive(const faulty_disk *disk, int process);
/// Ends all processes that have files open, and the one that opens them; of each file there is left what was synced, and of what was not any part, torn at sectors of 512 bytes.
void faulty_disk_cut(faulty_disk *disk);

/// Makes a file with these bytes, durable.
void faulty_disk_put(faulty_disk *disk, const char *path, const void *bytes, int64_t count);
/// The size of a file as the system shows it, or as a power cut would leave it without what is not synced; -1: there is none.
int64_t faulty_disk_size(const faulty_disk *disk, const char *path, bool is_synced);
/// Cuts a file off at this length, synced bytes as well.
void faulty_disk_truncate(faulty_disk *disk, const char *path, int64_t size);

#endif
