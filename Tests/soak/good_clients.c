// Many clients in one process, which all have to receive the same lossless events.
// usage: good_clients SOCKET CLIENTS   prints "ready" when all are connected, and exits when the device is removed
//        good_clients - 1              reads the lines of `pressured replay`
// At the end, prints: readings and missed lines of all clients together, and of each client lossless events, contacts begun and
// ended, presses started and ended, and a digest of the lossless events. If clients differ, prints that and exits with status 1.
#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { room = 1 << 17, batch = 64, most_presses = 32, stage_length = 32 };

static const char request[] = "subscribe events=device,contact,weight,heaviest,max_force,press max_hz=0\n";

// A press that has not ended: the ID of its contact, or 0.
struct press {
  long id;
  char stage[stage_length];
};

struct client {
  int file, is_ready, is_over;
  long readings, missed;
  struct { long lossless, begun, ended, started, over; uint64_t digest; } counts;
  struct press presses[most_presses];
  size_t used;
  char *bytes;
};

// The text after the first occurrence of a key; keys are in the order of the protocol.
static const char *value(const char *line, const char *key) {
  const char *found = strstr(line, key);
  return found ? found + strlen(key) : "";
}

static int starts(const char *text, const char *word) { return strncmp(text, word, strlen(word)) == 0; }

static void count_lossless(struct client *client, const char *line) {
  client->counts.lossless++;
  while (*line) client->counts.digest = (client->counts.digest ^ (uint8_t)*line++) * UINT64_C(0x100000001b3);
}

// Press lines that only change the force are coalescible; all others are lossless.
static int is_lossless(struct client *client, const char *line) {
  const char *state = value(line, "\"state\":\"");
  long id = atol(value(line, "\"contact\":"));
  struct press *press = client->presses, *end = press + most_presses;
  while (press < end && press->id != id) press++;
  if (starts(state, "started")) {
    for (press = client->presses; press->id; press++) continue;
    client->counts.started++;
  } else if (press == end) {
    return 1;
  }
  char stage[stage_length] = "";
  sscanf(value(line, "\"stage\":\""), "%31[^\"]", stage);
  int is_crossing = strcmp(stage, press->stage) != 0;
  *press = (struct press){.id = id};
  strcpy(press->stage, stage);
  if (starts(state, "changed")) return is_crossing;
  if (starts(state, "ended") || starts(state, "cancelled")) press->id = 0, client->counts.over++;
  return 1;
}

static void take(struct client *client, const char *line) {
  const char *event = value(line, "{\"event\":\"");
  if (starts(event, "reply")) client->is_ready = 1;
  if (starts(event, "missed")) client->missed += atol(value(line, "\"count\":"));
  if (starts(event, "weight")) client->readings++;
  if (starts(event, "device")) client->is_over = starts(value(line, "\"change\":\""), "removed");
  if (starts(event, "contact")) {
    if (starts(value(line, "\"phase\":\""), "began")) client->counts.begun++;
    else client->counts.ended++;
  }
  if (starts(event, "contact") || starts(event, "heaviest") || starts(event, "max_force") ||
      (starts(event, "press") && is_lossless(client, line)))
    count_lossless(client, line);
}

// Takes the available lines; returns 0 at the end of the connection.
static int receive(struct client *client) {
  ssize_t count = read(client->file, client->bytes + client->used, room - 1 - client->used);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
  if (count <= 0) return 0;
  client->used += count;
  char *line = client->bytes, *end;
  while ((end = memchr(line, '\n', client->bytes + client->used - line))) {
    *end = 0;
    take(client, line);
    line = end + 1;
  }
  client->used -= line - client->bytes;
  memmove(client->bytes, line, client->used);
  return 1;
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int file = socket(AF_UNIX, SOCK_STREAM, 0);
  if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) < 0) err(1, "connect");
  if (write(file, request, sizeof request - 1) < 0) err(1, "subscribe");
  return file;
}

static void receive_all(struct client *clients, int number) {
  int poll = epoll_create1(0), open = number, is_announced = 0;
  for (int i = 0; i < number; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
    epoll_ctl(poll, EPOLL_CTL_ADD, clients[i].file, &event);
  }
  while (open > 0) {
    struct epoll_event events[batch];
    int found = epoll_wait(poll, events, batch, -1), ready = 0;
    for (int i = 0; i < found; i++) {
      struct client *client = events[i].data.ptr;
      if (receive(client) && !client->is_over) continue;
      close(client->file);
      open--;
    }
    for (int i = 0; i < number; i++) ready += clients[i].is_ready;
    if (!is_announced && ready == number) is_announced = 1, puts("ready"), fflush(stdout);
  }
}

int main(int count, char **arguments) {
  if (count != 3) errx(64, "usage: good_clients SOCKET CLIENTS");
  int number = atoi(arguments[2]), is_input = strcmp(arguments[1], "-") == 0, different = 0;
  struct client *clients = calloc(number, sizeof *clients), *first = clients;
  for (int i = 0; i < number; i++) {
    clients[i].file = is_input ? STDIN_FILENO : connect_to(arguments[1]);
    clients[i].bytes = malloc(room);
  }
  if (is_input) {
    while (receive(first)) continue;
  } else {
    receive_all(clients, number);
  }
  long readings = 0, missed = 0;
  for (int i = 0; i < number; i++) {
    readings += clients[i].readings, missed += clients[i].missed;
    if (memcmp(&clients[i].counts, &first->counts, sizeof first->counts) == 0) continue;
    printf("the lossless events of client %d differ from those of client 0\n", i);
    different = 1;
  }
  printf("%ld %ld %ld %ld %ld %ld %ld %016llx\n", readings, missed, first->counts.lossless, first->counts.begun, first->counts.ended,
         first->counts.started, first->counts.over, (unsigned long long)first->counts.digest);
  return different;
}
