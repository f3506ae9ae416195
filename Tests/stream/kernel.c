// An evdev node with a random stream, preloaded into a reader: every reader of a seed receives the same events, loses the
// same ones, and finds the same state. The rules are those of drivers/input/evdev.c and input.c: only changes are passed
// on, a full queue leaves SYN_DROPPED and the newest event, a request for the keys removes their events from the queue, and
// nothing is read from a device that was removed or whose access was revoked.
//
// NODE is the path of the node, SEED and FRAMES the stream. New frames arrive when the reader waits, so that the stream
// does not depend on the sizes of its reads. If GATE is the path of a named pipe, they arrive with each byte written to
// it, and the node is readable while there are events or bytes. With CONTACTS the stream is not random: each frame moves
// that many fingers, and nothing is lost.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/input.h>

enum { MOST_SLOTS = 96, CODES = 14, FIRST = ABS_MT_TOUCH_MAJOR, MOST_EVENTS = 1 << 16 };

// In front those that nearly all devices have.
static const int slot_codes[] = {ABS_MT_TRACKING_ID, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_PRESSURE,
                                 ABS_MT_TOOL_TYPE,   ABS_MT_TOUCH_MAJOR, ABS_MT_ORIENTATION};
static const int plain_codes[] = {ABS_X, ABS_Y, ABS_PRESSURE};
// In front the keys of all devices; of the others each device declares only some, as many touchscreens do.
static const int keys[] = {BTN_TOUCH, BTN_TOOL_FINGER, BTN_LEFT, BTN_TOOL_DOUBLETAP, BTN_TOOL_TRIPLETAP, BTN_TOOL_QUADTAP, BTN_TOOL_QUINTTAP};
static int key_count;
enum { SLOT_CODES = sizeof slot_codes / sizeof *slot_codes, PLAIN = 3, KEYS = sizeof keys / sizeof *keys, RANGE = 4096 };

static int node = -1;
static uint64_t seed;
static long frames_left;
static int contacts;
static bool has_gate;

// How the device disappears after the last frame.
static enum {
  AFTER_EVENTS,  // after the reader has read all events
  WITH_EVENTS,   // while there are events, which can then not be read
  BETWEEN_READS, // after the reader has read some of them
  IN_SYNC,       // while a reader that has lost events takes the state anew
  ENDINGS,
} ending;
static bool is_removed, ends_with_read, ends_with_request;

// Whether events of the last batch were lost, and whether frames have arrived since the reader has noticed.
static bool is_overflow, is_late;

// The state of the input core.
static int slot_count, current;
static int slots[MOST_SLOTS][CODES], plain[ABS_CNT];
static unsigned char down[KEY_CNT / 8];
static int next_id;

// The queue of the reader.
static struct input_event queue[MOST_EVENTS];
static int first, last;
static int64_t now = 1LL << 50; // later than any clock of a reader

static uint32_t below(uint32_t limit) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (uint32_t)(seed >> 33) % limit;
}

static void push(int type, int code, int value) {
  if (last == MOST_EVENTS) abort();
  queue[last++] = (struct input_event){.time = {now / 1000000, now % 1000000}, .type = type, .code = code, .value = value};
}

// A value of the current slot, if it is new.
static void set(int slot, int code, int value) {
  if (slots[slot][code - FIRST] == value) return;
  if (slot != current) push(EV_ABS, ABS_MT_SLOT, current = slot);
  push(EV_ABS, code, slots[slot][code - FIRST] = value);
}

static void set_plain(int code, int value) {
  if (plain[code] != value) push(EV_ABS, code, plain[code] = value);
}

static void set_key(int code, bool is_down) {
  if ((down[code / 8] >> code % 8 & 1) == is_down) return;
  down[code / 8] ^= (unsigned char)(1 << code % 8);
  push(EV_KEY, code, is_down);
}

