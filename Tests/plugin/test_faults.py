"""What the plugin does with frames that no pad should send, and with devices that come and go."""

import math
import random

import pytest

import plugin

NUMBERS = {"bus": 0x18, "vendor": 0x6CB, "product": 0xCD41, "area": "false", "deep": 1200}
AREA = {**NUMBERS, "deep": "nil", "area": "true",
        "between": 0.6, "expected": 1.25, "weight": 2, "least": 1.06, "most": 1.27, "first": 1.23, "factor": 1}
OWN = NUMBERS | {"force": 400, "release": 320}
IDENTITY, AXIS = ("0018", "06cb", "cd41"), ("0", "4095", "4", "")
SLOT, X, Y, TOOL, ID, PRESSURE = ((3, code) for code in (0x2F, 0x35, 0x36, 0x37, 0x39, 0x3A))
DOWN, UP = (1, 0x110, 1), (1, 0x110, 0)

# A click is withheld for this time at most, in microseconds.
LIMIT = 80_000


@pytest.fixture(name="write")
def _write(tmp_path):
    def write(numbers=NUMBERS, button="evdev.BTN_MIDDLE"):
        text = plugin.numbered(**numbers).replace("local BUTTON = evdev.BTN_MIDDLE", f"local BUTTON = {button}")
        path = tmp_path / "plugin.lua"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def touch(force, x=1000):
    return [(*X, x), (*Y, 500), (*PRESSURE, force)]


def stroke(forces, down, up, frame=8000, begin=1_000_000, last=None):
    """A finger with these forces; the button goes down and up with these frames."""
    found = []
    for index, force in enumerate(forces):
        events = ([(*ID, 7)] if index == 0 else []) + touch(force)
        events += ([DOWN] if index == down else []) + ([UP] if index == up else [])
        found.append((begin + index * frame, events))
    found.append((begin + len(forces) * frame, last or [(*ID, -1)]))
    return found


def rising(peak, rise=10, hold=10):
    return [round(peak * min((index + 1) / rise, 1)) for index in range(rise + hold)]


CLICK, FORCE_CLICK = stroke(rising(700), 7, 19), stroke(rising(2400), 2, 19)


def events(write, stream, mouse=True, more=(), **options):
    lines = plugin.script(IDENTITY, AXIS, stream, mouse)
    return plugin.buttons(plugin.run(write(**options), [lines[:-1] + list(more) + lines[-1:]])[0])


def names(found):
    return [(button, value) for _, button, value in found]


LEFT, MIDDLE = [(plugin.LEFT, 1), (plugin.LEFT, 0)], [(plugin.MIDDLE, 1), (plugin.MIDDLE, 0)]


def test_nothing_swallows_a_force_click_and_needs_no_pointer(write):
    assert names(events(write, FORCE_CLICK, mouse=False, button="nil")) == []
    assert names(events(write, CLICK, mouse=False, button="nil")) == LEFT


def test_without_a_pointer_a_force_click_stays_a_click(write):
    found = events(write, FORCE_CLICK, mouse=False)
    assert names(found) == LEFT
    assert found[0][0] == FORCE_CLICK[2][0]


def test_another_mouse_presses_the_button_if_it_has_a_wheel(write):
    lines = plugin.script(IDENTITY, AXIS, FORCE_CLICK, mouse=False)
    for mouse, button in [("mouse 0003 046d c52b wheel", MIDDLE), ("mouse 0011 0002 000a", LEFT)]:
        assert names(plugin.buttons(plugin.run(write(), [lines[:2] + [mouse] + lines[2:]])[0])) == button


def test_another_pad_is_left_alone(write):
    lines = plugin.script(("0018", "06cb", "0001"), AXIS, FORCE_CLICK)
    output = plugin.run(write(), [lines])[0]
    assert [(time, found) for _, time, found in output] == FORCE_CLICK


