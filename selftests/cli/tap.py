# SPDX-License-Identifier: Apache-2.0
"""
tap.py - the vocabulary of the tests of the command

For selftests/cli/*.test, which are run from the root of the tree with the
build folder as their first word or in LULL_BUILD.  A test is a function that
is handed an empty folder; it fails by an exception.
"""

import errno
import functools
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

BUILD = sys.argv[1] if len(sys.argv) > 1 else os.environ["LULL_BUILD"]
LULL = os.path.abspath(os.path.join(BUILD, "lull"))
VARIANT = os.path.basename(BUILD.rstrip("/")).rpartition("-")[2]
GOLDEN = os.path.abspath("selftests/golden")
TIMEOUT_S = 300
TRACE_CALLS = 3
# Between two looks at a command; it has computed in between, or waits.
LOOK_S = 0.25
# Where the values of a .wtns begin, behind the container's frame and the prime
# of 32 bytes.
WTNS_VALUES = 12 + 12 + 40 + 12
VALUE_BYTES = 32

TESTS = []


class Skip(Exception):
    """Ends a test that cannot run here; its text is the reason."""


def test(function):
    TESTS.append(function)
    return function


def expect(want, got, what=""):
    if want != got:
        raise AssertionError(f"{what}: expected {want!r}, found {got!r}")


def expect_in(part, whole, what=""):
    if part not in whole:
        raise AssertionError(f"{what}: expected {part!r} in {whole!r}")


def lull(*words, rc=0, **options):
    """Run the command; expect its exit code, any where that is None; give
    (stdout, stderr)."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    done = subprocess.run([LULL, *map(str, words)], text=True,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT_S,
                          check=False, **options)
    if rc is not None and done.returncode != rc:
        raise AssertionError(f"lull {' '.join(map(str, words))}: expected "
                             f"exit {rc}, found {done.returncode}: "
                             f"{done.stdout} {done.stderr}")
    return done.stdout or "", done.stderr or ""


def lull_fails(message, *words, rc=2, **options):
    """The same for a failure: one line on standard error, which has message,
    and nothing on standard output."""
    out, err = lull(*words, rc=rc, **options)
    expect("", out, "standard output")
    expect("lull: ", err[:6], "standard error")
    expect(1, err.count("\n"), f"lines on standard error ({err!r})")
    expect_in(message, err)


def lull_json(*words, **options):
    """The same for --json: the one object on standard output."""
    out, _ = lull(*words, "--json", **options)
    expect(1, out.count("\n"), "lines of JSON")
    return json.loads(out)


@functools.cache
def no_uring():
    """Why there is no io_uring here, in the loader's words; "" where it is."""
    _, err = lull("key", "info", "--loader", "uring",
                  golden("bn128-mul2", "zkey"), rc=None)
    return err.strip().removeprefix("lull: ") if "uring: " in err else ""


def task_of(path):
    """State of a process or thread, and the processor's ticks that it has had:
    a process's are those of all its threads."""
    with open(path + "/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return fields[0], int(fields[11]) + int(fields[12])


def cpu_s(child):
    """Seconds of the processors that a command has had so far."""
    return task_of(f"/proc/{child.pid}")[1] / os.sysconf("SC_CLK_TCK")


def state_of(child):
    """The command's state, ticks, and its threads' states."""
    tasks = f"/proc/{child.pid}/task"
    threads = set()
    for thread in os.listdir(tasks):
        try:
            threads.add(task_of(f"{tasks}/{thread}")[0])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return *task_of(f"/proc/{child.pid}"), threads


def await_handler(child, number=signal.SIGINT):
    """Until the command has its own handler: before, that signal just kills."""
    caught = 0
    while not caught >> (number - 1) & 1 and child.poll() is None:
        with open(f"/proc/{child.pid}/status", encoding="ascii") as file:
            caught = next((int(line.split()[1], 16) for line in file
                           if line.startswith("SigCgt:")), 0)
        time.sleep(0.001)


def interrupt_waiting(*words, **options):
    """Run the command until it waits for somebody, and interrupt it; give its
    exit code.  One that goes on waiting is an error, and killed."""
    options.setdefault("stdout", subprocess.DEVNULL)
    with subprocess.Popen([LULL, *words], stdin=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, **options) as child:
        try:
            await_handler(child)
            before = None
            # All of it sleeps, and had nothing to compute since the last look:
            # who only waits for a processor does not sleep.
            while ((now := state_of(child)) != before or now[2] != {"S"}) and (
                    now[0] != "Z"):
                before = now
                time.sleep(LOOK_S)
            child.send_signal(signal.SIGINT)
            return child.wait(timeout=TIMEOUT_S / 10)
        finally:
            child.kill()


def full_pipe(path):
    """A named pipe that somebody has open and reads nothing from; gives that
    descriptor."""
    os.mkfifo(path)
    fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        while True:
            os.write(fd, bytes(1 << 12))
    except BlockingIOError:
        os.set_blocking(fd, True)
    return fd


def limit_files(size):
    """For preexec_fn: a limit on the size of files stands for a disk that
    fills up."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def shown_on(master, slave):
    """All that a terminal was shown, which comes in pieces; closes both."""
    os.close(slave)
    shown = b""
    try:
        while piece := os.read(master, 1 << 16):
            shown += piece
    except OSError as error:
        # So Linux says that nobody has the other side any more.
        if error.errno != errno.EIO:
            raise
    os.close(master)
    return shown.decode()


def golden(name, ending):
    path = os.path.join(GOLDEN, f"{name}.{ending}")
    if not os.path.exists(path):
        raise AssertionError(f"no {path}")
    return path


def golden_names():
    """Those of the keys that have a witness and a verification key."""
    return sorted(f[:-5] for f in os.listdir(GOLDEN) if f.endswith(".wtns"))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def values_of(path):
    """The values of a witness."""
    data = read(path)
    return [int.from_bytes(data[at:at + VALUE_BYTES], "little")
            for at in range(WTNS_VALUES, len(data), VALUE_BYTES)]


def count_values(path):
    """How many values a witness has, and how many of each kind."""
    values = values_of(path)
    zeros, ones = values.count(0), values.count(1)
    return {"values": len(values), "zeros": zeros, "ones": ones,
            "others": len(values) - zeros - ones}


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def make_circuit(folder, log2=8, curve="bn128", shape="dense"):
    """X.r1cs and X.wtns of that shape; gives the path without ending."""
    prefix = os.path.join(folder, shape)
    subprocess.run([sys.executable, "scripts/mkcircuit.py", "--shape", shape,
                    "--log2", str(log2), "--curve", curve, "--out", prefix],
                   check=True, stdout=subprocess.DEVNULL)
    return prefix


def run_one(function, number):
    folder = tempfile.mkdtemp(prefix="lull-test-")
    title = f"{number} {function.__name__}"
    try:
        function(folder)
        print(f"ok {title}")
        return True
    except Skip as reason:
        print(f"ok {title} # SKIP {reason}")
        return True
    except Exception:  # whatever it was, it is this test's failure
        for line in traceback.format_exc(limit=-TRACE_CALLS).splitlines():
            print(f"# {line}")
        print(f"not ok {title}")
        return False
    finally:
        sys.stdout.flush()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    if not os.access(LULL, os.X_OK):
        print(f"Bail out! no {LULL}")
        sys.exit(1)
    print(f"TAP version 13\n1..{len(TESTS)}")
    results = [run_one(function, number)
               for number, function in enumerate(TESTS, 1)]
    sys.exit(0 if all(results) else 1)
