#include "CFaultyDisk.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512, REGIONS = 64, MOST_PROCESSES = 4096 };

// The bytes of a file.
typedef struct {
    unsigned char *bytes;
    int64_t size, capacity;
} content;

typedef enum { WRITE, TRUNCATE, REMOVE } change_kind;

// A change that was not synced yet.
typedef struct change {
    struct change *next;
    change_kind kind;
    int64_t offset, length;
    // A sync of it failed.
    bool is_lost;
    unsigned char bytes[];
} change;

typedef struct handle handle;

typedef struct file {
    struct file *next;
    char *path;
    // What the system shows, and what a power cut leaves for certain.
    content shown, synced;
    bool exists, is_durable;
    change *first, **last;
    handle *handles;
    // The index of a log, in memory that processes share; as it was when one of them died that has not noticed yet.
    unsigned char *regions[REGIONS], *kept[REGIONS];
    int region_count, region_size;
} file;

struct handle {
    sqlite3_file base;
    faulty_disk *disk;
    file *file;
    handle *next;
    int process, level;
    bool is_dead, is_temporary, maps;
    // Locks of the index, a bit each.
    unsigned shared, exclusive;
};

struct faulty_disk {
    sqlite3_vfs vfs;
    char name[32];
    uint64_t random;
    int rates[FAULTY_FAULTS], counts[FAULTY_FAULTS];
    bool is_calm;
    int process;
    bool has_ended[MOST_PROCESSES];
    file *files;
    // What a process may still have addresses of.
    void **old;
    int old_count;
};

// MARK: - Chance

