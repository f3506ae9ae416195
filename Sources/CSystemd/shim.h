#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-device.h>
#include <systemd/sd-event.h>
#include <systemd/sd-login.h>

// The function is variadic; a D-Bus boolean is returned as an int.
static inline int pressured_session_property(sd_bus *bus, const char *name, int *value) {
  return sd_bus_get_property_trivial(
      bus, "org.freedesktop.login1", "/org/freedesktop/login1/session/auto", "org.freedesktop.login1.Session", name,
      NULL, 'b', value);
}