def test_a_click_that_ends_with_its_touch_comes_before_the_end(write):
    """libinput ignores the press of a button when nothing touches."""
    stream = stroke(rising(1000, rise=6, hold=0), 4, None, last=[(*ID, -1), UP])
    output = plugin.run(write(), [plugin.script(IDENTITY, AXIS, stream)])[0]
    flat = [event for _, _, found in output for event in found]
    assert flat.index(DOWN) < flat.index((*ID, -1))
    assert names(plugin.buttons(output)) == LEFT


def test_two_fingers_that_press_hard_click(write):
    stream = [(1_000_000 + index * 8000, []) for index in range(20)]
    for index, force in enumerate(rising(1500)):
        for slot in (0, 1):
            stream[index][1].extend([(*SLOT, slot)] + ([(*ID, slot + 1)] if index == 0 else []) + touch(force, 1000 + 900 * slot))
    stream[5][1].append(DOWN)
    stream.append((2_000_000, [UP]))
    assert names(events(write, stream)) == LEFT


def test_a_palm_is_no_finger(write):
    stream = [(time, found + ([(*TOOL, 2)] if index == 0 else [])) for index, (time, found) in enumerate(FORCE_CLICK)]
    assert names(events(write, stream)) == LEFT


def test_a_drag_is_a_click_although_its_force_rises(write):
    stream = [(time, [(*X, 1000 + 40 * index) if event[:2] == X else event for event in found])
              for index, (time, found) in enumerate(stroke(rising(2400, rise=20), 4, 29))]
    found = events(write, stream)
    assert names(found) == LEFT
    assert found[0][0] - stream[4][0] <= 60_000


def test_a_click_comes_before_a_finger_that_joins_while_it_is_withheld(write):
    """libinput judges a click by the fingers at its press."""
    stream = FORCE_CLICK[:4] + [(FORCE_CLICK[4][0], [(*SLOT, 1), (*ID, 8)] + touch(100))] + FORCE_CLICK[-1:] + [(2_000_000, [UP])]
    output = plugin.run(write(), [plugin.script(IDENTITY, AXIS, stream)])[0]
    flat = [event for _, _, found in output for event in found]
    assert flat.index(DOWN) < flat.index((*ID, 8))
    assert names(plugin.buttons(output)) == LEFT


def slot(number, *found):
    return [(*SLOT, number), *found]


def test_a_palm_beside_is_no_second_finger(write):
    """It rests, is told by the pad to be one, or weighs more than the finger."""
    for weight, tool in [(300, 0), (60, 2), (2000, 2)]:
        for stream, buttons in [(CLICK, LEFT), (FORCE_CLICK, MIDDLE)]:
            palm = [(600_000 + index * 8000, slot(1, *[(*ID, 3), (*TOOL, tool)][: 2 - 2 * bool(index)], *touch(weight, 200))) for index in range(40)]
            beside = palm + [(time, slot(0, *found)) for time, found in stream]
            assert names(events(write, beside)) == buttons, (weight, tool)


@pytest.mark.parametrize("strip", [False, True], ids=["passed", "stripped"])
def test_frames_without_a_click_pass(write, strip):
    """Taps, scrolls and hard rests: libinput taps by them."""
    tap = stroke([120] * 6, None, None)
    rest = stroke(rising(2400), None, None, begin=2_000_000)
    output = plugin.run(write(), [plugin.script(IDENTITY, AXIS, tap + rest)], strip=strip)[0]
    passed = [(time, [event for event in found if not strip or event[:2] != PRESSURE]) for time, found in tap + rest]
    assert [(time, found) for _, time, found in output] == [frame for frame in passed if frame[1]]


def test_a_tap_before_it_does_not_change_a_force_click(write):
    assert names(events(write, stroke([120] * 6, None, None, begin=900_000) + FORCE_CLICK)) == MIDDLE


