"""System calls that fail in a child process, and limits of its files."""
import ctypes
import errno
import platform
import resource
import struct

CALLS = {"x86_64": {"fdatasync": 75}, "aarch64": {"fdatasync": 83}}
SET_SECCOMP, SET_NO_NEW_PRIVILEGES, MODE_FILTER = 22, 38, 2
LOAD_NUMBER, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # instructions of the filter, which sees the call's number at 0
ALLOW, FAIL = 0x7FFF0000, 0x00050000


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def fail(call, code=errno.EIO):
    """For `prepare` of a Server: every `call` fails with `code`; nothing is done where this machine has no such means."""
    number = CALLS.get(platform.machine(), {}).get(call)

    def prepare():
        libc = ctypes.CDLL(None, use_errno=True)
        text = b"".join(struct.pack("HBBI", *each) for each in ((LOAD_NUMBER, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, number),
                                                                (RETURN, 0, 0, FAIL | code), (RETURN, 0, 0, ALLOW)))
        program = Program(len(text) // 8, text)
        if libc.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")

    return prepare if number is not None else None


def limit_files(size):
    """For `prepare` of a Server: no file may become longer than `size` bytes until `lift_limit`. The signal of the limit is
    the default one, which ends a program that does not expect it."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def lift_limit(process):
    """Ends `limit_files` of a running child."""
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
