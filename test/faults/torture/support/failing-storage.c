/*
 * Loaded before the service with LD_PRELOAD. The file $FAILING_STORAGE_FILE names the failure of the moment: "full" (whatever makes a file
 * larger fails with ENOSPC), "read-only" (every write fails with EROFS) or "sync" (fsync and fdatasync fail with EIO). Only files below
 * $FAILING_STORAGE_DIRECTORY are concerned. With $FAILING_STORAGE_CALL, one call fails: of all calls that make something durable (fsync,
 * fdatasync, rename) the one with that number, counted from 1. $FAILING_STORAGE_HOW is its error ("EIO" or "ENOSPC"), or "kill": the
 * process dies before the call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Straight to the kernel: the functions of the library are the ones below. */
static void failure(char *into, size_t size) {
  const char *path = getenv("FAILING_STORAGE_FILE");
  ssize_t length = 0;
  int fd = path == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    length = read(fd, into, size - 1);
    close(fd);
  }
  into[length > 0 ? length : 0] = '\0';
}

static int is_below(const char *path) {
  const char *directory = getenv("FAILING_STORAGE_DIRECTORY");
  return directory != NULL && strncmp(path, directory, strlen(directory)) == 0;
}

static int concerns(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return is_below(path);
}

/* The error of a write that ends at `end`; 0 if it goes through. */
static int write_error(int fd, off_t end) {
  char now[16];
  struct stat found;
  failure(now, sizeof now);
  if (now[0] == '\0' || !concerns(fd)) return 0;
  if (strcmp(now, "read-only") == 0) return EROFS;
  if (strcmp(now, "full") == 0 && fstat(fd, &found) == 0 && end > found.st_size) return ENOSPC;
  return 0;
}

/* The error of a call that makes something durable; 0 if it goes through. */
static int durable_error(void) {
  static int calls = 0;
  const char *number = getenv("FAILING_STORAGE_CALL"), *how = getenv("FAILING_STORAGE_HOW");
  if (number == NULL || how == NULL || __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) != atoi(number)) return 0;
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  return strcmp(how, "ENOSPC") == 0 ? ENOSPC : EIO;
}

static int sync_error(int fd) {
  char now[16];
  if (!concerns(fd)) return 0;
  int error = durable_error();
  if (error != 0) return error;
  failure(now, sizeof now);
  return strcmp(now, "sync") == 0 ? EIO : 0;
}

static int open_error(const char *path, int flags) {
  char now[16];
  struct stat found;
  if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) == 0 || !is_below(path)) return 0;
  failure(now, sizeof now);
  if (strcmp(now, "read-only") == 0) return EROFS;
  return strcmp(now, "full") == 0 && (flags & O_CREAT) != 0 && stat(path, &found) != 0 ? ENOSPC : 0;
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_WITH(code) \
  do { \
    int error = (code); \
    if (error != 0) { \
      errno = error; \
      return -1; \
    } \
  } while (0)

ssize_t write(int fd, const void *bytes, size_t count) {
  off_t at = lseek(fd, 0, SEEK_CUR);
  if (at >= 0) FAIL_WITH(write_error(fd, at + (off_t)count));
  return REAL(write)(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  FAIL_WITH(write_error(fd, at + (off_t)count));
  return REAL(pwrite)(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  FAIL_WITH(write_error(fd, at + (off_t)count));
  return REAL(pwrite64)(fd, bytes, count, at);
}

int ftruncate(int fd, off_t size) {
  FAIL_WITH(write_error(fd, size));
  return REAL(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size) {
  FAIL_WITH(write_error(fd, size));
  return REAL(ftruncate64)(fd, size);
}

int fsync(int fd) {
  FAIL_WITH(sync_error(fd));
  return REAL(fsync)(fd);
}

int fdatasync(int fd) {
  FAIL_WITH(sync_error(fd));
  return REAL(fdatasync)(fd);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  FAIL_WITH(open_error(path, flags));
  return REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  FAIL_WITH(open_error(path, flags));
  return REAL(open64)(path, flags, mode);
}

int rename(const char *from, const char *to) {
  if (is_below(from)) FAIL_WITH(durable_error());
  return REAL(rename)(from, to);
}