static uint64_t next_random(faulty_disk *disk) {
    uint64_t z = disk->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static int64_t number_below(faulty_disk *disk, int64_t end) { return end > 0 ? (int64_t)(next_random(disk) % (uint64_t)end) : 0; }

static bool happens(faulty_disk *disk, faulty_fault fault) {
    if (disk->is_calm || !disk->rates[fault] || number_below(disk, 10000) >= disk->rates[fault]) return false;
    disk->counts[fault] += 1;
    return true;
}

// MARK: - Contents

static void *allocated(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    if (!memory) abort();
    return memory;
}

static void resize(content *content, int64_t size) {
    if (size > content->capacity) {
        content->capacity = size * 3 / 2;
        content->bytes = realloc(content->bytes, (size_t)content->capacity);
        if (!content->bytes) abort();
    }
    if (size > content->size) memset(content->bytes + content->size, 0, (size_t)(size - content->size));
    content->size = size;
}

static void place(content *content, const void *bytes, int64_t length, int64_t offset) {
    if (!length) return;
    if (offset + length > content->size) resize(content, offset + length);
    memcpy(content->bytes + offset, bytes, (size_t)length);
}

static void copy(content *to, const content *from) {
    resize(to, 0);
    place(to, from->bytes, from->size, 0);
}

static void drop_changes(file *file) {
    while (file->first) {
        change *next = file->first->next;
        free(file->first);
        file->first = next;
    }
    file->last = &file->first;
}

static void note(file *file, change_kind kind, const void *bytes, int64_t length, int64_t offset) {
    change *made = allocated(sizeof(change) + (size_t)(bytes ? length : 0));
    made->kind = kind;
    made->offset = offset;
    made->length = length;
    if (bytes) memcpy(made->bytes, bytes, (size_t)length);
    *file->last = made;
    file->last = &made->next;
}

static void settle(file *file, const change *made) {
    switch (made->kind) {
    case WRITE: place(&file->synced, made->bytes, made->length, made->offset); break;
    case TRUNCATE: if (made->offset < file->synced.size) resize(&file->synced, made->offset); break;
    case REMOVE: resize(&file->synced, 0); file->is_durable = false; return;
    }
    file->is_durable = true;
}

static void settle_all(file *file) {
    for (change *made = file->first; made; made = made->next)
        if (!made->is_lost) settle(file, made);
    drop_changes(file);
}

// The folder's own sync, which comes with the first one of a new file: no name that was removed comes back.
static void settle_names(faulty_disk *disk) {
    for (file *file = disk->files; file; file = file->next) {
        change **rest = NULL;
        for (change **place = &file->first; *place; place = &(*place)->next)
            if ((*place)->kind == REMOVE) rest = &(*place)->next;
        if (!rest) continue;
        change *kept = *rest, **last = kept ? file->last : NULL;
        *rest = NULL;
        settle_all(file);
        if (kept) file->first = kept, file->last = last;
    }
}

// The sectors of a write that arrived, each by chance.
static void settle_torn(faulty_disk *disk, file *file, const change *made) {
    if (made->kind != WRITE) return;
    for (int64_t done = 0; done < made->length;) {
        int64_t length = SECTOR - (made->offset + done) % SECTOR;
        if (length > made->length - done) length = made->length - done;
        if (number_below(disk, 2)) place(&file->synced, made->bytes + done, length, made->offset + done);
        done += length;
    }
    file->is_durable = true;
}

// MARK: - Files

static file *find(const faulty_disk *disk, const char *path) {
    for (file *file = disk->files; file; file = file->next)
        if (file->path && path && !strcmp(file->path, path)) return file;
    return NULL;
}

static file *make(faulty_disk *disk, const char *path) {
    file *made = allocated(sizeof(file));
    made->path = path ? strdup(path) : NULL;
    made->last = &made->first;
    made->next = disk->files;
    return disk->files = made;
}

static void retire(faulty_disk *disk, void *memory) {
    disk->old = realloc(disk->old, sizeof(void *) * (size_t)(disk->old_count + 1));
    if (!disk->old) abort();
    disk->old[disk->old_count++] = memory;
}

// The index of a log lasts as long as a living process has it.
static void drop_index(faulty_disk *disk, file *file) {
    for (handle *handle = file->handles; handle; handle = handle->next)
        if (handle->maps && !handle->is_dead) return;
    for (int i = 0; i < file->region_count; i++) retire(disk, file->regions[i]);
    for (int i = 0; i < REGIONS; i++) {
        free(file->kept[i]);
        file->kept[i] = file->regions[i] = NULL;
    }
    file->region_count = 0;
}

static void end_handle(faulty_disk *disk, handle *handle) {
    handle->is_dead = true;
    handle->level = SQLITE_LOCK_NONE;
    handle->shared = handle->exclusive = 0;
    // A process that is dead does not clean up behind it: what the code of this one still does to the index is undone.
    for (int i = 0; i < handle->file->region_count; i++) {
        size_t size = (size_t)handle->file->region_size;
        if (!handle->file->kept[i]) {
            handle->file->kept[i] = allocated(size);
            memcpy(handle->file->kept[i], handle->file->regions[i], size);
        }
    }
    drop_index(disk, handle->file);
}

void faulty_disk_enter(faulty_disk *disk, int process) {
    disk->process = process;
    for (file *file = disk->files; file; file = file->next)
        for (int i = 0; i < file->region_count; i++) {
            if (file->kept[i]) memcpy(file->regions[i], file->kept[i], (size_t)file->region_size);
            free(file->kept[i]);
            file->kept[i] = NULL;
        }
}

void faulty_disk_end(faulty_disk *disk, int process) {
    if (process >= 0 && process < MOST_PROCESSES) disk->has_ended[process] = true;
    for (file *file = disk->files; file; file = file->next)
        for (handle *handle = file->handles; handle; handle = handle->next)
            if (handle->process == process && !handle->is_dead) end_handle(disk, handle);
    // The one that only looks on comes again.
    if (process == 0) disk->has_ended[0] = false;
}

bool faulty_disk_is_alive(const faulty_disk *disk, int process) {
    return process >= 0 && process < MOST_PROCESSES && !disk->has_ended[process];
}

// What is left of a file when the power fails.
static void lose(faulty_disk *disk, file *file) {
    // A name that was removed may be there again, and then nothing of a later file of that name.
    bool has_removal = false;
    for (change *made = file->first; made; made = made->next) has_removal |= made->kind == REMOVE;
    bool is_removed = has_removal && number_below(disk, 2);
    int64_t mode = number_below(disk, 4), count = 0;
    for (change *made = file->first; made; made = made->next) count += 1;
    int64_t whole = mode == 1 ? count : mode == 2 ? number_below(disk, count + 1) : 0;
    for (change *made = file->first; made; made = made->next) {
        if (made->kind == REMOVE) {
            if (!is_removed) break;
            settle(file, made);
            whole -= 1;
            continue;
        }
        bool arrives = whole > 0 && !made->is_lost;
        bool is_next = mode == 2 && whole == 0;
        whole -= 1;
        if (arrives) settle(file, made);
        else if (is_next) settle_torn(disk, file, made);
        else if (mode == 3) {
            int64_t part = number_below(disk, made->is_lost ? 6 : 3);
            if (part == 0) settle(file, made);
            if (part == 1) settle_torn(disk, file, made);
        }
    }
    drop_changes(file);
    copy(&file->shown, &file->synced);
    file->exists = file->is_durable;
}

void faulty_disk_cut(faulty_disk *disk) {
    if (disk->process) disk->has_ended[disk->process] = true;
    for (file *file = disk->files; file; file = file->next) {
        for (handle *handle = file->handles; handle; handle = handle->next) {
            if (handle->process) disk->has_ended[handle->process] = true;
            if (!handle->is_dead) end_handle(disk, handle);
        }
        lose(disk, file);
    }
}

// MARK: - Operations

static handle *of(sqlite3_file *base) { return (handle *)base; }

// False if the process of a handle dies before a change, or with its machine.
static bool may_change(handle *handle) {
    if (handle->is_dead) return false;
    if (happens(handle->disk, FAULTY_CUT)) {
        faulty_disk_cut(handle->disk);
        return false;
    }
    if (happens(handle->disk, FAULTY_DEATH)) {
        faulty_disk_end(handle->disk, handle->process);
        return false;
    }
    return true;
}

static void change_file(file *file, const void *bytes, int64_t length, int64_t offset) {
    place(&file->shown, bytes, length, offset);
    note(file, WRITE, bytes, length, offset);
}

static int disk_close(sqlite3_file *base) {
    handle *handle = of(base);
    file *file = handle->file;
    struct handle **place = &file->handles;
    while (*place != handle) place = &(*place)->next;
    *place = handle->next;
    if (handle->is_temporary) {
        file->exists = false;
        resize(&file->shown, 0);
        resize(&file->synced, 0);
        drop_changes(file);
    }
    return SQLITE_OK;
}

static int disk_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    handle *handle = of(base);
    if (handle->is_dead || happens(handle->disk, FAULTY_READ)) return SQLITE_IOERR_READ;
    content *shown = &handle->file->shown;
    int64_t there = shown->size > offset ? shown->size - offset : 0;
    if (there > count) there = count;
    if (there) memcpy(bytes, shown->bytes + offset, (size_t)there);
    if (there == count) return SQLITE_OK;
    memset((char *)bytes + there, 0, (size_t)(count - there));
    return SQLITE_IOERR_SHORT_READ;
}