@pytest.mark.parametrize("stream, buttons", [(CLICK, LEFT), (FORCE_CLICK, MIDDLE)], ids=["clicks", "force clicks"])
def test_a_double_click_is_two(write, stream, buttons):
    """The finger lifts between the two, or rests."""
    second = [(time + 250_000, found) for time, found in stream]
    rest = [(stream[-1][0] + index * 8000, touch(60)) for index in range(10)]
    assert names(events(write, stream + second)) == 2 * buttons
    assert names(events(write, stream[:-1] + rest + [(second[0][0], second[0][1][1:])] + second[1:])) == 2 * buttons


def test_the_chosen_button_is_released_with_its_finger(write):
    """Another finger still holds the pad's button, whose state is sent again."""
    stream = FORCE_CLICK[:12] + [(2_000_000, slot(1, (*ID, 8), *touch(900))), (2_100_000, slot(0, (*ID, -1))), (2_200_000, slot(1, DOWN)),
                                 (2_300_000, [UP])]
    found = events(write, stream)
    assert names(found) == MIDDLE
    assert found[1][0] == 2_100_000


@pytest.mark.parametrize("frames, buttons", [(3, LEFT), (12, MIDDLE)], ids=["withheld", "a force click"])
def test_a_suspended_pad_leaves_nothing_pressed(write, frames, buttons):
    """libinput drops what the pad sends meanwhile, and the next touch has another id in the same slot."""
    for pause in (8000, 5_000_000):
        begin = FORCE_CLICK[frames - 1][0] + pause
        found = events(write, FORCE_CLICK[:frames] + stroke([100] * 20, None, None, begin=begin))
        assert names(found) == buttons
        assert found[1][0] == begin
        again = stroke([100] + rising(700), 8, 19, begin=begin)
        assert names(events(write, FORCE_CLICK[:frames] + again)) == buttons + LEFT


@pytest.mark.parametrize("frames, buttons", [(4, LEFT), (12, MIDDLE)], ids=["withheld", "a force click"])
def test_a_release_that_was_lost_comes_with_the_resynchronization(write, frames, buttons):
    """libevdev ends the contact and begins the next one in one frame."""
    sync = slot(0, (*ID, -1), *slot(0, (*ID, 9), *touch(90)), UP)
    found = events(write, FORCE_CLICK[:frames] + [(FORCE_CLICK[frames][0], sync)])
    assert names(found) == buttons
    assert found[1][0] == FORCE_CLICK[frames][0]


def test_a_resynchronization_of_ten_contacts_passes_whole(write):
    """libinput takes 64 events of a changed frame."""
    sync = [event for number in range(10) for event in slot(number, (*ID, -1), *slot(number, (*ID, 20 + number), *touch(50 + number)), (*TOOL, 0))]
    for stream in (FORCE_CLICK[:4], FORCE_CLICK[:12]):
        output = plugin.run(write(), [plugin.script(IDENTITY, AXIS, stream + [(1_400_000, sync + [UP])])], strip=True)[0]
        passed = [event for device, time, found in output for event in found if time == 1_400_000 and event[0] == 3]
        assert passed == [event for event in sync if event[:2] != PRESSURE]
        assert names(plugin.buttons(output)) in (LEFT, MIDDLE)


def test_a_fixed_force_on_a_pad_of_area_is_no_palm(write):
    """A palm is relative to the usual click, which fixed stages do not use."""
    stream = []
    for at in range(6):
        stream += stroke(rising(44), 7, 19, begin=1_000_000 + at * 1_000_000)
    stream += stroke(rising(150), 3, 19, begin=9_000_000)
    lines = plugin.script(IDENTITY, ("0", "255", "0", ""), stream)
    assert names(plugin.buttons(plugin.run(write(numbers=NUMBERS | {"area": "true", "deep": 140}), [lines])[0])) == 6 * LEFT + MIDDLE


@pytest.mark.parametrize("stream, down", [
    (stroke([500 + 6 * index for index in range(100)], 5, 99), 5),
    (FORCE_CLICK[:4] + [(FORCE_CLICK[3][0] + 500_000, [UP])], 2),
], ids=["it rises slowly", "the pad falls silent"])
def test_a_force_that_does_not_decide_is_withheld_until_the_limit(write, stream, down):
    found = events(write, stream)
    assert names(found) == LEFT
    assert found[0][0] - stream[down][0] <= LIMIT