static void change(int slot) {
  int *id = &slots[slot][ABS_MT_TRACKING_ID - FIRST];
  switch (below(8)) {
  case 0:
    // Ended, begun, or both within a frame.
    if (*id >= 0) set(slot, ABS_MT_TRACKING_ID, -1);
    if (*id < 0 && below(2)) set(slot, ABS_MT_TRACKING_ID, next_id++ & 0xffff);
    break;
  case 1:
    // No driver should do this: an ID that is replaced without having ended, and a second end.
    if (below(8) == 0) set(slot, ABS_MT_TRACKING_ID, next_id++ & 0xffff);
    if (below(8) == 0 && *id < 0) push(EV_ABS, ABS_MT_SLOT, current = slot), push(EV_ABS, ABS_MT_TRACKING_ID, -1);
    break;
  case 2:
    if (*id < 0) set(slot, ABS_MT_TRACKING_ID, next_id++ & 0xffff);
    break;
  default: break;
  }
  for (int i = 1; i < SLOT_CODES; i++) {
    if (below(3)) continue;
    int code = slot_codes[i];
    set(slot, code, code == ABS_MT_TOOL_TYPE ? (below(20) ? 0 : 2) : (int)below(RANGE));
  }
}

// Fingers move by one unit, and press harder from frame to frame.
static void move_all(void) {
  static int step;
  now += 4000;
  for (int slot = 0; slot < contacts; slot++) {
    set(slot, ABS_MT_POSITION_X, (60 * slot + step) % RANGE);
    set(slot, ABS_MT_POSITION_Y, (300 + step) % RANGE);
    set(slot, ABS_MT_PRESSURE, 1 + (slot + step) % 252);
    if (step == 0) set(slot, ABS_MT_TRACKING_ID, next_id++);
  }
  set_key(BTN_TOUCH, true);
  push(EV_SYN, SYN_REPORT, 0);
  step++;
}

static void frame(void) {
  if (contacts > 0) return move_all();
  now += 1 + below(20000);
  int start = last;
  if (slot_count > 0) {
    for (int i = 1 + (int)below(4); i > 0; i--) change((int)below((uint32_t)slot_count));
    // The core never passes on a slot that does not exist.
    if (below(200) == 0) push(EV_ABS, ABS_MT_SLOT, slot_count + (int)below(5)), current = slot_count - 1;
  }
  for (int i = 0; i < PLAIN; i++)
    if (below(2)) set_plain(plain_codes[i], (int)below(RANGE));
  for (int i = 0; i < key_count; i++)
    if (below(6) == 0) set_key(keys[i], below(2));
  if (below(10) == 0) push(EV_MSC, MSC_TIMESTAMP, (int)now);
  if (last > start) push(EV_SYN, SYN_REPORT, 0);
}

// Everything between two random places of the queue is lost: the reader has read the first part, and the queue has
// overflowed.
static void lose(void) {
  int length = last - first;
  if (length < 2) return;
  int from = first + (int)below((uint32_t)length), to = from + (int)below((uint32_t)(last - from));
  if (from == to) return;
  queue[to - 1] = (struct input_event){.time = queue[to].time, .type = EV_SYN, .code = SYN_DROPPED};
  memmove(&queue[from], &queue[to - 1], sizeof *queue * (size_t)(last - to + 1));
  last -= to - 1 - from;
}

// Frames that arrive after a reader has emptied the queue to take the state anew: it finds their events there, too. Some
// of them may be lost again.
static void arrive_late(void) {
  if (!is_overflow || is_late) return;
  is_late = true;
  if (first == last) first = last = 0;
  for (int i = (int)below(4); i > 0 && frames_left > 0; i--, frames_left--) frame();
  if (below(3)) return;
  lose();
  is_late = false;
}

// The device disappears with the frames that have just arrived.
static void end(void) {
  switch (ending) {
  case WITH_EVENTS: is_removed = true; break;
  // Readers that read more or fewer events at once would see different ones.
  case BETWEEN_READS: ends_with_read = last <= 256; break;
  case IN_SYNC: ends_with_request = true; break;
  default: break;
  }
}

