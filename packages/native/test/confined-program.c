/* Tries what a confined edge must not do, and what it needs. Prints one line each: what, and how it ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <netinet/in.h>
#include <unistd.h>

static void say(const char *what, long result) {
  printf("%s: %s\n", what, result >= 0 ? "done" : errno == EPERM || errno == EACCES ? "refused" : strerror(errno));
}

static void *idle(void *nothing) { return nothing; }

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  const char *file = argv[1];
  const pid_t other = (pid_t)atoi(argv[2]);
  say("open", open(file, O_RDONLY));
  say("truncate", truncate(file, 0));
  say("chmod", syscall(SYS_fchmodat, AT_FDCWD, file, 0777));
  say("chown", syscall(SYS_fchownat, AT_FDCWD, file, getuid(), getgid(), 0));
  say("times", syscall(SYS_utimensat, AT_FDCWD, file, NULL, 0));
  say("attributes", setxattr(file, "user.x", "y", 1, 0));
  say("signal", kill(other, 0));
  say("signal a thread", syscall(SYS_tgkill, other, other, 0));
  say("limit", syscall(SYS_prlimit64, other, RLIMIT_NOFILE, &(struct rlimit){64, 64}, NULL));
  say("priority", setpriority(PRIO_PROCESS, (id_t)other, 19));
  const int memory = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  say("shared memory", memory);
  if (memory >= 0) shmctl(memory, IPC_RMID, NULL);
  say("end without the parent", prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
  const int inet = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in any = {.sin_family = AF_INET};
  say("bind", bind(inet, (struct sockaddr *)&any, sizeof any));
  say("listen", listen(inet, 1));
  say("local socket", socket(AF_UNIX, SOCK_STREAM, 0));
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  say("fork", child);
  say("socket", inet);
  say("signal itself", syscall(SYS_tgkill, getpid(), getpid(), 0));
  say("own limit", getrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0}));
  pthread_t thread;
  errno = pthread_create(&thread, NULL, idle, NULL);
  say("thread", errno == 0 ? 0 : -1);
  return 0;
}
