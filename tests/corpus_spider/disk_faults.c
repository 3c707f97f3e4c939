/* A disk that fails on purpose, put between a program and the C library with LD_PRELOAD.

   DISK_ROOT    only files and folders below it count.
   DISK_FAULT   ACTION@KIND:N. At the N-th call of the KIND (write, sync, name, any) the ACTION: kill (SIGKILL to the
                process group, before the call takes effect), eio or full (from then on the calls fail with EIO,
                ENOSPC), once (that one call fails with EIO).
   DISK_SYNCED  a folder that gets what a power cut would leave: a copy of each file as it was at its last sync, under
                its inode number; of each folder its entries, as lines "INODE NAME", in a file d<INODE>.
   CLOCK_JUMP   SECONDS@N: from the N-th call on the clock of the day is so many seconds ahead, or behind.
   DISK_COUNT   a file that gets one byte a call that counted, so that a test can tell how many there are.
*/
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static const char *root, *synced;
static char action[8], kind[8];
static long fatal, jump, jump_at;
static atomic_long calls;
static int counter = -1;
static atomic_long reached;
static ssize_t (*plain_write)(int, const void *, size_t);

void disk_faults(void);

/* Read the settings; at the start, and by a forked process that has set its own. */
__attribute__((constructor)) void disk_faults(void) {
    const char *fault = getenv("DISK_FAULT"), *count = getenv("DISK_COUNT");
    fatal = jump = jump_at = calls = 0;
    if (getenv("CLOCK_JUMP")) sscanf(getenv("CLOCK_JUMP"), "%ld@%ld", &jump, &jump_at);
    plain_write = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    synced = getenv("DISK_SYNCED");
    root = getenv("DISK_ROOT");
    if (fault && sscanf(fault, "%7[a-z]@%7[a-z]:%ld", action, kind, &fatal) != 3) fatal = 0;
    if (count) counter = open(count, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int below(const char *path) {
    size_t length = root ? strlen(root) : 0;
    return length && !strncmp(path, root, length) && (path[length] == '/' || !path[length]) && !strstr(path, "-shm");
}

static int ours(int descriptor) {
    char link[40], path[PATH_MAX];
    ssize_t length;
    if (!root || descriptor == counter) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return below(path);
}

static int ours_at(const char *path) {
    char whole[PATH_MAX * 2];
    if (!root) return 0;
    if (path[0] == '/') return below(path);
    if (!getcwd(whole, PATH_MAX)) return 0;
    strcat(strcat(whole, "/"), path);
    return below(whole);
}

/* Count a call; return the errno it is to fail with, 0 if it is to work. */
static int fault(const char *call) {
    long number;
    ++calls;
    if (counter >= 0) plain_write(counter, call, 1);
    if (!fatal || (strcmp(kind, "any") && strcmp(kind, call))) return 0;
    number = ++reached;
    if (!strcmp(action, "kill") && number == fatal) {
        kill(0, SIGKILL);
        for (;;) pause();
    }
    if (number < fatal) return 0;
    if (!strcmp(action, "once")) return number == fatal ? EIO : 0;
    if (!strcmp(action, "eio")) return EIO;
    return strcmp(action, "full") ? 0 : ENOSPC;
}

static FILE *shadow(const char *prefix, unsigned long inode, char *path, char *part) {
    snprintf(path, PATH_MAX, "%s/%s%lu", synced, prefix, inode);
    snprintf(part, PATH_MAX, "%s/.part%d", synced, (int)getpid());
    return fopen(part, "wb");
}

static void keep(int descriptor) {
    char path[PATH_MAX], part[PATH_MAX], buffer[1 << 16], name[PATH_MAX];
    struct stat about;
    FILE *copy;
    if (!synced || fstat(descriptor, &about)) return;
    copy = shadow(S_ISDIR(about.st_mode) ? "d" : "", about.st_ino, path, part);
    if (!copy) return;
    if (S_ISDIR(about.st_mode)) {
        struct dirent *entry;
        DIR *folder;
        snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
        if ((folder = opendir(name))) {
            while ((entry = readdir(folder)))
                if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
                    fprintf(copy, "%lu %s\n", (unsigned long)entry->d_ino, entry->d_name);
            closedir(folder);
        }
    } else {
        ssize_t length;
        off_t at = 0;
        snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
        int again = open(name, O_RDONLY | O_CLOEXEC);
        while (again >= 0 && (length = pread(again, buffer, sizeof buffer, at)) > 0) {
            fwrite(buffer, 1, length, copy);
            at += length;
        }
        if (again >= 0) close(again);
    }
    fclose(copy);
    rename(part, path);
}

/* An inode that goes may come back as another file, of which nothing is synced. */
static void forget(const char *path) {
    char copy[PATH_MAX];
    struct stat about;
    if (!synced || lstat(path, &about) || about.st_nlink > 1) return;
    snprintf(copy, sizeof copy, "%s/%lu", synced, (unsigned long)about.st_ino);
    remove(copy);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    REAL(clock_gettime);
    int answer = real(clock, time);
    if (!answer && jump && clock == CLOCK_REALTIME && calls >= jump_at) time->tv_sec += jump;
    return answer;
}

#define FAILING(call, wanted) \
    int refused = (wanted) ? fault(call) : 0; \
    if (refused) return errno = refused, -1

int fsync(int descriptor) {
    REAL(fsync);
    int wanted = ours(descriptor);
    FAILING("sync", wanted);
    int answer = real(descriptor);
    if (wanted && !answer) keep(descriptor);
    return answer;
}

int fdatasync(int descriptor) {
    REAL(fdatasync);
    int wanted = ours(descriptor);
    FAILING("sync", wanted);
    int answer = real(descriptor);
    if (wanted && !answer) keep(descriptor);
    return answer;
}

ssize_t write(int descriptor, const void *data, size_t size) {
    FAILING("write", ours(descriptor));
    return plain_write(descriptor, data, size);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t at) {
    REAL(pwrite);
    FAILING("write", ours(descriptor));
    return real(descriptor, data, size, at);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t at) {
    REAL(pwrite64);
    FAILING("write", ours(descriptor));
    return real(descriptor, data, size, at);
}

int ftruncate(int descriptor, off_t size) {
    REAL(ftruncate);
    if (ours(descriptor) && strcmp(action, "full") && fault("write")) return errno = EIO, -1;
    return real(descriptor, size);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    int wanted = ours_at(to);
    FAILING("name", wanted);
    if (wanted) forget(to);
    return real(from, to);
}

int renameat(int at_from, const char *from, int at_to, const char *to) {
    REAL(renameat);
    int wanted = at_to == AT_FDCWD && ours_at(to);
    FAILING("name", wanted);
    if (wanted) forget(to);
    return real(at_from, from, at_to, to);
}

int link(const char *from, const char *to) {
    REAL(link);
    FAILING("name", ours_at(to));
    return real(from, to);
}

int unlink(const char *path) {
    REAL(unlink);
    int wanted = ours_at(path);
    if (wanted && strcmp(action, "full") && fault("name")) return errno = EIO, -1;
    if (wanted) forget(path);
    return real(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    FAILING("name", ours_at(path));
    return real(path, mode);
}
