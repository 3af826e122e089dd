/*
 * Loaded before a process with LD_PRELOAD. Counts calls by which the process changes durable state: those on files below
 * $CALL_FAULT_DIRECTORY, and messages to the local database server on port $CALL_FAULT_PORT. $CALL_FAULT_LIST gets one line for each.
 * The call number $CALL_FAULT_NUMBER (from 1) of kind $CALL_FAULT_KIND fails as $CALL_FAULT_HOW says: "EIO" or "ENOSPC" is its error;
 * "kill-before" and "kill-after" end the process with SIGKILL.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *const kinds[] = {"sync", "rename", "link", "unlink", "truncate", "write", "message", "commit"};
enum kind { SYNC, RENAME, LINK, UNLINK, TRUNCATE, WRITE, MESSAGE, COMMIT, KINDS };

static void list_call(enum kind kind, const char *what) {
  const char *list = getenv("CALL_FAULT_LIST");
  char line[4200];
  if (list == NULL) return;
  int length = snprintf(line, sizeof line, "%s %s\n", kinds[kind], what);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (syscall(SYS_write, fd, line, (size_t)length) < 0) abort();
  close(fd);
}

/* How this call fails: NULL if it does not. */
static const char *fault_of(enum kind kind, const char *what) {
  static int calls[KINDS];
  const char *number = getenv("CALL_FAULT_NUMBER"), *wanted = getenv("CALL_FAULT_KIND"), *how = getenv("CALL_FAULT_HOW");
  int call = __atomic_add_fetch(&calls[kind], 1, __ATOMIC_SEQ_CST);
  list_call(kind, what);
  if (number == NULL || wanted == NULL || how == NULL) return NULL;
  return strcmp(wanted, kinds[kind]) == 0 && call == atoi(number) ? how : NULL;
}

static void kill_if(const char *how, const char *when) {
  if (how != NULL && strcmp(how, when) == 0) kill(getpid(), SIGKILL);
}

static int error_of(const char *how) {
  if (how == NULL) return 0;
  return strcmp(how, "EIO") == 0 ? EIO : strcmp(how, "ENOSPC") == 0 ? ENOSPC : 0;
}

/* Makes the call with its fault, and returns. */
#define CALL_WITH(how, call)         \
  do {                               \
    const char *fault = (how);       \
    kill_if(fault, "kill-before");   \
    if (error_of(fault) != 0) {      \
      errno = error_of(fault);       \
      return -1;                     \
    }                                \
    __typeof__(call) outcome = call; \
    int error = errno;               \
    kill_if(fault, "kill-after");    \
    errno = error;                   \
    return outcome;                  \
  } while (0)

static int is_below(const char *path) {
  const char *directory = getenv("CALL_FAULT_DIRECTORY");
  return directory != NULL && strncmp(path, directory, strlen(directory)) == 0;
}

/* The path of an open file below the directory. The index of SQLite's write-ahead log is derived from the log, so it does not count. */
static int path_of(int fd, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return is_below(path) && (length < 4 || strcmp(path + length - 4, "-shm") != 0);
}

static int is_database(int fd) {
  struct sockaddr_storage peer;
  socklen_t size = sizeof peer;
  const char *port = getenv("CALL_FAULT_PORT");
  if (port == NULL || getpeername(fd, (struct sockaddr *)&peer, &size) != 0) return 0;
  if (peer.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&peer)->sin_port) == atoi(port);
  return peer.ss_family == AF_INET6 && ntohs(((struct sockaddr_in6 *)&peer)->sin6_port) == atoi(port);
}

/* The fault of a write. */
static const char *write_fault(int fd, const struct iovec *parts, int count) {
  char path[4096];
  int saved = errno;
  const char *how = NULL;
  if (is_database(fd)) {
    int commits = 0;
    for (int at = 0; at < count; at++) commits |= memmem(parts[at].iov_base, parts[at].iov_len, "COMMIT", 6) != NULL;
    how = fault_of(commits ? COMMIT : MESSAGE, "database");
  } else if (path_of(fd, path, sizeof path)) {
    how = fault_of(WRITE, path);
  }
  errno = saved;
  return how;
}

static const char *file_fault(enum kind kind, int fd) {
  char path[4096];
  return path_of(fd, path, sizeof path) ? fault_of(kind, path) : NULL;
}

static const char *name_fault(enum kind kind, const char *path) { return is_below(path) ? fault_of(kind, path) : NULL; }

int fsync(int fd) { CALL_WITH(file_fault(SYNC, fd), REAL(fsync)(fd)); }
int fdatasync(int fd) { CALL_WITH(file_fault(SYNC, fd), REAL(fdatasync)(fd)); }
int ftruncate(int fd, off_t length) { CALL_WITH(file_fault(TRUNCATE, fd), REAL(ftruncate)(fd, length)); }
int ftruncate64(int fd, off64_t length) { CALL_WITH(file_fault(TRUNCATE, fd), REAL(ftruncate64)(fd, length)); }
int rename(const char *from, const char *to) { CALL_WITH(name_fault(RENAME, to), REAL(rename)(from, to)); }
int link(const char *from, const char *to) { CALL_WITH(name_fault(LINK, to), REAL(link)(from, to)); }
int unlink(const char *path) { CALL_WITH(name_fault(UNLINK, path), REAL(unlink)(path)); }

ssize_t write(int fd, const void *bytes, size_t count) {
  struct iovec part = {(void *)bytes, count};
  CALL_WITH(write_fault(fd, &part, 1), REAL(write)(fd, bytes, count));
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  CALL_WITH(write_fault(fd, parts, count), REAL(writev)(fd, parts, count));
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  struct iovec part = {(void *)bytes, count};
  CALL_WITH(write_fault(fd, &part, 1), REAL(pwrite)(fd, bytes, count, at));
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  struct iovec part = {(void *)bytes, count};
  CALL_WITH(write_fault(fd, &part, 1), REAL(pwrite64)(fd, bytes, count, at));
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  CALL_WITH(write_fault(fd, message->msg_iov, (int)message->msg_iovlen), REAL(sendmsg)(fd, message, flags));
}