def test_without_pressure_a_click_passes_at_once(write):
    stream = [(time, [event for event in found if event[:2] != PRESSURE]) for time, found in FORCE_CLICK]
    found = events(write, stream)
    assert names(found) == LEFT
    assert found[0][0] == FORCE_CLICK[2][0]
    assert names(events(write, stream, numbers=OWN)) == LEFT


def test_a_pressure_that_is_lost_in_the_first_frame_is_known_from_the_next(write):
    output = plugin.run(write(), [plugin.script(IDENTITY, AXIS, FORCE_CLICK)], strip=True)[0]
    assert names(plugin.buttons(output)) == MIDDLE
    assert not any(event[:2] == PRESSURE for _, _, found in output for event in found)


def test_pressure_that_libinput_uses_is_passed_on(write):
    output = plugin.run(write(), [plugin.script(IDENTITY, AXIS, CLICK)])[0]
    passed = [event for _, _, found in output for event in found if event[0] == 3]
    assert passed == [event for _, found in CLICK for event in found if event[0] == 3]


@pytest.mark.parametrize("frames, buttons", [(3, []), (8, MIDDLE)], ids=["withheld", "a force click"])
def test_a_pad_that_is_removed_leaves_nothing_pressed(write, frames, buttons):
    assert names(events(write, FORCE_CLICK[:frames], more=["remove pad"])) == buttons


def test_a_pointer_that_is_removed_gets_no_release(write):
    lines = plugin.script(IDENTITY, AXIS, FORCE_CLICK)
    lines.insert(12, "remove mouse")
    assert names(plugin.buttons(plugin.run(write(), [lines])[0])) == MIDDLE[:1]


def test_a_force_of_ones_own_replaces_the_pads(write):
    forces = [20 + index % 2 for index in range(100)] + list(range(20, 600, 20)) + list(range(600, 20, -20))
    stream = stroke(forces, 105, 155)
    found = events(write, stream, numbers=OWN)
    assert names(found) == LEFT
    pressed = next(time for (time, _), force in zip(stream, forces) if force >= 400)
    assert 0 <= found[0][0] - pressed <= 80_000
    released = next(time for (time, _), force in list(zip(stream, forces))[130:] if force < 320)
    assert found[1][0] == released


