-- Force click in place of a click: a libinput plugin (Lua, API version 1).
--
-- `pressured click set` writes the next three lines of code. While the pad's button is down:
--
--     up ──down──▶ held ──force of a force click, or rises to it as time is over──▶ deep: the chosen button
--            └──────┴──stops rising, moves, several fingers, no force, no pointer──▶ plain: the left button
--
-- Its release ends what was pressed; one that comes while the click is held delivers press and release. The chosen button is released with
-- its finger, too: until the pad's button is up the state is "over".

local BUTTON = evdev.BTN_MIDDLE
local RULES = { required = 5, capacity = 50, rounds = 6, units = 0.85, beside = 0.4, settling = 15000, excess = 6000, learned = 128, palm = 1.7, rest = 125000 }
local PADS = {}

libinput:register({ 1 })

-- A click is withheld for LIMIT at most, and the second one of a double click, whose presses are DOUBLE apart at most on most desktops, less
-- by EARLY. Without a frame for PAUSE its force has not changed. The force is extrapolated over AHEAD from its speed over SPAN. All in
-- microseconds.
local LIMIT, DOUBLE, EARLY, PAUSE, AHEAD, SPAN = 80000, 400000, 10000, 30000, 300000, 20000
-- A force rises SHAPE times as far as with a constant deceleration. A force click that is recognized this early must exceed by SURE what
-- suffices later. At most SAMPLES values are kept. After SILENT frames without a value the pressure is unknown. A drag begins after MOVE
-- millimeters. PALM is MT_TOOL_PALM. libinput takes no more than MOST events of a frame, and of a changed one no
-- more than it had before.
local SHAPE, SURE, SAMPLES, SILENT, MOVE, PALM, MOST = 2, 1.2, 16, 60, 1.5, 2, 60
local FIELDS = { [evdev.ABS_MT_TOOL_TYPE] = "tool", [evdev.ABS_MT_POSITION_X] = "x", [evdev.ABS_MT_POSITION_Y] = "y" }
local pads, pointers = {}, {}

-- What presses the chosen button, as libinput accepts only the left one from a clickpad: the pad's own pointer, or another one.
local function pointer(p)
  for _, d in ipairs(pointers) do if d.own == p.product then return d.dev end end
  return pointers[1] and pointers[1].dev
end

