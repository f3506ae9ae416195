// A misbehaving client that runs until SIGTERM; then it prints the number of its actions.
// usage: bad_client SOCKET unread|slow|garbage|brief
//   unread    subscribes to every frame and reads nothing
//   slow      subscribes to every frame and reads a byte at a time
//   garbage   sends random bytes, and lines that are too long
//   brief     connects and disconnects a thousand times per second
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char request[] = "subscribe max_hz=0\n";
static const char *path;
static volatile sig_atomic_t is_over;
static long done, closed;

static void end(int number) { is_over = number; }

// A daemon that restarts does not listen for a while.
static int connect_again(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  while (!is_over) {
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (file < 0) err(1, "socket");
    if (connect(file, (struct sockaddr *)&address, sizeof address) == 0) return file;
    close(file);
    usleep(1000);
  }
  return -1;
}

static int is_closed(int file) {
  char byte;
  ssize_t count = recv(file, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

// With unread bytes, only a write detects the end of the connection; an empty line is not a request.
static void read_nothing(int file) {
  while (!is_over && send(file, "\n", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != -1) done++, usleep(10000);
}

static void read_slowly(int file) {
  char byte;
  while (!is_over && recv(file, &byte, 1, 0) == 1) done++, usleep(100);
}

static void send_garbage(int file) {
  char bytes[4096];
  while (!is_over) {
    for (size_t i = 0; i < sizeof bytes; i++) {
      int kind = rand() % 64;
      bytes[i] = kind == 0 ? '\n' : kind < 8 ? "{}[]\":,="[kind] : rand() % 256;
    }
    // Sometimes an endless line.
    if (rand() % 8 == 0) memset(bytes, 'x', sizeof bytes);
    if (send(file, bytes, sizeof bytes, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN) return;
    char replies[1 << 16];
    while (recv(file, replies, sizeof replies, MSG_DONTWAIT) > 0) continue;
    if (is_closed(file)) return;
    done++;
    usleep(5000);
  }
}

static void connect_briefly(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  while (!is_over) {
    int file = connect_again();
    if (file >= 0) close(file), done++;
    if ((time.tv_nsec += 1000000) >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
  }
}

int main(int count, char **arguments) {
  if (count != 3) errx(64, "usage: bad_client SOCKET unread|slow|garbage|brief");
  path = arguments[1];
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  char kind = arguments[2][0];
  if (kind == 'b') connect_briefly();
  while (!is_over) {
    int file = connect_again();
    if (file < 0) break;
    if (kind != 'g' && send(file, request, sizeof request - 1, MSG_NOSIGNAL) < 0) continue;
    if (kind == 'u') read_nothing(file);
    if (kind == 's') read_slowly(file);
    if (kind == 'g') send_garbage(file);
    close(file);
    closed += !is_over;
  }
  printf("%s %ld %ld\n", arguments[2], done, closed);
}
