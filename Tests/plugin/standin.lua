-- Runs the plugin as libinput does, on recordings: a stand-in for `libinput` and `evdev`.
--
-- usage: lua5.4 standin.lua PLUGIN [--strip] < frames
-- A line "pad BUS VENDOR PRODUCT MINIMUM MAXIMUM RESOLUTION" adds a pad, "mouse BUS VENDOR PRODUCT [wheel]" a pointer, and "remove pad" or
-- "remove mouse" removes one. "frame MICROSECONDS TYPE:CODE:VALUE ..." is a frame of the pad. Printed are the frames that libinput
-- gets: "pad" or "mouse", their time, and their events.

local TYPES = { SYN = 0, KEY = 1, REL = 2, ABS = 3 }
local CODES = {
  BTN_LEFT = { "KEY", 0x110 }, BTN_RIGHT = { "KEY", 0x111 }, BTN_MIDDLE = { "KEY", 0x112 }, BTN_SIDE = { "KEY", 0x113 },
  BTN_EXTRA = { "KEY", 0x114 }, REL_WHEEL = { "REL", 8 }, ABS_PRESSURE = { "ABS", 0x18 }, ABS_MT_SLOT = { "ABS", 0x2f },
  ABS_MT_POSITION_X = { "ABS", 0x35 }, ABS_MT_POSITION_Y = { "ABS", 0x36 }, ABS_MT_TOOL_TYPE = { "ABS", 0x37 },
  ABS_MT_TRACKING_ID = { "ABS", 0x39 }, ABS_MT_PRESSURE = { "ABS", 0x3a },
}
local evdev = {}
for name, code in pairs(CODES) do evdev[name] = TYPES[code[1]] << 16 | code[2] end
-- As there, an unknown name is an error here, and not nil.
setmetatable(evdev, { __index = function(_, name) error("unknown usage " .. name) end })

local now, timer, callbacks, devices = 0, nil, {}, {}
local current, queue, isRemoving

local function show(name, time, events)
  local words = {}
  for i, e in ipairs(events) do words[i] = ("%d:%d:%d"):format(e.usage >> 16, e.usage & 0xffff, e.value) end
  if #words > 0 then print(name, time, table.concat(words, " ")) end
end

local function Device(name, kind, info, absinfos)
  local device = { callbacks = {}, isEnabled = true, enabled = {} }
  local function check(events)
    assert(#events <= 64, "more than 64 events")
    for _, e in ipairs(events) do assert(math.type(e.usage) == "integer" and math.type(e.value) == "integer") end
    return events
  end
  function device:udev_properties() return { ID_INPUT = "1", [kind] = "1" } end
  function device:info() return info end
  function device:absinfos() return absinfos end
  function device:usages()
    local found = { [evdev.ABS_MT_PRESSURE] = self.isEnabled or nil, [evdev.ABS_MT_TOOL_TYPE] = self.hasTools }
    for usage in pairs(self.enabled) do found[usage] = true end
    return found
  end
  function device:enable_evdev_usage(usage) self.enabled[usage] = true end
  function device:set_absinfo(usage, axis)
    assert(usage == evdev.ABS_MT_PRESSURE and axis == absinfos[usage])
    self.isEnabled = true
  end
  function device:connect(event, callback) self.callbacks[event] = callback end
  function device:append_frame(events)
    assert(not isRemoving, "libinput unloads a plugin that appends a frame when a device is removed")
    if self.isRemoved then return end
    check(events)
    queue[#queue + 1] = function() show(name, now, events) end
  end
  function device:frame(events)
    current = self
    queue = {}
    local seen = {}
    for _, e in ipairs(events) do
      if e.usage ~= evdev.ABS_MT_PRESSURE or self.isEnabled then seen[#seen + 1] = e end
    end
    local result = self.callbacks["evdev-frame"] and self.callbacks["evdev-frame"](self, seen, now)
    show(name, now, result and check(result) or seen)
    for _, action in ipairs(queue) do action() end
  end
  function device:remove()
    self.isRemoved, isRemoving = true, true
    if self.callbacks["device-removed"] then self.callbacks["device-removed"](self) end
    isRemoving = false
  end
  return device
end

local libinput = {}
function libinput:register(versions) assert(versions[1] == 1) end
function libinput:connect(event, callback) callbacks[event] = callback end
function libinput:now() return now end
function libinput:timer_set_relative(time) timer = now + assert(math.tointeger(time), "a time must be an integer") end
function libinput:timer_cancel() timer = nil end

local function advance(time)
  while timer and timer <= time do
    now, timer, queue = timer, nil, {}
    callbacks["timer-expired"](now)
    for _, action in ipairs(queue) do action() end
  end
  now = time
end

local sandbox = { libinput = libinput, evdev = evdev, math = math, table = table, string = string }
for _, name in ipairs({ "assert", "error", "ipairs", "next", "pairs", "pcall", "tonumber", "tostring", "type" }) do
  sandbox[name] = _G[name]
end

local function words(text)
  local found = {}
  for word in text:gmatch("%S+") do found[#found + 1] = word end
  return found
end

local function add(name, kind, w)
  local axis = { minimum = tonumber(w[5]), maximum = tonumber(w[6]), resolution = tonumber(w[7]) }
  local info = { bustype = tonumber(w[2], 16), vid = tonumber(w[3], 16), pid = tonumber(w[4], 16) }
  local x = { minimum = 0, maximum = 3200, resolution = 32 }
  local axes = name == "pad" and { [evdev.ABS_MT_PRESSURE] = axis, [evdev.ABS_MT_POSITION_X] = x } or {}
  local device = Device(name, kind, info, axes)
  device.hasTools = w[8] == "tools" or nil
  if w[5] == "wheel" then device.enabled = { [evdev.BTN_MIDDLE] = true, [evdev.REL_WHEEL] = true } end
  devices[name] = device
  callbacks["new-evdev-device"](device)
  -- Only then libinput configures it.
  device.isEnabled = arg[2] ~= "--strip"
end

local function load() assert(loadfile(arg[1], "t", sandbox))() end

for line in io.lines() do
  local w = words(line)
  if w[1] == "frame" then
    advance(tonumber(w[2]))
    local events = {}
    for i = 3, #w do
      local type, code, value = w[i]:match("^(%d+):(%d+):(-?%d+)$")
      events[#events + 1] = { usage = tonumber(type) << 16 | tonumber(code), value = tonumber(value) }
    end
    devices.pad:frame(events)
  elseif w[1] == "remove" then
    devices[w[2]]:remove()
  elseif w[1] == "begin" then
    -- Another recording, with a plugin that has just been loaded.
    advance(math.maxinteger)
    now, timer, callbacks, devices = 0, nil, {}, {}
    print("begin")
    load()
  elseif w[1] == "pad" then
    add("pad", "ID_INPUT_TOUCHPAD", w)
  elseif w[1] == "mouse" then
    add("mouse", "ID_INPUT_MOUSE", w)
  elseif w[1] == "wait" then
    advance(tonumber(w[2]))
  end
end
