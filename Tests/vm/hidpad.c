// A HID device that plays a file of hid-recorder, created through /dev/uhid, so that the kernel's own driver creates the
// input device. Comments in the file such as "# F: LENGTH BYTES" are the answers to requests for features.
//
// usage: hidpad FILE UNIQUE-ID
//
//   frames COUNT [MICROSECONDS]  the next reports of the file, after the last but one from the beginning
//   lift                      the last report of the file
//   writes                    prints the IDs of the reports that the host has written, each once
//   log                       prints the requests for features since the last time, byte for byte: "log set 08 02, get 08"
//   forget                    the features are those of the file again, as after a loss of power
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/uhid.h>

#include "commands.h"

enum { MOST_REPORTS = 512, MOST_FEATURES = 16, MOST_BYTES = 300 };

struct report {
  int length;
  unsigned char bytes[MOST_BYTES];
};

static struct report reports[MOST_REPORTS], features[MOST_FEATURES], original_features[MOST_FEATURES];
static int report_count, feature_count, next;
static unsigned char is_written[256];
static int device;

static char requests[1 << 16] = "log";

static void note(const char *what, const unsigned char *bytes, int length) {
  size_t used = strlen(requests);
  used += (size_t)snprintf(requests + used, sizeof requests - used, "%s %s", used > 3 ? "," : "", what);
  for (int i = 0; i < length && used + 4 < sizeof requests; i++)
    used += (size_t)snprintf(requests + used, sizeof requests - used, " %02x", bytes[i]);
}

static void send_event(const struct uhid_event *event) {
  if (write(device, event, sizeof *event) < 0) fail("write to /dev/uhid");
}

static void refuse(const char *line) {
  fprintf(stderr, "not a line of hid-recorder: %s", line);
  exit(65);
}

// Parses "LENGTH BYTES" into at most `room` bytes; returns the length.
static int parse_bytes(const char *line, const char *text, unsigned char *bytes, int room) {
  char *end;
  long length = strtol(text, &end, 10);
  if (length < 1 || length > room) refuse(line);
  for (long i = 0; i < length; i++) {
    const char *word = end;
    bytes[i] = (unsigned char)strtol(word, &end, 16);
    if (end == word) refuse(line);
  }
  return (int)length;
}

static void parse_line(const char *line, struct uhid_create2_req *create) {
  unsigned bus, vendor, product;
  if (strncmp(line, "R: ", 3) == 0) {
    create->rd_size = (__u16)parse_bytes(line, line + 3, create->rd_data, HID_MAX_DESCRIPTOR_SIZE);
  } else if (strncmp(line, "N: ", 3) == 0) {
    snprintf((char *)create->name, sizeof create->name, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
  } else if (strncmp(line, "I: ", 3) == 0) {
    if (sscanf(line + 3, "%x %x %x", &bus, &vendor, &product) != 3) refuse(line);
    create->bus = (__u16)bus;
    create->vendor = vendor;
    create->product = product;
  } else if (strncmp(line, "# F: ", 5) == 0) {
    if (feature_count == MOST_FEATURES) refuse(line);
    struct report *feature = &features[feature_count++];
    feature->length = parse_bytes(line, line + 5, feature->bytes, MOST_BYTES);
  } else if (strncmp(line, "E: ", 3) == 0) {
    const char *length = strchr(line + 3, ' ');
    if (length == NULL || report_count == MOST_REPORTS) refuse(line);
    struct report *report = &reports[report_count++];
    report->length = parse_bytes(line, length, report->bytes, MOST_BYTES);
  } else if (line[0] != '#' && strncmp(line, "D: ", 3) != 0 && line[0] != '\n') {
    refuse(line);
  }
}

static void read_file(const char *path, struct uhid_create2_req *create) {
  static char line[4 * HID_MAX_DESCRIPTOR_SIZE];
  FILE *file = fopen(path, "re");
  if (file == NULL) fail(path);
  while (fgets(line, sizeof line, file) != NULL) parse_line(line, create);
  fclose(file);
  if (create->rd_size == 0 || report_count < 2) refuse("the file has no descriptor or no reports\n");
}

static void play(const struct report *report) {
  struct uhid_event event = {.type = UHID_INPUT2, .u.input2.size = (__u16)report->length};
  memcpy(event.u.input2.data, report->bytes, (size_t)report->length);
  send_event(&event);
}

static void handle(char *words[4]) {
  if (strcmp(words[0], "frames") == 0) {
    for (int i = 0; i < atoi(words[1]); i++) {
      play(&reports[next]);
      next = (next + 1) % (report_count - 1);
      if (atoi(words[2]) > 0) pause_for(atoi(words[2]));
    }
  } else if (strcmp(words[0], "lift") == 0) {
    play(&reports[report_count - 1]);
    next = 0;
  } else if (strcmp(words[0], "writes") == 0) {
    printf("writes");
    for (int i = 0; i < 256; i++)
      if (is_written[i]) printf(" %02x", i);
    puts("");
  } else if (strcmp(words[0], "log") == 0) {
    puts(requests);
    strcpy(requests, "log");
  } else if (strcmp(words[0], "forget") == 0) {
    memcpy(features, original_features, sizeof features);
  } else {
    printf("unknown command %s\n", words[0]);
  }
}

static struct report *feature_with(unsigned char number) {
  for (int i = 0; i < feature_count; i++)
    if (features[i].bytes[0] == number) return &features[i];
  return NULL;
}

static void answer_kernel(void) {
  struct uhid_event event = {0}, reply = {0};
  if (read(device, &event, sizeof event) <= 0) return;
  if (event.type == UHID_GET_REPORT) {
    const struct report *feature = feature_with(event.u.get_report.rnum);
    note("get", &event.u.get_report.rnum, 1);
    reply.type = UHID_GET_REPORT_REPLY;
    reply.u.get_report_reply.id = event.u.get_report.id;
    if (feature == NULL) {
      reply.u.get_report_reply.err = EIO;
    } else {
      reply.u.get_report_reply.size = (__u16)feature->length;
      memcpy(reply.u.get_report_reply.data, feature->bytes, (size_t)feature->length);
    }
    send_event(&reply);
  } else if (event.type == UHID_SET_REPORT) {
    struct report *feature = feature_with(event.u.set_report.rnum);
    note("set", event.u.set_report.data, event.u.set_report.size);
    if (feature != NULL && event.u.set_report.size <= MOST_BYTES) {
      feature->length = event.u.set_report.size;
      memcpy(feature->bytes, event.u.set_report.data, event.u.set_report.size);
    }
    is_written[event.u.set_report.rnum] = 1;
    reply.type = UHID_SET_REPORT_REPLY;
    reply.u.set_report_reply.id = event.u.set_report.id;
    send_event(&reply);
  } else if (event.type == UHID_OUTPUT) {
    is_written[event.u.output.data[0]] = 1;
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("usage: hidpad FILE UNIQUE-ID\n", stderr);
    return 64;
  }
  struct uhid_event event = {.type = UHID_CREATE2};
  read_file(argv[1], &event.u.create2);
  memcpy(original_features, features, sizeof features);
  device = open("/dev/uhid", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (device < 0) fail("/dev/uhid");
  snprintf((char *)event.u.create2.uniq, sizeof event.u.create2.uniq, "%s", argv[2]);
  send_event(&event);
  handle_commands(device, handle, answer_kernel);
  return 0;
}