-- The finger whose force has grown most, and whether it alone has.
local function leading(p)
  local fingers = {}
  for _, c in pairs(p.contacts) do
    if c.force and c.tool ~= PALM then fingers[#fingers + 1] = { finger = c, growth = c.force - c.rest } end
  end
  table.sort(fingers, function(a, b) return a.growth > b.growth end)
  local first, second = fingers[1], fingers[2]
  return first and first.finger, not second or first.growth <= 0 or second.growth < first.growth * RULES.beside
end

-- The strength of a usual click, and that of the least force click: a part of the way between two groups; nil until there are enough.
local function learned(p)
  local sorted, count = table.move(p.strengths, 1, #p.strengths, 1, {}), #p.strengths
  if count < RULES.required then return nil end
  table.sort(sorted)
  local usual = sorted[count // 4 + 1]
  local point = usual * (p.least + p.most) / 2
  for _ = 1, RULES.rounds do
    local sum, harder, clicks = 0, 0, 0
    for _, s in ipairs(sorted) do
      if s < point then sum, clicks = sum + s, clicks + 1 else harder = harder + s end
    end
    local click = sum / math.max(clicks, 1)
    local forceClick = (harder + p.weight * p.expected * click) / (count - clicks + p.weight)
    point = math.min(math.max(click + (forceClick - click) * p.between, usual * p.least), usual * p.most)
  end
  return usual, point
end

-- By what strengths are multiplied to be values of a click with this value soon after it.
local function scale(p, force) return p.area and math.sqrt(force) or 1 end

-- The force of a force click: as configured, or relative to the clicks of the hand.
local function deep(p)
  if p.deep then return p.deep end
  local value = p.strength and p.strength * scale(p, p.reference) or p.reference * p.first
  return math.max(value * p.factor, math.max(p.reference, p.start) * p.least, p.reference + RULES.units)
end

-- The force that a contact will reach as it rises now: at its speed, or with its slowing until it stops.
local function reach(c)
  local last, from, before = c.samples[#c.samples], nil, nil
  for i = #c.samples - 1, 1, -1 do
    local s = c.samples[i]
    if from and not before and from.time - s.time >= SPAN then before = s end
    if not from and last.time - s.time >= SPAN then from = s end
  end
  if not from then return math.huge end
  local time = last.time - from.time
  local rise = (last.force - from.force) / time
  if rise <= 0 then return last.force end
  local growth = before and (rise - (from.force - before.force) / (from.time - before.time)) / time or 0
  return last.force + math.min(rise * AHEAD, growth < 0 and -SHAPE * rise * rise / (2 * growth) or math.huge)
end

-- What a click is now: "held", "plain" or "deep".
local function decision(p)
  local c, held = p.finger, p.now - p.since
  if not c or c.tool == PALM or p.moved or c.force > p.largest then return "plain" end
  if c.force >= (p.deep or p.point * SURE) then return "deep" end
  local reached = reach(c)
  if reached < p.point then return "plain" end
  if held >= LIMIT then return reached >= p.point * SURE and "deep" or "plain" end
  local left = p.since - p.pressed < DOUBLE and p.pressed + DOUBLE - EARLY - p.now or LIMIT
  if left <= 0 then return "plain" end
  libinput:timer_set_relative(math.min(PAUSE, LIMIT - held, left))
  return "held"
end

local function press(p, value)
  if value == 1 then p.target = BUTTON and pointer(p) end
  if p.target then p.target:append_frame({ { usage = BUTTON, value = value } }) end
end

-- Moves on to a state; returns whether the left button is to be pressed.
local function enter(p, state)
  p.state = state
  if state == "deep" then press(p, 1) elseif state == "plain" then p.pressed = p.now end
  return state == "plain"
end

local function down(p)
  local c, isAlone = leading(p)
  p.since, p.moved = p.now, false
  for _, other in pairs(p.contacts) do other.x0, other.y0 = other.x, other.y end
  if not c or not isAlone or c.force <= 0 then return enter(p, "plain") end
  local usual
  if not p.deep then usual, p.strength = learned(p) end
  p.finger, p.values, p.last = c, {}, p.now
  p.current, p.peak, p.start, p.reference = c.force, c.force, c.force, c.force
  p.point = deep(p)
  p.largest = p.area and usual and usual * usual * RULES.palm or math.huge
  return enter(p, BUTTON and not pointer(p) and "plain" or decision(p))
end

-- Takes the force of the finger that clicks into what will be learned of it; on a pad of contact area it settles first.
local function follow(p, force)
  if p.area and #p.values < RULES.learned then p.values[#p.values + 1] = { force = p.current, time = p.now - p.last } end
  p.last, p.current, p.peak = p.now, force, math.max(p.peak, force)
  if p.area and p.now - p.since <= RULES.settling then
    p.reference = force
    p.point = deep(p)
  end
end

-- How hard a click was: its peak, or on a pad of contact area the highest point that its excess reaches.
local function strength(p)
  if not p.area then return p.peak end
  table.sort(p.values, function(a, b) return a.force > b.force end)
  local sum, time, highest = 0, RULES.excess, 0
  for _, v in ipairs(p.values) do
    sum, time = sum + v.force * v.time, time + v.time
    highest = math.max(highest, sum / time)
  end
  return highest / scale(p, p.reference)
end

-- Learns how hard a click was whose finger has gone, or has released it.
local function finish(p)
  if p.finger and p.peak > 0 and p.peak <= p.largest and not p.deep then
    follow(p, p.current)
    if #p.strengths == RULES.capacity then table.remove(p.strengths, 1) end
    table.insert(p.strengths, strength(p))
  end
  p.finger = nil
end

-- The button as the person's own force presses it, if one is set and known, or else the pad.
local function isPressed(p)
  local first, second = 0, 0
  for _, c in pairs(p.contacts) do
    local force = c.tool ~= PALM and c.force or 0
    first, second = math.max(first, force), math.max(second, math.min(first, force))
  end
  if not p.force or first == 0 or p.silent > SILENT then return p.button end
  return (second >= first / 2 and first + second or first) >= (not p.isDown and p.force or p.moved and p.release / 2 or p.release)
end

local function sample(p, c)
  local force, last = c.force or 0, c.samples[#c.samples]
  local kept = #c.samples == SAMPLES and table.remove(c.samples, 1) or {}
  c.rest = last and c.rest + (force - c.rest) * math.min((p.now - last.time) / RULES.rest, 1) or 0
  kept.time, kept.force = p.now, force
  c.samples[#c.samples + 1] = kept
  if c == p.finger then follow(p, force) end
  if p.isDown and c.x0 and c.y0 and math.abs(c.x - c.x0) + math.abs(c.y - c.y0) > p.move then p.moved = true end
end

-- Takes the events of a frame into the state; returns whether contacts begin or end, and whether the pad was suspended.
local function take(p, frame)
  local changes, wasSuspended = false, false
  p.silent = p.silent + 1
  for _, e in ipairs(frame) do
    local usage, value = e.usage, e.value
    p.slot = usage == evdev.ABS_MT_SLOT and value or p.slot
    -- A slot keeps its values when its contact ends, as the kernel sends only what changes.
    local c = p.slots[p.slot] or { tool = 0, rest = 0 }
    p.slots[p.slot] = c
    if usage == evdev.ABS_MT_TRACKING_ID then
      if value >= 0 and p.contacts[p.slot] then
        -- Its end was not reported: libinput released the button and dropped what the pad sent meanwhile.
        wasSuspended, p.button, p.contacts = true, false, {}
        finish(p)
      end
      if c == p.finger then finish(p) end
      changes, c.samples, c.x0 = true, {}, nil
      p.contacts[p.slot] = value >= 0 and c or nil
    elseif usage == evdev.BTN_LEFT then
      p.button = value ~= 0
    elseif usage == p.axis then
      c.force, p.silent = value - p.info.minimum, 0
    elseif FIELDS[usage] then
      c[FIELDS[usage]] = value
    end
  end
  for _, c in pairs(p.contacts) do sample(p, c) end
  return changes, wasSuspended
end

-- Appends the events of a frame from this one on.
local function append(p, frame, from)
  for first = from, #frame, MOST do p.dev:append_frame(table.move(frame, first, math.min(first + MOST - 1, #frame), 1, {})) end
end

local function left(p, value) append(p, { { usage = evdev.BTN_LEFT, value = value } }, 1) end

-- Processes a frame; returns it changed, or nil if it stays.
local function receive(p, frame)
  local changes, wasSuspended = take(p, frame)
  if wasSuspended then
    if p.state == "held" and enter(p, "plain") then left(p, 1) end
    if p.state == "held" or p.state == "plain" then left(p, 0) elseif p.state == "deep" then press(p, 0) end
    p.state, p.isDown = "up", false
  end
  local before, wasDown, value, isLate = p.state, p.isDown, nil, false
  p.isDown = isPressed(p)
  if p.isDown and not wasDown then
    value = down(p) and 1 or nil
  elseif wasDown and not p.isDown then
    finish(p)
    if before == "held" then isLate = enter(p, "plain") end
    p.state = "up"
    if before == "held" or before == "plain" then value = 0 elseif before == "deep" then press(p, 0) end
  elseif before == "deep" and not p.finger then
    p.state = "over"
    press(p, 0)
  elseif before == "held" and changes then
    isLate = enter(p, "plain")
  elseif before == "held" and enter(p, decision(p)) then value = 1 end
  local isKept = not p.force and not wasSuspended and (before == "up" or before == "plain") and (p.state == "up" or p.state == "plain")
  if isKept and not p.strips then return nil end
  local out = {}
  for _, e in ipairs(frame) do
    if (e.usage ~= evdev.BTN_LEFT or isKept) and (e.usage ~= p.axis or not p.strips) then table.insert(out, e) end
  end
  append(p, out, (isLate or wasSuspended) and 1 or MOST + 1)
  if value and not isKept then left(p, value) end
  if wasSuspended then return {} end
  -- libinput judges a click by the fingers at its press, which this frame changes.
  if isLate then return { { usage = evdev.BTN_LEFT, value = 1 } } end
  return #out ~= #frame and table.move(out, 1, math.min(#out, MOST), 1, {}) or nil
end

local function connect(dev, numbers)
  local p = { dev = dev, state = "up", slot = 0, slots = {}, contacts = {}, silent = 0, pressed = -DOUBLE, strengths = {} }
  for key, value in pairs(numbers) do p[key] = value end
  local x = dev:absinfos()[evdev.ABS_MT_POSITION_X]
  p.info = dev:absinfos()[p.axis]
  if not p.info or not x then return end
  p.move = x.resolution > 0 and MOVE * x.resolution or (x.maximum - x.minimum) * MOVE / 100
  pads[#pads + 1] = p
  dev:connect("evdev-frame", function(_, frame, time)
    p.now = time
    if p.strips == nil then
      -- libinput has disabled the pressure of pads whose force it does not use: enabled again, it is not passed on.
      p.strips = not dev:usages()[p.axis]
      if p.strips then dev:set_absinfo(p.axis, p.info) end
    end
    return receive(p, frame)
  end)
  dev:connect("device-removed", function() p.isGone = true libinput:timer_set_relative(1) end)
end

local function offer(dev, own)
  if own then
    dev:enable_evdev_usage(BUTTON)
    -- Without a wheel a middle button would scroll.
    dev:enable_evdev_usage(evdev.REL_WHEEL)
  elseif not dev:usages()[BUTTON] or not dev:usages()[evdev.REL_WHEEL] then return end
  local entry = { dev = dev, own = own }
  table.insert(pointers, entry)
  dev:connect("evdev-frame", function() end)
  dev:connect("device-removed", function()
    for i, d in ipairs(pointers) do if d == entry then table.remove(pointers, i) end end
    for _, p in ipairs(pads) do if p.target == dev then p.target = nil end end
  end)
end

libinput:connect("timer-expired", function()
  for i = #pads, 1, -1 do
    local p = pads[i]
    p.now = libinput:now()
    if p.isGone then
      if p.state == "deep" then press(p, 0) end
      table.remove(pads, i)
    elseif p.state == "held" then
      local c = p.finger
      if c and p.now - c.samples[#c.samples].time >= PAUSE then sample(p, c) end
      if enter(p, decision(p)) then left(p, 1) end
    end
  end
end)

libinput:connect("new-evdev-device", function(dev)
  local kind, info, own = dev:udev_properties(), dev:info(), nil
  for _, n in ipairs(PADS) do if info.vid == n.vendor and info.pid == n.product then own = n end end
  if kind.ID_INPUT_TOUCHPAD and own and info.bustype == own.bus then
    connect(dev, own)
  elseif kind.ID_INPUT_MOUSE and BUTTON then
    offer(dev, own and own.product)
  end
end)
