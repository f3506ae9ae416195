#pragma once

#include <errno.h>
#include <libevdev/libevdev-uinput.h>
#include <libevdev/libevdev.h>
#include <linux/input.h>
#include <stddef.h>
#include <sys/ioctl.h>

// Kernel headers define haptic effects since 6.18; builds against older ones must work, too.
enum {
  pressured_ff_haptic = 0x4f,        // FF_HAPTIC
  pressured_waveform_click = 0x1003, // HID usage CLICK; PRESS or RELEASE would end the pad's own clicks
};

// struct ff_haptic_effect, a member of the union in struct ff_effect. The padding is a named field, as Swift would
// leave unnamed padding uninitialized.
struct pressured_haptic_effect {
  __u16 hid_usage;
  __u16 vendor_id;
  __u8 vendor_waveform_page;
  __u8 padding;
  __u16 intensity; // percent
  __u16 repeat_count;
  __u16 retrigger_period; // milliseconds
};

#ifdef FF_HAPTIC
_Static_assert(FF_HAPTIC == pressured_ff_haptic, "the kernel's number");
_Static_assert(sizeof(struct ff_haptic_effect) == sizeof(struct pressured_haptic_effect), "the kernel's size");
_Static_assert(
    offsetof(struct ff_haptic_effect, intensity) == offsetof(struct pressured_haptic_effect, intensity),
    "the kernel's offset of the intensity");
#endif

// Swift imports neither variadic functions such as ioctl nor request macros that contain sizeof.
static inline int pressured_upload_effect(int device, struct ff_effect *effect) {
  return ioctl(device, EVIOCSFF, effect);
}

// The kernel's current state: libevdev has only that of events already read. The first value selects the axis; one value
// per slot follows.
static inline int pressured_slot_values(int device, __s32 *values, size_t size) {
  return ioctl(device, EVIOCGMTSLOTS(size), values);
}
static inline int pressured_keys(int device, unsigned char *bits, size_t size) {
  return ioctl(device, EVIOCGKEY(size), bits);
}

// As above. The effect's number is passed by value, as a long.
static inline int pressured_erase_effect(int device, long effect) { return ioctl(device, EVIOCRMFF, effect); }
