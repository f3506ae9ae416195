// Connects several clients to a socket and measures the latency from the timestamp of each line to its arrival.
// usage: listen SOCKET CLIENTS LINES
// Prints "ready" when all clients are connected, and at the end the number of lines and the median, 99th
// percentile and maximum latency in microseconds over all clients. It ends when all lines have arrived, or
// when none arrives for two seconds.
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { head_size = 64, batch = 64, greeting_lines = 2, silence_ms = 2000 };

static const char request[] = "subscribe events=weight max_hz=0\n";
static const char start[] = "{\"event\":\"weight\",\"time\":";

// A client and the beginning of its incomplete line.
struct client {
  int file;
  int seen;
  int greeted;
  char head[head_size];
};

static struct client *clients;
static uint32_t *latencies;
static size_t received, wanted;
static int ready;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000) + time.tv_nsec / 1000;
}

static void finish_line(struct client *client, int64_t moment) {
  client->head[client->seen < head_size ? client->seen : head_size - 1] = 0;
  client->seen = 0;
  if (strncmp(client->head, start, sizeof start - 1) == 0) {
    int64_t passed = moment - atoll(client->head + sizeof start - 1);
    if (received < wanted) latencies[received++] = passed < 0 ? 0 : passed;
  } else if (++client->greeted == greeting_lines) {
    ready++;
  }
}

static void receive(struct client *client, const char *bytes, ssize_t count, int64_t moment) {
  while (count > 0) {
    const char *end = memchr(bytes, '\n', count);
    ssize_t length = end ? end - bytes : count;
    if (client->seen < head_size) {
      ssize_t space = head_size - client->seen;
      memcpy(client->head + client->seen, bytes, length < space ? length : space);
    }
    client->seen += length < head_size ? length : head_size;
    if (client->seen > head_size) client->seen = head_size;
    if (!end) return;
    finish_line(client, moment);
    bytes += length + 1;
    count -= length + 1;
  }
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int file = socket(AF_UNIX, SOCK_STREAM, 0);
  if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) < 0)
    err(1, "connect");
  if (write(file, request, sizeof request - 1) < 0) err(1, "subscribe");
  return file;
}

static int by_size(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

int main(int count, char **arguments) {
  if (count != 4) errx(64, "usage: listen SOCKET CLIENTS LINES");
  int number = atoi(arguments[2]);
  wanted = number * atol(arguments[3]);
  clients = calloc(number, sizeof *clients);
  latencies = calloc(wanted, sizeof *latencies);
  int poll = epoll_create1(0);
  for (int i = 0; i < number; i++) {
    clients[i].file = connect_to(arguments[1]);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
    epoll_ctl(poll, EPOLL_CTL_ADD, clients[i].file, &event);
  }
  static char bytes[1 << 18];
  int announced = 0, open = number;
  while (received < wanted && open > 0) {
    struct epoll_event events[batch];
    int found = epoll_wait(poll, events, batch, announced ? silence_ms : -1);
    if (found <= 0) break;
    for (int i = 0; i < found; i++) {
      struct client *client = events[i].data.ptr;
      ssize_t length = recv(client->file, bytes, sizeof bytes, MSG_DONTWAIT);
      if (length > 0) receive(client, bytes, length, now());
      if (length == 0) open--, close(client->file);
    }
    if (!announced && ready == number) announced = 1, puts("ready"), fflush(stdout);
  }
  qsort(latencies, received, sizeof *latencies, by_size);
  if (received == 0) errx(1, "no line arrived");
  printf("%zu %u %u %u\n", received, latencies[received / 2], latencies[received * 99 / 100],
         latencies[received - 1]);
}