static int disk_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    handle *handle = of(base);
    if (!may_change(handle)) return SQLITE_IOERR_WRITE;
    if (offset + count > handle->file->shown.size && happens(handle->disk, FAULTY_FULL)) return SQLITE_FULL;
    if (happens(handle->disk, FAULTY_WRITE)) {
        change_file(handle->file, bytes, number_below(handle->disk, count), offset);
        return SQLITE_IOERR_WRITE;
    }
    change_file(handle->file, bytes, count, offset);
    return SQLITE_OK;
}

static int disk_truncate(sqlite3_file *base, sqlite3_int64 size) {
    handle *handle = of(base);
    if (!may_change(handle) || happens(handle->disk, FAULTY_WRITE)) return SQLITE_IOERR_TRUNCATE;
    if (size < handle->file->shown.size) resize(&handle->file->shown, size);
    note(handle->file, TRUNCATE, NULL, 0, size);
    return SQLITE_OK;
}

static int disk_sync(sqlite3_file *base, int flags) {
    handle *handle = of(base);
    file *file = handle->file;
    (void)flags;
    if (!may_change(handle)) return SQLITE_IOERR_FSYNC;
    if (happens(handle->disk, FAULTY_LIE)) return SQLITE_OK;
    if (happens(handle->disk, FAULTY_SYNC)) {
        if (number_below(handle->disk, 2)) return SQLITE_IOERR_FSYNC;
        // The system has dropped them, and shows what the disk has once it needs the memory.
        bool is_forgotten = number_below(handle->disk, 2);
        for (change *made = file->first; made; made = made->next) {
            made->is_lost = made->kind == WRITE;
            for (int64_t i = 0; is_forgotten && made->kind == WRITE && i < made->length; i++) {
                int64_t at = made->offset + i;
                if (at < file->shown.size) file->shown.bytes[at] = at < file->synced.size ? file->synced.bytes[at] : 0;
            }
        }
        return SQLITE_IOERR_FSYNC;
    }
    bool is_new = !file->is_durable;
    for (change *made = file->first; made; made = made->next) is_new |= made->kind == REMOVE;
    settle_all(file);
    file->is_durable = true;
    if (is_new) settle_names(handle->disk);
    return SQLITE_OK;
}

