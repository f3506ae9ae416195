"""The dearest lines that a client can send: each as long as a request may be, and shaped against its reader."""

LIMIT = 16 * 1024


def filled(head, piece, tail=b""):
    """As many pieces between head and tail as a line holds."""
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
    "many words": distinct(b"ping", b" %x=1"),
    "one word again and again": filled(b"ping", b" a=1"),
    "a list by hand": filled(b"ping a=", b"1,"),
    "commas": filled(b"ping a=", b","),
    "spaces": filled(b"ping", b" "),
    "a verb without end": filled(b"", b"x"),
    "bytes that are not UTF-8": filled(b"ping a=", b"\xff"),
}