// The frames that arrive while the reader waits.
static void arrive(void) {
  if (node < 0 || first < last || is_removed) return;
  first = last = 0;
  if (frames_left <= 0) {
    is_removed = true;
    return;
  }
  int count = contacts ? 1 : below(50) ? 1 + (int)below(3) : 1 + (int)below(60);
  if (count > frames_left) count = (int)frames_left;
  frames_left -= count;
  is_late = false;
  is_overflow = !contacts && below(4) == 0;
  for (int i = 0; i < count; i++) frame();
  for (int i = is_overflow ? 1 + (int)below(2) : 0; i > 0; i--) lose();
  if (frames_left == 0) end();
}

static void begin(void) {
  seed = strtoull(getenv("SEED"), NULL, 10) * 0x9e3779b97f4a7c15 | 1;
  for (int i = 0; i < 16; i++) below(2);
  frames_left = atol(getenv("FRAMES"));
  const char *number = getenv("CONTACTS");
  contacts = number ? atoi(number) : 0;
  ending = contacts ? AFTER_EVENTS : below(ENDINGS);
  key_count = 1 + (int)below(KEYS);
  slot_count = contacts ? contacts : below(6) ? 1 + (int)below(MOST_SLOTS) : 0;
  for (int i = 0; i < slot_count; i++) slots[i][ABS_MT_TRACKING_ID - FIRST] = -1;
  // Something touches the device when it is opened.
  if (!contacts && below(2)) frame();
  first = last = 0;
}

// The calls of a reader.

#define NEXT(name)                              \
  ({                                            \
    static __typeof__(&name) next;              \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    next;                                       \
  })