static int disk_file_size(sqlite3_file *base, sqlite3_int64 *size) {
    if (of(base)->is_dead) return SQLITE_IOERR_FSTAT;
    *size = of(base)->file->shown.size;
    return SQLITE_OK;
}

static int disk_file_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int disk_sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int disk_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

// MARK: - Locks

static int disk_lock(sqlite3_file *base, int level) {
    handle *handle = of(base);
    if (handle->is_dead) return SQLITE_IOERR_LOCK;
    for (struct handle *other = handle->file->handles; other; other = other->next) {
        if (other == handle || other->is_dead) continue;
        bool is_shut = other->level >= SQLITE_LOCK_PENDING;
        if (level == SQLITE_LOCK_SHARED ? is_shut : level == SQLITE_LOCK_EXCLUSIVE ? other->level >= SQLITE_LOCK_SHARED
                                                                                   : other->level >= SQLITE_LOCK_RESERVED)
            return SQLITE_BUSY;
    }
    if (level > handle->level) handle->level = level;
    return SQLITE_OK;
}

static int disk_unlock(sqlite3_file *base, int level) {
    if (level < of(base)->level) of(base)->level = level;
    return SQLITE_OK;
}

static int disk_check_reserved(sqlite3_file *base, int *is_reserved) {
    *is_reserved = 0;
    for (handle *other = of(base)->file->handles; other; other = other->next)
        if (!other->is_dead && other->level >= SQLITE_LOCK_RESERVED) *is_reserved = 1;
    return SQLITE_OK;
}

static int disk_shm_map(sqlite3_file *base, int region, int size, int extends, void volatile **memory) {
    handle *handle = of(base);
    file *file = handle->file;
    *memory = NULL;
    if (handle->is_dead || region >= REGIONS) return SQLITE_IOERR_SHMMAP;
    handle->maps = true;
    file->region_size = size;
    while (extends && file->region_count <= region) file->regions[file->region_count++] = allocated((size_t)size);
    if (region < file->region_count) *memory = file->regions[region];
    return SQLITE_OK;
}

static int disk_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
    handle *handle = of(base);
    unsigned mask = ((1u << count) - 1) << offset;
    if (flags & SQLITE_SHM_UNLOCK) {
        handle->shared &= ~mask;
        handle->exclusive &= ~mask;
        return SQLITE_OK;
    }
    if (handle->is_dead) return SQLITE_IOERR_SHMLOCK;
    for (struct handle *other = handle->file->handles; other; other = other->next) {
        if (other == handle || other->is_dead) continue;
        if (other->exclusive & mask || (flags & SQLITE_SHM_EXCLUSIVE && other->shared & mask)) return SQLITE_BUSY;
    }
    if (flags & SQLITE_SHM_EXCLUSIVE) handle->exclusive |= mask;
    else handle->shared |= mask;
    return SQLITE_OK;
}

static void disk_shm_barrier(sqlite3_file *base) { (void)base; }

static int disk_shm_unmap(sqlite3_file *base, int deletes) {
    (void)deletes;
    of(base)->maps = false;
    of(base)->shared = of(base)->exclusive = 0;
    drop_index(of(base)->disk, of(base)->file);
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    2, disk_close, disk_read, disk_write, disk_truncate, disk_sync, disk_file_size, disk_lock, disk_unlock,
    disk_check_reserved, disk_file_control, disk_sector_size, disk_characteristics, disk_shm_map, disk_shm_lock,
    disk_shm_barrier, disk_shm_unmap, NULL, NULL,
};

// MARK: - The file system

