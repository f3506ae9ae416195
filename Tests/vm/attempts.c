// Attempts actions that a sandbox must forbid, and prints the name and the result of each: "allowed", or the error.
//
// usage: attempts WHERE NAME...
//
// Some terminate the process or replace its program. The files they use are created by test_sandbox.py.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *where = "";

// The errno of a failed system call, or 0.
static int outcome(long result) { return result < 0 ? errno : 0; }

static int open_for(const char *path, int manner) { return outcome(open(path, manner | O_CLOEXEC)); }

static int address_family(void) { return outcome(socket(AF_INET, SOCK_DGRAM, 0)); }

// Abstract names belong to the network namespace: a process that can connect to this one shares the network of the machine.
static int network(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0guest"};
  int end = socket(AF_UNIX, SOCK_STREAM, 0);
  if (end < 0) return errno;
  return outcome(connect(end, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + 6));
}

static int packet(void) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int end = socket(AF_INET, SOCK_DGRAM, 0);
  if (end < 0) return errno;
  return outcome(sendto(end, "x", 1, 0, (struct sockaddr *)&address, sizeof address));
}

static int other_device(void) { return open_for("/dev/uinput", O_RDWR); }
static int write_to_pad(void) { return open_for("/run/guest/pad", O_RDWR); }
// What reading the sysfs attributes and the HID report descriptor of a pad could be confused with.
static int inhibit(void) { return open_for("/run/guest/inhibited", O_WRONLY); }
static int raw_device(void) { return open_for("/run/guest/hidraw", O_RDONLY); }
static int keyboard(void) { return open_for("/run/guest/keyboard", O_RDONLY); }
static int other_pad(void) { return open_for("/run/guest/other-pad", O_RDWR); }
static int home(void) { return open_for("/home/alice/letter", O_RDONLY); }
static int temporary(void) { return open_for("/tmp/letter", O_RDONLY); }
static int others_file(void) { return open_for("/var/lib/guest/letter", O_RDONLY); }
static int system_file(void) { return open_for("/usr/attempt", O_WRONLY | O_CREAT); }
static int tunable(void) { return open_for("/proc/sys/kernel/core_pattern", O_WRONLY); }
static int other_process(void) { return open_for("/proc/1/status", O_RDONLY); }
static int kernel_files(void) { return open_for("/proc/uptime", O_RDONLY); }

static int control_group(void) {
  int result = outcome(mkdir("/sys/fs/cgroup/attempt", 0755));
  rmdir("/sys/fs/cgroup/attempt");
  return result;
}

static int kernel_log(void) {
  char text[256];
  return outcome(klogctl(3, text, sizeof text));
}

static int kernel_module(void) {
  int file = open("/run/guest/module.ko", O_RDONLY);
  if (file < 0) return errno;
  int result = outcome(syscall(SYS_finit_module, file, "", 0));
  return result == EEXIST ? 0 : result;
}

static int clock_set(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return outcome(clock_settime(CLOCK_REALTIME, &now));
}

static int host_name(void) { return outcome(sethostname("guest", 5)); }
static int change_personality(void) { return outcome(personality(PER_LINUX32)); }
static int namespaces(void) { return outcome(unshare(CLONE_NEWNS)); }
static int trace(void) { return outcome(ptrace(PTRACE_TRACEME, 0, NULL, NULL)); }
static int change_root(void) { return outcome(chroot("/")); }
static int priority(void) { return outcome(setpriority(PRIO_PROCESS, 0, 5)); }
static int swap(void) { return outcome(syscall(SYS_swapoff, "/dev/null")) == EPERM ? EPERM : 0; }
static int restart(void) { return outcome(reboot(RB_DISABLE_CAD)); }
static int mount_something(void) { return outcome(mount("none", "/mnt", "tmpfs", 0, NULL)); }

static int realtime(void) {
  struct sched_param parameters = {.sched_priority = 1};
  return outcome(sched_setscheduler(0, SCHED_FIFO, &parameters));
}

