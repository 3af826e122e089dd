/*
 * Starts a program that can do less than its caller. Linux only.
 *
 *   confine core -- program arguments...          no core dumps, no new privileges
 *   confine edge path... -- program arguments...  also: of all files, only what lies at these paths is readable, and none can be changed;
 *                                                 no local sockets, no ports, no other processes
 *
 * The restrictions are set before the program starts, so every thread of it has them, and no thread can remove them. The program ends with
 * its parent.
 * Exit codes: 78 if the kernel lacks something, 64 for wrong arguments, 127 if the program does not start.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXIT_USAGE 64
#define EXIT_UNSUPPORTED 78
#define EXIT_NOT_STARTED 127

/* Landlock, as in linux/landlock.h, which old headers lack. */
#define LANDLOCK_CREATE_RULESET 444
#define LANDLOCK_ADD_RULE 445
#define LANDLOCK_RESTRICT_SELF 446
#define ASK_VERSION 1u
#define PATH_BENEATH 1
#define FS_EXECUTE (1ull << 0)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define NET_BIND_TCP (1ull << 0)
#define SCOPE_ALL 3ull

struct ruleset_attr {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};

struct path_beneath_attr {
  uint64_t allowed_access;
  int32_t parent_fd;
} __attribute__((packed));

static int fail(int code, const char *what) {
  fprintf(stderr, "confine: %s: %s\n", what, strerror(errno));
  return code;
}

/* All rights on files that this version of Landlock can take away. */
static uint64_t all_file_rights(long version) {
  const int bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return (1ull << bits) - 1;
}

static int allow_reading(int ruleset, const char *path) {
  const int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? 0 : fail(EXIT_UNSUPPORTED, path);
  struct stat status;
  if (fstat(fd, &status) != 0) return fail(EXIT_UNSUPPORTED, path);
  const struct path_beneath_attr rule = {
      .allowed_access = FS_EXECUTE | FS_READ_FILE | (S_ISDIR(status.st_mode) ? FS_READ_DIR : 0),
      .parent_fd = fd,
  };
  const long added = syscall(LANDLOCK_ADD_RULE, ruleset, PATH_BENEATH, &rule, 0);
  if (added != 0) return fail(EXIT_UNSUPPORTED, path);
  close(fd);
  return 0;
}

static int restrict_files(char **paths, int count) {
  const long version = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, ASK_VERSION);
  if (version < 1) return fail(EXIT_UNSUPPORTED, "this kernel has no Landlock");
  const struct ruleset_attr attributes = {
      .handled_access_fs = all_file_rights(version),
      .handled_access_net = version >= 4 ? NET_BIND_TCP : 0,
      .scoped = version >= 6 ? SCOPE_ALL : 0,
  };
  const int ruleset = (int)syscall(LANDLOCK_CREATE_RULESET, &attributes, sizeof attributes, 0);
  if (ruleset < 0) return fail(EXIT_UNSUPPORTED, "no Landlock rules can be made");
  for (int i = 0; i < count; i++) {
    const int failed = allow_reading(ruleset, paths[i]);
    if (failed != 0) return failed;
  }
  if (syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0) != 0) return fail(EXIT_UNSUPPORTED, "Landlock rules cannot be set");
  close(ruleset);
  return 0;
}

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef NATIVE_ARCH
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
/* Goes on with the next statement if equal, and skips it otherwise. */
#define IF_EQUAL(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1)
#define ALLOWED RETURN(SECCOMP_RET_ALLOW)
#define REFUSED RETURN(SECCOMP_RET_ERRNO | EPERM)
#define REFUSE(call) IF_EQUAL(call), REFUSED
/* Continues with the next four statements if it is this call, and skips them otherwise. */
#define IF_CALL(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4), LOAD(args[0])
#define REFUSE_UNLESS(call, value) IF_CALL(call), IF_EQUAL(value), ALLOWED, REFUSED
#define REFUSE_IF(call, value) IF_CALL(call), IF_EQUAL(value), REFUSED, ALLOWED

/* Calls of x86-64 that other processors never had. */
#ifdef __x86_64__
#define REFUSE_OLD_CALLS                                                                                                        \
  REFUSE(SYS_fork), REFUSE(SYS_vfork), REFUSE(SYS_chmod), REFUSE(SYS_chown), REFUSE(SYS_lchown), REFUSE(SYS_utime),             \
      REFUSE(SYS_utimes), REFUSE(SYS_futimesat),
#else
#define REFUSE_OLD_CALLS
#endif

/*
 * What Landlock leaves, or leaves in old kernels.
 * Local sockets lead to databases and agents that trust the user of the process. io_uring would pass by this filter.
 */
