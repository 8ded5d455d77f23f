# What gdb must know of a rank.
import os
import re
import struct

import gdb
from gdb.unwinder import Unwinder, register_unwinder


def words(at, n):
    return struct.unpack("<%dQ" % n, bytes(gdb.selected_inferior().read_memory(at, 8 * n)))


def text(at):
    s = b""
    while not s.endswith(b"\0"):
        s += bytes(gdb.selected_inferior().read_memory(at + len(s), 1))
    return s[:-1].decode()


def dynamic(path):
    """The address of the dynamic section in a program file; None if it has none."""
    with open(path, "rb") as f:
        head = f.read(64)
        table, = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        f.seek(table)
        for _ in range(count):
            entry = f.read(size)
            if struct.unpack_from("<I", entry)[0] == 2:  # PT_DYNAMIC
                return struct.unpack_from("<Q", entry, 16)[0]


def libraries(path, offset):
    """The libraries that the rank's own dynamic linker has mapped, as that lists them for debuggers."""
    at = dynamic(path)
    if at is None:
        return
    tag, value = words(offset + at, 2)
    at += offset
    while tag not in (0, 21):  # the end, DT_DEBUG
        at += 16
        tag, value = words(at, 2)
    entry = words(value, 2)[1] if tag == 21 and value else 0  # of the list of maps
    while entry:
        base, name, _, entry = words(entry, 4)
        yield text(name), base


def rank_symbols(path, offset):
    """Loads the symbols of a program that was mapped at an offset, and those of its libraries."""
    pairs = [(path, offset)]
    try:
        pairs += [(name, base) for name, base in libraries(path, offset) if base != offset and os.path.exists(name)]
    except (OSError, gdb.error, struct.error) as e:
        print("pvasrun: no symbols of libraries: %s" % e)
    for name, base in pairs:
        gdb.execute("add-symbol-file %s -o %#x" % (name.replace(" ", "\\ "), base), to_string=True)


class Id:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class IntoC(Unwinder):
    """The thread of C has changed to the stack of a goroutine (internal/capi/coro). The frame of coro.resume has the
    address of the context as its argument. There is the stack pointer that C had when it jumped to Go, in a function
    whose CFI tells of the rest (cmd/libmpi/entry_amd64.S)."""

    def __init__(self):
        super().__init__("pvasrun")

    def __call__(self, frame):
        pc, sp = int(frame.read_register("rip")), int(frame.read_register("rsp"))
        if "internal/capi/coro.resume" not in gdb.execute("info symbol %#x" % pc, to_string=True):
            return None
        try:
            context, = words(sp + 32, 1)
            stack, = words(context, 1)
            where = gdb.execute("info address __morestack", to_string=True)
            jump = int(re.search("0x[0-9a-f]+", where).group(), 16) + 1
        except (gdb.error, AttributeError):
            return None
        info = frame.create_unwind_info(Id(frame.read_register("rsp"), frame.read_register("rip")))
        kind = frame.read_register("rbx").type
        info.add_saved_register("rip", gdb.Value(struct.pack("<Q", jump), kind))
        info.add_saved_register("rsp", gdb.Value(struct.pack("<Q", stack), kind))
        return info


register_unwinder(None, IntoC(), replace=True)
gdb.invalidate_cached_frames()