static int opened(const char *path) {
  const char *wanted = getenv("NODE");
  if (!wanted || strcmp(path, wanted) != 0 || node >= 0 || is_removed) return -1;
  // A program may look at the device before it reads it.
  static bool has_begun;
  if (!has_begun) begin();
  has_begun = true;
  const char *gate = getenv("GATE");
  has_gate = gate != NULL;
  // Without a gate always readable: there are always more events, until the device is removed.
  return node = has_gate ? NEXT(open)(gate, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
}

// The byte for the frames in the queue stays in the gate until they are read.
static bool is_gate_open(void) {
  struct pollfd ready = {.fd = node, .events = POLLIN};
  return NEXT(poll)(&ready, 1, 0) > 0;
}

static void close_gate(void) {
  char byte;
  if (NEXT(read)(node, &byte, 1) < 0) abort();
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0, number = opened(path);
  va_end(list);
  return number >= 0 ? number : NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0, number = opened(path);
  va_end(list);
  return number >= 0 ? number : NEXT(open64)(path, flags, mode);
}

int close(int file) {
  if (file == node && node >= 0) node = -1;
  return NEXT(close)(file);
}

ssize_t read(int file, void *buffer, size_t size) {
  if (file != node || node < 0) return NEXT(read)(file, buffer, size);
  bool is_open = has_gate && is_gate_open();
  if (is_open) arrive();
  if (is_removed) return errno = ENODEV, -1;
  int count = (int)(size / sizeof *queue);
  if (count > last - first) count = last - first;
  memcpy(buffer, &queue[first], (size_t)count * sizeof *queue);
  first += count;
  if (is_open && first == last) close_gate();
  if (ends_with_read) is_removed = true;
  return count > 0 ? count * (ssize_t)sizeof *queue : (errno = EAGAIN, -1);
}

static int answer(void *to, size_t size, const void *from, size_t length) {
  if (length > size) length = size;
  memcpy(to, from, length);
  return (int)length;
}

static void set_bit(unsigned char *bits, int bit) { bits[bit / 8] |= (unsigned char)(1 << bit % 8); }

static int bits(int type, void *to, size_t size) {
  unsigned char all[KEY_CNT / 8] = {0};
  if (type == 0) {
    static const int types[] = {EV_SYN, EV_KEY, EV_ABS, EV_MSC};
    for (int i = 0; i < 4; i++) set_bit(all, types[i]);
  } else if (type == EV_KEY) {
    for (int i = 0; i < key_count; i++) set_bit(all, keys[i]);
  } else if (type == EV_ABS) {
    for (int i = 0; i < (contacts ? 2 : PLAIN); i++) set_bit(all, plain_codes[i]);
    if (slot_count > 0) set_bit(all, ABS_MT_SLOT);
    for (int i = 0; i < (contacts ? 4 : SLOT_CODES) && slot_count > 0; i++) set_bit(all, slot_codes[i]);
  } else if (type == EV_MSC) {
    set_bit(all, MSC_TIMESTAMP);
  }
  return answer(to, size, all, sizeof all);
}

// A reader that asks for the state of the keys is not to receive what led to it. Frames that become empty disappear.
static void forget_keys(void) {
  int to = first, values = 1;
  for (int i = first; i < last; i++) {
    bool is_report = queue[i].type == EV_SYN && queue[i].code == SYN_REPORT;
    if (queue[i].type == EV_KEY || (is_report && values == 0)) continue;
    values = is_report ? 0 : values + 1;
    queue[to++] = queue[i];
  }
  last = to;
}

static int axis(int code, void *to) {
  struct input_absinfo info = {.value = plain[code], .maximum = RANGE - 1};
  // libevdev asks for the current slot last.
  if (code == ABS_MT_SLOT) arrive_late();
  if (code == ABS_MT_SLOT) info = (struct input_absinfo){.value = current, .maximum = slot_count - 1};
  if (code == ABS_MT_TRACKING_ID) info.maximum = 0xffff;
  if (contacts && (code == ABS_MT_POSITION_X || code == ABS_MT_POSITION_Y)) info.resolution = 40;
  if (code == ABS_MT_TOOL_TYPE) info.maximum = 2;
  memcpy(to, &info, sizeof info);
  return 0;
}

int ioctl(int file, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  if (file != node || node < 0) return NEXT(ioctl)(file, request, argument);
  size_t size = _IOC_SIZE(request);
  int number = _IOC_NR(request);
  if (ends_with_request) is_removed = true;
  if (is_removed) return errno = ENODEV, -1;
  if (_IOC_TYPE(request) != 'E') return errno = EINVAL, -1;
  if (number == _IOC_NR(EVIOCSCLOCKID) || number == _IOC_NR(EVIOCGRAB)) return 0;
  if (number == _IOC_NR(EVIOCGID)) return memcpy(argument, &(struct input_id){0x18, 0x6cb, 0xcd41, 1}, sizeof(struct input_id)), 0;
  if (number == _IOC_NR(EVIOCGVERSION)) return *(int *)argument = EV_VERSION, 0;
  if (number == _IOC_NR(EVIOCGNAME(0))) return answer(argument, size, "Random pad", sizeof "Random pad");
  if (number == _IOC_NR(EVIOCGPROP(0))) return answer(argument, size, (char[4]){1 << INPUT_PROP_POINTER}, 4);
  if (number == _IOC_NR(EVIOCGKEY(0))) return forget_keys(), answer(argument, size, down, sizeof down);
  if (number == _IOC_NR(EVIOCGLED(0)) || number == _IOC_NR(EVIOCGSW(0))) return memset(argument, 0, size), (int)size;
  if (number >= 0x20 && number < 0x20 + EV_CNT) return bits(number - 0x20, argument, size);
  if (number >= 0x40 && number < 0x40 + ABS_CNT) return axis(number - 0x40, argument);
  if (number == _IOC_NR(EVIOCGMTSLOTS(0))) {
    int *values = argument, code = values[0] - FIRST;
    for (int i = 0; i < slot_count && (size_t)(i + 2) * 4 <= size; i++) values[i + 1] = slots[i][code];
    return 0;
  }
  return errno = ENOENT, -1;
}

int epoll_wait(int file, struct epoll_event *events, int count, int timeout) {
  if (!has_gate) arrive();
  return NEXT(epoll_wait)(file, events, count, timeout);
}

int epoll_pwait2(int file, struct epoll_event *events, int count, const struct timespec *timeout, const sigset_t *mask) {
  if (!has_gate) arrive();
  return NEXT(epoll_pwait2)(file, events, count, timeout, mask);
}

int poll(struct pollfd *files, nfds_t count, int timeout) {
  if (!has_gate) arrive();
  return NEXT(poll)(files, count, timeout);
}
