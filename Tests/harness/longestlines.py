"""The most expensive lines that a client can send: each of the maximum length, and shaped against its parser."""

LIMIT = 16 * 1024


def filled(head, piece, tail=b""):
    """As many pieces between head and tail as fit into a line."""
    return head + piece * ((LIMIT - len(head) - len(tail)) // len(piece)) + tail


def distinct(head, form, tail=b""):
    """The same with pieces that differ by a number."""
    pieces, room = [], LIMIT - len(head) - len(tail)
    while room >= len(piece := form % len(pieces)):
        pieces.append(piece)
        room -= len(piece)
    return head + b"".join(pieces) + tail


def nested(opening, closing, inner=b"1"):
    head, tail = b'{"do":"ping","a":', b"}"
    depth = (LIMIT - len(head) - len(tail) - len(inner)) // (len(opening) + len(closing))
    return head + opening * depth + inner + closing * depth + tail


# Combining marks of several classes, which have to be sorted to normalize a text.
MARKS = "\u0316\u0301\u0327\u0345\u05b0\u0334".encode()


LINES = {
    "lists in lists": nested(b"[", b"]"),
    "numbers in lists in lists": nested(b"[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,", b"]"),
    "objects in objects": nested(b'{"a":', b"}"),
    "a list of numbers": filled(b'{"do":"ping","a":[1', b",1", b"]}"),
    "a list of words": filled(b'{"do":"subscribe","events":["a"', b',"weight"', b"]}"),
    "a list of nothing": filled(b'{"do":"ping","a":[[]', b",[]", b"]}"),
    "many members": distinct(b'{"do":"ping"', b',"%x":1', b"}"),
    "one member again and again": filled(b'{"do":"ping"', b',"a":1', b"}"),
    "escapes": filled(b'{"do":"ping","id":"', b"\\u0085", b'"}'),
    "surrogates": filled(b'{"do":"ping","id":"', b"\\ud83d\\udd90", b'"}'),
    "a long number": filled(b'{"do":"ping","a":0.', b"1", b"}"),
    "many long numbers": filled(b'{"do":"ping","a":[1', b",1.2345678901234567890123456789012345678901234567890e-300", b"]}"),
    "space": filled(b'{"do":"ping"', b" ", b"}"),
    "a text of marks": filled(b'{"do":"ping","id":"a', "\u0301".encode(), b'"}'),
    "a verb of marks": filled(b"a", "\u0301".encode()),
    "a verb of mixed marks": filled(b"a", MARKS),
    "a verb of mixed marks in JSON": filled(b'{"do":"a', MARKS, b'"}'),
    "a key of mixed marks": filled(b'{"do":"ping","a', MARKS, b'":1}'),
    "a key of mixed marks by hand": filled(b"ping a", MARKS, b"=1"),
    "keys of mixed marks": distinct(b'{"do":"ping"', b',"%x' + 10 * MARKS + b'":1', b"}"),
    "an inner key of mixed marks": filled(b'{"do":"ping","a":{"a', MARKS, b'":1}}'),
    "inner keys of mixed marks": distinct(b'{"do":"ping","a":{"a":1', b',"%x' + 10 * MARKS + b'":1', b"}}"),
    "a type of mixed marks": filled(b"perform type=a", MARKS),
    "a type of mixed marks within limits": b"perform type=a" + 20 * MARKS,
    "a device of mixed marks": filled(b"state device=a", MARKS),
    "a device of mixed marks within limits": b"state device=a" + 20 * MARKS,
    "a step of mixed marks": filled(b"calibrate step=a", MARKS),
    "an event of mixed marks": filled(b'{"do":"subscribe","events":["a', MARKS, b'"]}'),
    "a wanted device of mixed marks": filled(b'{"do":"subscribe","devices":["a', MARKS, b'"]}'),
    "wanted devices of mixed marks": distinct(
        b'{"do":"subscribe","devices":["a"', b',"%x' + 20 * MARKS + b'"', b"]}"),
    "wanted devices that differ in their last bytes": b'{"do":"subscribe","devices":["%s"]}' % b'","'.join(
        b"%0200d" % number for number in range(64)),
    "a truth of mixed marks": filled(b"grab on=a", MARKS),
    "fingers of mixed marks": filled(b"add_action type=a title=a press=1 fingers=a", MARKS),
    "a title of mixed marks": filled(b"add_action type=a title=a", MARKS),
    "an action of mixed marks within limits": b"add_action title=a type=a" + 10 * MARKS + b" icon_file=a" + 340 * MARKS,
    "names in user_info of mixed marks": distinct(
        b'{"do":"add_action","type":"a","title":"a","user_info":{"a":"a"', b',"%x' + 10 * MARKS + b'":"a"', b"}}"),
    "many words": distinct(b"ping", b" %x=1"),
    "one word again and again": filled(b"ping", b" a=1"),
    "a list by hand": filled(b"ping a=", b"1,"),
    "commas": filled(b"ping a=", b","),
    "spaces": filled(b"ping", b" "),
    "a verb without end": filled(b"", b"x"),
    "bytes that are not UTF-8": filled(b"ping a=", b"\xff"),
}