static faulty_disk *of_vfs(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *opened) {
    faulty_disk *disk = of_vfs(vfs);
    handle *handle = of(base);
    memset(handle, 0, sizeof(struct handle));
    if (!faulty_disk_is_alive(disk, disk->process) || happens(disk, FAULTY_OPEN)) return SQLITE_CANTOPEN;
    file *file = find(disk, path);
    if (!file || !file->exists) {
        if (!(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
        if (!file) file = make(disk, path);
        file->exists = true;
    }
    handle->disk = disk;
    handle->file = file;
    handle->process = disk->process;
    handle->is_temporary = !path || flags & SQLITE_OPEN_DELETEONCLOSE;
    handle->next = file->handles;
    file->handles = handle;
    handle->base.pMethods = &methods;
    if (opened) *opened = flags;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int is_synced) {
    faulty_disk *disk = of_vfs(vfs);
    file *file = find(disk, path);
    if (!faulty_disk_is_alive(disk, disk->process)) return SQLITE_IOERR_DELETE;
    if (!file || !file->exists) return SQLITE_IOERR_DELETE_NOENT;
    file->exists = false;
    resize(&file->shown, 0);
    note(file, REMOVE, NULL, 0, 0);
    if (is_synced) settle_names(disk);
    return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *is_there) {
    file *file = find(of_vfs(vfs), path);
    *is_there = file && file->exists && (flags != SQLITE_ACCESS_EXISTS || file->shown.size > 0);
    return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int count, char *full) {
    (void)vfs;
    return snprintf(full, (size_t)count, "%s", path) < count ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    for (int i = 0; i < count; i++) bytes[i] = (char)next_random(of_vfs(vfs));
    return count;
}

// Whoever waits for a lock does so for one that is not given while it waits: nothing else runs.
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return microseconds;
}

static int vfs_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    (void)vfs;
    *milliseconds = 212000000000000;
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *text) {
    (void)vfs, (void)count, (void)text;
    return 0;
}

// MARK: - Disks

faulty_disk *faulty_disk_new(uint64_t seed) {
    faulty_disk *disk = allocated(sizeof(faulty_disk));
    disk->random = seed;
    snprintf(disk->name, sizeof(disk->name), "faulty-%p", (void *)disk);
    disk->vfs = (sqlite3_vfs){
        .iVersion = 2, .szOsFile = sizeof(handle), .mxPathname = 512, .zName = disk->name, .pAppData = disk,
        .xOpen = vfs_open, .xDelete = vfs_delete, .xAccess = vfs_access, .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness, .xSleep = vfs_sleep, .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_time,
    };
    if (sqlite3_vfs_register(&disk->vfs, 0) != SQLITE_OK) abort();
    return disk;
}

void faulty_disk_free(faulty_disk *disk) {
    sqlite3_vfs_unregister(&disk->vfs);
    while (disk->files) {
        file *file = disk->files;
        disk->files = file->next;
        drop_changes(file);
        for (int i = 0; i < REGIONS; i++) {
            free(file->regions[i]);
            free(file->kept[i]);
        }
        free(file->shown.bytes);
        free(file->synced.bytes);
        free(file->path);
        free(file);
    }
    for (int i = 0; i < disk->old_count; i++) free(disk->old[i]);
    free(disk->old);
    free(disk);
}

const char *faulty_disk_name(const faulty_disk *disk) { return disk->name; }

void faulty_disk_set_rate(faulty_disk *disk, faulty_fault fault, int rate) { disk->rates[fault] = rate; }

int faulty_disk_count(const faulty_disk *disk, faulty_fault fault) { return disk->counts[fault]; }

void faulty_disk_set_calm(faulty_disk *disk, bool is_calm) { disk->is_calm = is_calm; }

void faulty_disk_put(faulty_disk *disk, const char *path, const void *bytes, int64_t count) {
    file *file = find(disk, path);
    if (!file) file = make(disk, path);
    drop_changes(file);
    resize(&file->synced, 0);
    place(&file->synced, bytes, count, 0);
    copy(&file->shown, &file->synced);
    file->exists = file->is_durable = true;
}

int64_t faulty_disk_size(const faulty_disk *disk, const char *path, bool is_synced) {
    file *file = find(disk, path);
    if (!file || !(is_synced ? file->is_durable : file->exists)) return -1;
    return is_synced ? file->synced.size : file->shown.size;
}

void faulty_disk_truncate(faulty_disk *disk, const char *path, int64_t size) {
    file *file = find(disk, path);
    if (!file) return;
    if (size < file->shown.size) resize(&file->shown, size);
    if (size < file->synced.size) resize(&file->synced, size);
}
