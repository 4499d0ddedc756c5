/* Faults on demand for one folder: compiled by the tests and loaded into the server before everything else.
 *
 * FAULT_FOLDER is the folder, FAULT_CONTROL a file with the numbers of `struct control`, which the test changes while the
 * server runs. Calls that change a file of the folder are counted; from the call `at` on the fault holds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum fault { NONE, FULL, READ_ONLY, BROKEN, SYNC_FAILS, KILL, KILL_HALF_WAY, NO_MORE_FILES };

struct control {
    volatile long fault;        /* which one */
    volatile long at;           /* from which call on, counted from one */
    volatile long count;        /* calls so far */
    volatile long syncs;        /* how many of them were syncs */
    volatile long clock_ms;     /* how far the wall clock is ahead */
    volatile long no_threads;   /* new threads are refused */
    volatile long refused;      /* calls that met the fault */
    volatile long only_database; /* the fault holds for the database itself, not for its log */
    volatile long later_ms;     /* how far the clock of timers is ahead */
    volatile long abort_port;   /* whoever connects to it aborts the process */
    volatile long only_files;   /* the fault holds for the files of executions alone */
};

static struct control *control;
static const char *folder;
static size_t folder_length;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("FAULT_CONTROL");
    folder = getenv("FAULT_FOLDER");
    if (!path || !folder) return;
    folder_length = strlen(folder);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *found = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (found != MAP_FAILED) control = found;
}

static int ends_with(int fd, const char *end) {
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, path, sizeof path - 1), wanted = strlen(end);
    return length > wanted && memcmp(path + length - wanted, end, wanted) == 0;
}

static int is_ours(int fd) {
    char name[64], path[4096];
    if (!control) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, path, sizeof path - 1);
    return length > (ssize_t)folder_length && memcmp(path, folder, folder_length) == 0 && path[folder_length] == '/';
}

static int is_file_of_execution(int fd) {
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strstr(path, "/binary") != NULL;
}

/* What becomes of a call: 0 it goes on, 1 only half of it does and then the process dies, -1 it fails with errno. */
static int meets(int fd, int is_sync) {
    if (!is_ours(fd)) return 0;
    long call = __sync_add_and_fetch(&control->count, 1);
    if (is_sync) __sync_add_and_fetch(&control->syncs, 1);
    long fault = control->fault;
    if (fault == NONE || call < control->at) return 0;
    if (control->only_database && !ends_with(fd, ".db")) return 0;
    if (control->only_files && !is_file_of_execution(fd)) return 0;
    switch (fault) {
        /* A new process takes the index of the log that it has just freed; there is room for that. */
        case FULL: if (is_sync || ends_with(fd, "-shm")) return 0; errno = ENOSPC; break;
        case READ_ONLY: if (is_sync) return 0; errno = EROFS; break;
        case BROKEN: if (is_sync) return 0; errno = EIO; break;
        case SYNC_FAILS: if (!is_sync) return 0; control->fault = NONE; errno = EIO; break;
        case KILL: kill(getpid(), SIGKILL); pause(); break;
        case KILL_HALF_WAY: if (is_sync) { kill(getpid(), SIGKILL); pause(); } return 1;
        default: return 0;
    }
    __sync_add_and_fetch(&control->refused, 1);
    return -1;
}

static void die(void) { kill(getpid(), SIGKILL); pause(); }

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* A file of the folder that is to be written, when no more files may be open. */
static int is_one_too_many(const char *path, int flags) {
    if (!control || control->fault != NO_MORE_FILES || !(flags & (O_WRONLY | O_RDWR))) return 0;
    if (strncmp(path, folder, folder_length) != 0 || (control->only_files && !strstr(path, "/binary"))) return 0;
    __sync_add_and_fetch(&control->refused, 1);
    errno = EMFILE;
    return 1;
}

#define MODE(flags) mode_t mode = 0; if ((flags) & O_CREAT) { va_list more; va_start(more, flags); mode = va_arg(more, int); va_end(more); }

int open64(const char *path, int flags, ...) {
    REAL(open64);
    MODE(flags)
    return is_one_too_many(path, flags) ? -1 : real(path, flags, mode);
}

int openat64(int folder_fd, const char *path, int flags, ...) {
    REAL(openat64);
    MODE(flags)
    return is_one_too_many(path, flags) ? -1 : real(folder_fd, path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    REAL(write);
    int met = meets(fd, 0);
    if (met < 0) return -1;
    if (met > 0) { real(fd, bytes, count / 2); die(); }
    return real(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    int met = meets(fd, 0);
    if (met < 0) return -1;
    if (met > 0) { real(fd, bytes, count / 2, offset); die(); }
    return real(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    REAL(pwrite64);
    int met = meets(fd, 0);
    if (met < 0) return -1;
    if (met > 0) { real(fd, bytes, count / 2, offset); die(); }
    return real(fd, bytes, count, offset);
}

int ftruncate(int fd, off_t length) {
    REAL(ftruncate);
    int met = meets(fd, 0);
    /* A full disk has no objection to a shorter file. */
    if (met < 0 && errno == ENOSPC && length == 0) met = 0;
    if (met < 0) return -1;
    if (met > 0) die();
    return real(fd, length);
}

int ftruncate64(int fd, off64_t length) {
    REAL(ftruncate64);
    int met = meets(fd, 0);
    /* A full disk has no objection to a shorter file. */
    if (met < 0 && errno == ENOSPC && length == 0) met = 0;
    if (met < 0) return -1;
    if (met > 0) die();
    return real(fd, length);
}

int fsync(int fd) {
    REAL(fsync);
    return meets(fd, 1) < 0 ? -1 : real(fd);
}

int fdatasync(int fd) {
    REAL(fdatasync);
    return meets(fd, 1) < 0 ? -1 : real(fd);
}

int clock_gettime(clockid_t which, struct timespec *now) {
    REAL(clock_gettime);
    int result = real(which, now);
    if (result != 0 || !control) return result;
    long ahead = 0;
    if (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE) ahead = control->clock_ms;
    if (which == CLOCK_MONOTONIC) ahead = control->later_ms;
    long long nanoseconds = now->tv_nsec + (ahead % 1000) * 1000000LL;
    now->tv_sec += ahead / 1000;
    while (nanoseconds >= 1000000000LL) { nanoseconds -= 1000000000LL; now->tv_sec++; }
    while (nanoseconds < 0) { nanoseconds += 1000000000LL; now->tv_sec--; }
    now->tv_nsec = nanoseconds;
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    REAL(pthread_create);
    if (control && control->no_threads) return EAGAIN;
    return real(thread, attributes, run, argument);
}

int connect(int fd, const struct sockaddr *address, socklen_t length) {
    REAL(connect);
    if (control && control->abort_port && address->sa_family == AF_INET
        && ntohs(((const struct sockaddr_in *)address)->sin_port) == control->abort_port) abort();
    return real(fd, address, length);
}