@pytest.mark.parametrize("grams", [60, 100, 200, 350])
@pytest.mark.parametrize("speed", [50, 200, 800])
def test_a_force_of_ones_own_is_met_within_a_tenth(write, grams, speed):
    """A hand that trembles by 3 % and presses with so many grams in a second, on a pad with 4 units per gram."""
    rise = [speed * 0.008 * index for index in range(round(1.5 * grams / speed / 0.008))]
    forces = [4 * force * (1 + 0.03 * math.sin(0.4 * index)) for index, force in enumerate(rise + rise[::-1])]
    stream = stroke([round(force) for force in forces], None, None)
    found = events(write, stream, numbers=NUMBERS | {"deep": 4000, "force": 4 * grams, "release": 4 * 0.8 * grams})
    assert names(found) == LEFT
    for (time, _, _), wanted in zip(found, (grams, 0.8 * grams)):
        at = forces[(time - stream[0][0]) // 8000] / 4
        assert abs(at - wanted) <= 0.1 * wanted + speed * 0.008, (time, at, wanted)


class Noise:
    """Frames of a pad that loses events, and of others that it should never send."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.now, self.id, self.force, self.is_down = 1_000_000, 0, {}, False

    def frame(self):
        draw, found = self.draw, []
        for _ in range(draw.randrange(1, 4)):
            slot = draw.randrange(3) if draw.random() < 0.95 else draw.randrange(40)
            found.append((*SLOT, slot))
            if draw.random() < 0.1:
                self.id += 1
                found.append((*ID, draw.choice([-1, self.id])))
            if draw.random() < 0.9:
                force = self.force.get(slot, 0) + draw.choice([-400, -60, 0, 60, 200, 400])
                self.force[slot] = min(max(force, 0), 4095)
                found += [(*PRESSURE, self.force[slot]), (*X, draw.randrange(3200) if draw.random() < 0.02 else 1000)]
            if draw.random() < 0.02:
                found.append((*TOOL, draw.randrange(4)))
        if draw.random() < 0.15:
            self.is_down = not self.is_down
            found.append((1, 0x110, int(self.is_down)))
        elif draw.random() < 0.03:
            # The state once more, as after a resynchronization.
            found.append((1, 0x110, int(self.is_down)))
        self.now += draw.choice([1000, 7000, 8000, 8000, 16000, 50_000, 400_000])
        return self.now, found

    def stream(self, count):
        found = [self.frame() for _ in range(count)]
        # Some are lost: the kernel's queue was full. What follows begins with the button as it is then.
        lost = [frame for frame in found if self.draw.random() > 0.1 or any(event[0] == 1 for event in frame[1])]
        return lost + [(self.now + 8000, [UP])]


@pytest.mark.parametrize("numbers", [NUMBERS, OWN, NUMBERS | {"area": "true", "deep": 1000}, AREA], ids=["grams", "own", "area", "learned"])
@pytest.mark.parametrize("strip", [False, True], ids=["passed", "stripped"])
def test_laws_hold_for_random_frames(write, numbers, strip):
    streams = [Noise(seed).stream(400) for seed in range(60)]
    outputs = plugin.run(write(numbers=numbers), [plugin.script(IDENTITY, AXIS, stream) for stream in streams], strip=strip)
    for stream, output in zip(streams, outputs):
        check_laws(stream, output, strip, "force" in numbers)


def test_a_pad_that_is_removed_at_any_time_leaves_no_button(write):
    for seed in range(40):
        lines = plugin.script(IDENTITY, AXIS, Noise(seed).stream(40 + seed)[:-1])
        found = names(plugin.buttons(plugin.run(write(), [lines[:-1] + ["remove pad"] + lines[-1:]])[0]))
        assert found.count(MIDDLE[0]) == found.count(MIDDLE[1])


def pad_clicks(stream):
    """When the pad's button went down and up; it is up after a suspension, which shows in an id that replaces another one."""
    downs, ups, is_down, slot, ids = [], [], False, 0, set()
    for time, found in stream:
        for event in found:
            is_resumed = event[:2] == ID and event[2] >= 0 and slot in ids
            if event[:2] == SLOT:
                slot = event[2]
            elif event[:2] == ID:
                ids = {slot} if is_resumed else ids | {slot} if event[2] >= 0 else ids - {slot}
            if is_resumed and is_down or event in (DOWN, UP) and (event == DOWN) != is_down:
                is_down = not is_down
                (downs if is_down else ups).append(time)
    return downs, ups


def check_laws(stream, output, strip, is_own):
    pressed, presses = None, []
    for time, button, value in plugin.buttons(output):
        if value and pressed == button:
            # Passed on as it came.
            continue
        if value:
            assert pressed is None, (time, button, pressed)
            pressed = button
            presses.append(time)
        elif pressed is not None:
            assert pressed == button, (time, button, pressed)
            pressed = None
    assert pressed is None or is_own
    downs, ups = pad_clicks(stream)
    if not is_own:
        assert len(presses) == len(downs)
        for down, up, press in zip(downs, ups, presses):
            assert down <= press <= up and press - down <= LIMIT
    others = [event for _, _, found in output for event in found if event[0] == 3 and event[:2] != PRESSURE]
    assert others == [event for _, found in stream for event in found if event[0] == 3 and event[:2] != PRESSURE]
    if strip:
        assert not any(event[:2] == PRESSURE for _, _, found in output for event in found)