static int writable_code(void) {
  void *page = mmap(NULL, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? errno : 0;
}

static int set_uid_file(void) {
  int file = memfd_create("attempt", MFD_CLOEXEC);
  return file < 0 ? errno : outcome(fchmod(file, 04755));
}

// Executes a setuid program of root, which prints its user.
static int gain_privileges(void) {
  execl("/usr/lib/guest/who-am-i", "who-am-i", where, "became_root", NULL);
  return errno;
}

// Writes a program to a file and executes it.
static int run_written(const char *folder) {
  char path[256], bytes[1 << 16];
  snprintf(path, sizeof path, "%s/own-program-%s", folder, where);
  int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
  if (from < 0 || to < 0) return errno;
  for (ssize_t count; (count = read(from, bytes, sizeof bytes)) > 0;)
    if (write(to, bytes, count) != count) return errno;
  close(to);
  execl(path, path, where, "was_run", NULL);
  int error = errno;
  unlink(path);
  return error;
}

static int run_own_file(void) {
  const char *folder = getenv("STATE_DIRECTORY");
  return run_written(folder ? folder : "/var/lib/guest");
}

static int run_temporary_file(void) { return run_written("/tmp"); }
static int run_other_temporary_file(void) { return run_written("/var/tmp"); }
static int run_shared_memory(void) { return run_written("/dev/shm"); }

static int was_run(void) { return 0; }

static int run_program(void) {
  execl("/usr/bin/echo", "echo", "allowed", NULL);
  return errno;
}

static int became_root(void) { return geteuid() == 0 ? 0 : EPERM; }

// A system call by the entry point of 32-bit programs: getpid.
static int foreign_call(void) {
  long result = 20;
  __asm__ volatile("int $0x80" : "+a"(result)::"memory");
  return result < 0 ? (int)-result : 0;
}

static int much_memory(void) {
  const size_t size = 700 << 20;
  char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno;
  for (size_t i = 0; i < size; i += 4096) memory[i] = 1;
  return 0;
}

static int many_processes(void) {
  pid_t children[150];
  int made = 0, result = 0;
  for (; made < 150 && result == 0; made += result == 0) {
    children[made] = fork();
    if (children[made] == 0) {
      pause();
      _exit(0);
    }
    if (children[made] < 0) result = errno;
  }
  while (made-- > 0) {
    kill(children[made], SIGKILL);
    waitpid(children[made], NULL, 0);
  }
  return result;
}

// The test checks whether it still exists when this process has exited.
static int leave_memory_behind(void) {
  char name[64];
  snprintf(name, sizeof name, "/left-behind-%s", where);
  return outcome(shm_open(name, O_CREAT | O_RDWR, 0600));
}

// Whether a file that is created with the default mode is readable by others.
static int readable_file(void) {
  const char *folder = getenv("STATE_DIRECTORY");
  char path[256];
  snprintf(path, sizeof path, "%s/attempt", folder ? folder : "/run");
  unlink(path);
  int file = open(path, O_WRONLY | O_CREAT, 0666);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return errno;
  unlink(path);
  return status.st_mode & 077 ? 0 : EACCES;
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, path);
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) ? -1 : file;
}

static int manager_socket(void) { return connect_to("/run/systemd/private") < 0 ? errno : 0; }

// Next to what the service reads: the files of logind, and the active terminal.
static int seat_file(void) { return open_for("/run/systemd/seats/seat0", O_WRONLY); }

static int new_session_file(void) {
  int result = open_for("/run/systemd/sessions/attempt", O_WRONLY | O_CREAT);
  unlink("/run/systemd/sessions/attempt");
  return result;
}

static int inhibitors(void) {
  int result = open_for("/run/systemd/inhibit/attempt", O_WRONLY | O_CREAT);
  unlink("/run/systemd/inhibit/attempt");
  return result;
}

static int terminal(void) { return open_for("/dev/tty1", O_RDONLY | O_NOCTTY); }
static int screen(void) { return open_for("/dev/vcs1", O_RDONLY); }

static const struct {
  const char *name;
  int (*attempt)(void);
} attempts[] = {
    {"address_family", address_family}, {"network", network}, {"packet", packet},
    {"other_device", other_device},
    {"write_to_pad", write_to_pad}, {"other_pad", other_pad},
    {"inhibit", inhibit}, {"raw_device", raw_device}, {"keyboard", keyboard}, {"home", home},
    {"temporary", temporary}, {"others_file", others_file},
    {"system_file", system_file}, {"tunable", tunable},
    {"other_process", other_process}, {"kernel_files", kernel_files},
    {"control_group", control_group}, {"kernel_log", kernel_log},
    {"kernel_module", kernel_module}, {"clock_set", clock_set}, {"host_name", host_name},
    {"change_personality", change_personality}, {"namespaces", namespaces},
    {"trace", trace}, {"change_root", change_root},
    {"priority", priority}, {"swap", swap}, {"restart", restart},
    {"mount_something", mount_something},
    {"realtime", realtime}, {"writable_code", writable_code},
    {"set_uid_file", set_uid_file}, {"gain_privileges", gain_privileges},
    {"run_own_file", run_own_file}, {"was_run", was_run},
    {"run_temporary_file", run_temporary_file}, {"run_other_temporary_file", run_other_temporary_file},
    {"run_shared_memory", run_shared_memory}, {"run_program", run_program},
    {"became_root", became_root}, {"foreign_call", foreign_call},
    {"many_processes", many_processes},
    {"leave_memory_behind", leave_memory_behind},
    {"readable_file", readable_file}, {"much_memory", much_memory},
    {"manager_socket", manager_socket},
    {"seat_file", seat_file}, {"new_session_file", new_session_file},
    {"inhibitors", inhibitors}, {"terminal", terminal}, {"screen", screen},
};

static int attempt(const char *name) {
  for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
    if (strcmp(name, attempts[i].name) != 0) continue;
    printf("%s ", name);
    // Before it is terminated, or another program prints the result.
    fflush(stdout);
    int error = attempts[i].attempt();
    puts(error ? strerrorname_np(error) : "allowed");
    return 0;
  }
  fprintf(stderr, "attempts: there is no %s\n", name);
  return 64;
}

int main(int argc, char **argv) {
  int status = 0;
  if (argc > 1) where = argv[1];
  for (int i = 2; i < argc && status == 0; i++) status = attempt(argv[i]);
  return status;
}