static int restrict_calls(void) {
  struct sock_filter program[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0),
      RETURN(SECCOMP_RET_KILL_PROCESS),
      LOAD(nr),
      /* The x32 calls of x86-64. */
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
      REFUSED,
      REFUSE(SYS_ptrace),
      REFUSE(SYS_process_vm_readv),
      REFUSE(SYS_process_vm_writev),
      REFUSE(SYS_kcmp),
      REFUSE(SYS_bpf),
      REFUSE(SYS_perf_event_open),
      REFUSE(SYS_userfaultfd),
      REFUSE(SYS_add_key),
      REFUSE(SYS_request_key),
      REFUSE(SYS_keyctl),
      REFUSE(SYS_unshare),
      REFUSE(SYS_setns),
      REFUSE(425 /* io_uring_setup */),
      REFUSE(426 /* io_uring_enter */),
      REFUSE(427 /* io_uring_register */),
      REFUSE(438 /* pidfd_getfd */),
      /* Other processes of the same user: signals, limits, priorities, memory. The process may end itself. */
      REFUSE(SYS_kill),
      REFUSE(SYS_tkill),
      REFUSE(SYS_rt_sigqueueinfo),
      REFUSE(SYS_rt_tgsigqueueinfo),
      REFUSE(424 /* pidfd_send_signal */),
      REFUSE_UNLESS(SYS_tgkill, (uint32_t)getpid()),
      REFUSE_UNLESS(SYS_prlimit64, 0),
      REFUSE(SYS_setpriority),
      REFUSE(SYS_ioprio_set),
      REFUSE(SYS_sched_setaffinity),
      REFUSE(SYS_sched_setscheduler),
      REFUSE(SYS_sched_setparam),
      REFUSE(SYS_sched_setattr),
      REFUSE(SYS_migrate_pages),
      REFUSE(SYS_move_pages),
      REFUSE(440 /* process_madvise */),
      REFUSE(448 /* process_mrelease */),
      REFUSE(SYS_shmget),
      REFUSE(SYS_shmat),
      REFUSE(SYS_shmctl),
      REFUSE(SYS_semget),
      REFUSE(SYS_semop),
      REFUSE(SYS_semtimedop),
      REFUSE(SYS_semctl),
      REFUSE(SYS_msgget),
      REFUSE(SYS_msgsnd),
      REFUSE(SYS_msgrcv),
      REFUSE(SYS_msgctl),
      REFUSE(SYS_mq_open),
      REFUSE(SYS_mq_unlink),
      /* New processes would outlive this one. The C library falls back from clone3, whose flags are out of sight, to clone. */
      IF_EQUAL(435 /* clone3 */),
      RETURN(SECCOMP_RET_ERRNO | ENOSYS),
      IF_CALL(SYS_clone),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
      ALLOWED,
      REFUSED,
      REFUSE_IF(SYS_prctl, PR_SET_PDEATHSIG),
      /* Landlock does not guard modes, owners, times and attributes, and before Linux 6.2 not truncate either. */
      REFUSE_OLD_CALLS
      REFUSE(SYS_truncate),
      REFUSE(SYS_fchmod),
      REFUSE(SYS_fchmodat),
      REFUSE(452 /* fchmodat2 */),
      REFUSE(SYS_fchown),
      REFUSE(SYS_fchownat),
      REFUSE(SYS_utimensat),
      REFUSE(SYS_setxattr),
      REFUSE(SYS_lsetxattr),
      REFUSE(SYS_fsetxattr),
      REFUSE(463 /* setxattrat */),
      REFUSE(SYS_removexattr),
      REFUSE(SYS_lremovexattr),
      REFUSE(SYS_fremovexattr),
      REFUSE(466 /* removexattrat */),
      /* It gets connections, and opens no port. */
      REFUSE(SYS_bind),
      REFUSE(SYS_listen),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
      ALLOWED,
      LOAD(args[0]),
      IF_EQUAL(AF_INET),
      ALLOWED,
      IF_EQUAL(AF_INET6),
      ALLOWED,
      REFUSED,
  };
  const struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ? 0 : fail(EXIT_UNSUPPORTED, "system calls cannot be filtered");
}
#else
static int restrict_calls(void) {
  errno = ENOSYS;
  return fail(EXIT_UNSUPPORTED, "there is no filter of system calls for this processor");
}
#endif

int main(int argc, char **argv) {
  int end = 2;
  while (end < argc && strcmp(argv[end], "--") != 0) end++;
  const int is_edge = argc > 1 && strcmp(argv[1], "edge") == 0;
  const int is_core = argc > 1 && strcmp(argv[1], "core") == 0 && end == 2;
  if (end + 1 >= argc || (!is_edge && !is_core)) {
    fputs("usage: confine core -- program..., or confine edge path... -- program...\n", stderr);
    return EXIT_USAGE;
  }
  const struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) return fail(EXIT_UNSUPPORTED, "core dumps cannot be turned off");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail(EXIT_UNSUPPORTED, "new privileges cannot be turned off");
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return fail(EXIT_UNSUPPORTED, "the end of the parent cannot be noticed");
  if (is_edge) {
    const int failed = restrict_files(argv + 2, end - 2);
    if (failed != 0) return failed;
    const int unfiltered = restrict_calls();
    if (unfiltered != 0) return unfiltered;
  }
  execv(argv[end + 1], argv + end + 1);
  return fail(EXIT_NOT_STARTED, argv[end + 1]);
}
