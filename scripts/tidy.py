#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
tidy.py - the house rules that a machine can check

For `make tidy` and scripts/check.  Reads every source file that git knows or
would take, prints `file:line: rule: message` for each fault and exits 1 if
there was one.  It parses no C: it relies on kernel style (a function's braces
stand in column 0), which clang-format keeps.

A fault that has a reason is allowed on its own line or on the line above it:
    /* tidy: allow RULE reason */      (or # in scripts)
A suppression without a reason, or that suppresses nothing, is a fault too.

    scripts/tidy.py [--root DIR] [--rules]
"""

import argparse
import ast
import os
import re
import subprocess
import sys

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 800
COLUMNS_MAX = 100
TAB_COLUMNS = 8
# Four digits are a mask or a port; from five on nobody recognises a number.
HEX_DIGITS_MIN = 5
# A comment explains the constants of this many lines below it.
HEX_COMMENT_REACH = 3

C_ENDINGS = (".c", ".h", ".cu", ".cuh")
HASH_ENDINGS = (".py", ".sh", ".mk")
SLASH_ENDINGS = (".S", ".circom", ".js", ".mjs", ".cjs")
TEXT_ENDINGS = (".rst", ".md", ".txt", ".json", ".map", ".conf", ".service")
HASH_NAMES = ("Makefile", "Kbuild")

RULES = {
    "function-length": f"a function has at most {FUNCTION_LINES_MAX} lines",
    "file-length": f"a file has at most {FILE_LINES_MAX} lines (gen/ is exempt)",
    "line-length": f"a line has at most {COLUMNS_MAX} columns",
    "include": "headers are included in one direction only",
    "banned-call": "calls that overflow, print or exit where they must not",
    "spdx": "the first line names the licence of its folder",
    "first-comment": "the first comment says what the file does",
    "macro": "no multi-line function-like macro in userspace/ and kmod/",
    "hex-constant": "a long hex constant has a comment beside or above it",
    "machine-path": "no path of somebody's machine, no host of a registry",
    "promise": "no word that promises work instead of doing it",
    "single-use": "a function used in one file only is static",
    "whitespace": "no trailing blanks, and a newline at the end",
    "suppression": "a suppression names a rule, has a reason and is needed",
}

# What each folder of userspace/ may include, itself apart.  base/ and the
# public header are everyone's.  Documentation/architecture.rst draws it.
KERNELS = {"synth", "ntt", "msm"}
BELOW_PROVE = {"curve", "input", "load", "arena", "backend"} | KERNELS
BELOW_LIB = BELOW_PROVE | {"prove", "sched"}
MAY_INCLUDE = {
    "base": set(),
    "arena": set(),
    "input": {"curve/facts.h", "arena"},
    "load": {"input", "arena"},
    "curve": set(),
    "synth": {"curve", "arena"},
    "ntt": {"curve", "arena"},
    "msm": {"curve"},
    "backend": {"curve", "arena"} | KERNELS,
    "prove": BELOW_PROVE - {"load"},
    "sched": BELOW_PROVE | {"prove"},
    "lib": BELOW_LIB,
    "supraseal": {"prove"},
    "daemon": BELOW_LIB,
    "bench": BELOW_LIB,
    "cli": {"bench", "curve/facts.h", "arena"},
}

PUBLIC_HEADERS = ("lull.h", "lull_bellman.h", "lull_pipeline.h")
PUBLIC_PATHS = tuple(f"userspace/include/{name}" for name in PUBLIC_HEADERS)

UNSAFE_CALLS = ("strcpy", "strcat", "stpcpy", "sprintf", "vsprintf", "atoi",
                "atol", "atoll", "alloca", "gets", "strtok", "BUG_ON", "BUG")
# A library neither prints nor exits; these folders are programs.
PROGRAM_CALLS = ("printf", "vprintf", "puts", "putchar", "perror", "exit",
                 "_exit")
PROGRAM_FOLDERS = ("userspace/cli/", "userspace/daemon/", "userspace/bench/",
                   "selftests/", "cuda/bench_")

C_TOKEN = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
ALLOW = re.compile(r"(?:/\*|//|#)\s*tidy:\s*allow\b[ \t]*([\w-]*)[ \t]*([^\n]*)")
HEX = re.compile(r"\b0[xX][0-9a-fA-F]{%d,}" % HEX_DIGITS_MIN)
FUNCTION_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)")
# JavaScript opens its functions on the line that names them.
SCRIPT_FUNCTION = re.compile(r"(?:export )?(?:async )?function\b.*\{\s*$")
# #define fp_mul LULL_CURVE_NAME(fp_mul), #define gfe_mul fp_mul
NAME_ALIAS = re.compile(
    r"\s*#\s*define\s+\w+\s+(?:\w+|LULL_\w+\(\w+\))\s*$")
# Split so that this file passes its own test.
PROMISE = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b"
                     r"|\bnot (?:yet )?imple" r"mented\b"
                     r"|\bplace" r"holder|\bstu" r"b(?:s|bed)?\b")
MACHINE = re.compile(r"(?<![\w.])/(?:wor" r"k|hom" r"e/\w+|roo" r"t)/"
                     r"|\bregistry\.npm" r"js\b|\bdeb\.debi" r"an\.org\b")


class Source:
    """One file: its lines, and for C the same lines without comments."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), "rb") as file:
            self.text = file.read().decode("utf-8", "replace")
        self.lines = self.text.split("\n")
        if self.lines and self.lines[-1] == "":
            self.lines.pop()
        name = os.path.basename(path)
        first = self.lines[0] if self.lines else ""
        self.is_c = name.endswith(C_ENDINGS)
        self.is_slash = self.is_c or name.endswith(SLASH_ENDINGS)
        self.is_text = name.endswith(TEXT_ENDINGS)
        self.is_hash = (name in HASH_NAMES or name.endswith(HASH_ENDINGS)
                        or (first.startswith("#!") and not self.is_slash))
        self.is_source = self.is_slash or self.is_hash
        self.is_generated = "/gen/" in path
        self.code, self.commented = self.lines, set()
        if self.is_slash:
            self.split_comments()

    def split_comments(self):
        """Blank comments and literals; note the lines that hold comments."""
        def blank(match):
            token = match.group()
            if token.startswith("/"):
                first = self.text.count("\n", 0, match.start()) + 1
                last = first + token.count("\n")
                self.commented.update(range(first, last + 1))
                return "\n" * (last - first)
            return '""'
        # Counting newlines from the start each time would be quadratic only
        # in the number of comments of one file of at most 800 lines.
        self.code = C_TOKEN.sub(blank, self.text).split("\n")

    def functions(self):
        """Yield (name, first line, last line, head) of each function."""
        if self.path.endswith(".py"):
            yield from self.python_functions()
        elif self.is_slash or self.is_hash:
            yield from self.braced_functions()

    def python_functions(self):
        try:
            tree = ast.parse(self.text)
        except SyntaxError:
            return
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.name, node.lineno, node.end_lineno, ""

    def braced_functions(self):
        opened = None
        for nr, line in enumerate(self.code, 1):
            if opened is None and SCRIPT_FUNCTION.match(line):
                opened = nr + 1
            elif line.startswith("{") and opened is None:
                opened = nr
            elif line.startswith("}") and opened is not None:
                first = self.head_of(opened)
                head = ATTRIBUTE.sub("", " ".join(
                    self.code[first - 1:opened - 1]))
                found = FUNCTION_NAME.search(head)
                if found:
                    yield found.group(1), first, nr, head
                opened = None

    def head_of(self, opened):
        """The first line of the signature whose body opens at `opened`."""
        first = opened
        while first > 1:
            line = self.code[first - 2].rstrip()
            if not line or line[0] in "#}" or line.endswith((";", "}", "\\")):
                break
            first -= 1
        return first


class Tidy:
    def __init__(self, sources):
        self.sources = sources
        self.faults = []
        self.allowed = {}
        self.used = set()
        for source in sources:
            if source.is_source:
                self.read_suppressions(source)

    def read_suppressions(self, source):
        for nr, line in enumerate(source.lines, 1):
            found = ALLOW.search(line)
            # The line in the docstring above is not meant.
            if not found or found.group(1) == "RULE":
                continue
            rule, reason = found.group(1), found.group(2).replace("*/", "")
            if rule not in RULES:
                self.fault(source, nr, "suppression", f"no rule '{rule}'")
            elif not reason.strip():
                self.fault(source, nr, "suppression", "gives no reason")
            else:
                self.allowed[source.path, nr, rule] = False

    def fault(self, source, nr, rule, message):
        for line in (nr, nr - 1):
            key = (source.path, line, rule)
            if key in self.allowed:
                self.allowed[key] = True
                return
        self.faults.append((source.path, nr, rule, message))

    def run(self):
        for source in self.sources:
            self.check_words(source)
            if not source.is_source:
                continue
            self.check_layout(source)
            self.check_head(source)
            self.check_functions(source)
            if source.is_c:
                self.check_includes(source)
                self.check_calls(source)
                self.check_macros(source)
            if source.is_slash and not source.is_generated:
                self.check_hex(source)
        self.check_single_use()
        for (path, nr, rule), used in self.allowed.items():
            if not used:
                self.faults.append((path, nr, "suppression",
                                    f"'{rule}' is not broken here"))
        return sorted(self.faults)

    def check_words(self, source):
        if source.path.endswith("package-lock.json"):
            return
        for nr, line in enumerate(source.lines, 1):
            found = MACHINE.search(line)
            if found:
                self.fault(source, nr, "machine-path", found.group())
            found = PROMISE.search(line)
            if found and "/*" not in found.group():
                self.fault(source, nr, "promise", found.group())

    def check_layout(self, source):
        if len(source.lines) > FILE_LINES_MAX and not source.is_generated:
            self.fault(source, len(source.lines), "file-length",
                       f"{len(source.lines)} lines")
        for nr, line in enumerate(source.lines, 1):
            columns = len(line.expandtabs(TAB_COLUMNS))
            if columns > COLUMNS_MAX:
                self.fault(source, nr, "line-length", f"{columns} columns")
            if line != line.rstrip():
                self.fault(source, nr, "whitespace", "trailing blank")
        if source.text and not source.text.endswith("\n"):
            self.fault(source, len(source.lines), "whitespace",
                       "no newline at the end")

    def check_head(self, source):
        lines = source.lines[:]
        at = 1
        if lines and lines[0].startswith("#!"):
            lines.pop(0)
            at = 2
        self.check_spdx(source, lines[0] if lines else "", at)
        rest = [line for line in lines[1:5] if line.strip()]
        first = rest[0].lstrip() if rest else ""
        opening = ("/*", "//") if source.is_slash else ("#", '"""')
        if not first.startswith(opening) or first.startswith("#!"):
            self.fault(source, at + 1, "first-comment",
                       "what does this file do, for whom?")

    def check_spdx(self, source, line, at):
        if source.path.startswith("uapi/"):
            want = "GPL-2.0-only WITH Linux-syscall-note"
        elif source.path.startswith("kmod/") or source.path == "Kbuild":
            want = "GPL-2.0-only"
        else:
            want = "Apache-2.0"
        tag = f"SPDX-License-Identifier: {want}"
        if source.path.endswith((".h", ".cuh")):
            wanted = f"/* {tag} */"
        elif source.is_slash:
            wanted = f"// {tag}"
        else:
            wanted = f"# {tag}"
        # Assembly and .circom take either form of comment.
        either = {wanted, f"/* {tag} */"} if not source.is_hash else {wanted}
        strict = source.path.endswith((".c", ".h", ".cu", ".cuh"))
        if line not in ({wanted} if strict else either):
            self.fault(source, at, "spdx", f"expected '{wanted}'")

    def check_functions(self, source):
        for name, first, last, _ in source.functions():
            lines = last - first + 1
            if lines > FUNCTION_LINES_MAX:
                self.fault(source, first, "function-length",
                           f"{name} has {lines} lines")

    def check_includes(self, source):
        folder = layer_of(source.path)
        # A quoted path is a literal to the scanner: read the raw lines.
        for nr, line in enumerate(source.lines, 1):
            found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not found or folder is None:
                continue
            what = found.group(1)
            message = include_fault(folder, what)
            if message:
                self.fault(source, nr, "include", f'"{what}": {message}')

    def check_calls(self, source):
        banned = set(UNSAFE_CALLS)
        if not source.path.startswith(PROGRAM_FOLDERS):
            banned.update(PROGRAM_CALLS)
        call = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(sorted(banned)))
        for nr, line in enumerate(source.code, 1):
            found = call.search(line)
            if found:
                self.fault(source, nr, "banned-call", f"{found.group(1)}()")
            elif "fprintf(stderr" in line.replace(" ", "") and \
                    "printf" in banned:
                self.fault(source, nr, "banned-call", "fprintf(stderr)")

    def check_macros(self, source):
        if not source.path.startswith(("userspace/", "kmod/")):
            return
        for nr, line in enumerate(source.code, 1):
            found = re.match(r"\s*#\s*define\s+(\w+)\(", line)
            if found and line.rstrip().endswith("\\"):
                self.fault(source, nr, "macro", found.group(1))

    def check_hex(self, source):
        explained = -HEX_COMMENT_REACH - 1
        for nr, line in enumerate(source.code, 1):
            if nr in source.commented:
                explained = nr
            if not HEX.search(line):
                continue
            if nr - explained <= HEX_COMMENT_REACH:
                # The comment above a table explains all of it.
                if line.rstrip().endswith((",", "{", "\\")):
                    explained = max(explained, nr - 1)
                continue
            self.fault(source, nr, "hex-constant",
                       f"{HEX.search(line).group()} has no comment")

    def check_single_use(self):
        words, aliases = {}, {}
        for source in self.sources:
            if source.is_slash:
                for alias, name in plain_aliases(source):
                    aliases.setdefault(name, set()).add(alias)
                for word in used_words(source):
                    words.setdefault(word, set()).add(source.path)
        public = {word for source in self.sources
                  if source.path in PUBLIC_PATHS
                  for line in source.code
                  for word in re.findall(r"\blull_\w+", line)}
        for source in self.sources:
            if not re.match(r"userspace/.*\.c$", source.path):
                continue
            for name, first, _, head in source.functions():
                if re.search(r"\b(?:static|constructor)\b", head):
                    continue
                if name == "main" or name in public:
                    continue
                names = {name} | aliases.get(name, set())
                if not any(used_elsewhere(source.path, one, words)
                           for one in names):
                    self.fault(source, first, "single-use",
                               f"{name} is used in this file only: static?")


def layer_of(path):
    parts = path.split("/")
    if parts[0] in ("kmod", "uapi", "cuda"):
        return parts[0]
    if parts[0] != "userspace":
        return None
    if parts[1] == "include":
        return "include"
    return parts[1] if len(parts) > 2 else "lib"


def include_fault(folder, what):
    """Why `folder` may not include `what`, or None."""
    into = what.split("/")[0] if "/" in what else ""
    if folder == "kmod":
        return ("kmod and userspace share uapi/ only"
                if into in MAY_INCLUDE else None)
    if folder in ("uapi", "include"):
        return None if folder == "include" and what in PUBLIC_HEADERS else \
            "a public header includes public headers only"
    if what in PUBLIC_HEADERS or into in ("base", "linux", "uapi") or \
            (folder == "lib" and what == "lib.h"):
        return None
    if folder == "cuda":
        return None if into not in ("cli", "daemon", "bench", "prove") else \
            f"cuda does not use {into}/"
    if not into:
        return "include paths start at userspace/"
    may = MAY_INCLUDE.get(folder)
    if may is None:
        return f"scripts/tidy.py knows no folder '{folder}'"
    if into == folder or into in may or what in may:
        return None
    return f"{folder} may not use {into}/"


def used_words(source):
    """Identifiers that `source` uses; no declaration in a header is a use."""
    words, inside = set(), not source.path.endswith((".h", ".cuh"))
    for line in source.code:
        if NAME_ALIAS.match(line):
            continue
        if inside or re.match(r"\s*#\s*define\b", line):
            words.update(re.findall(r"[A-Za-z_]\w*", line))
        if line.startswith("{"):
            inside = True
        elif line.startswith("}") and source.path.endswith((".h", ".cuh")):
            inside = False
    return words


def plain_aliases(source):
    """Yield (gfe_mul, fp_mul) for `#define gfe_mul fp_mul`."""
    for line in source.code:
        found = re.match(r"\s*#\s*define\s+(\w+)\s+([a-z]\w*)\s*$", line)
        if found:
            yield found.groups()


def used_elsewhere(path, name, words):
    """Is `name`, under any of its spellings, used outside `path`?"""
    spellings = {name}
    # A template per group says g_add, everyone else g1_add or g2_add.
    if path.endswith("_gtmpl.c") and name.startswith("g_"):
        spellings.update((name.replace("g_", "g1_", 1),
                          name.replace("g_", "g2_", 1)))
    if any(words.get(spelling, set()) - {path} for spelling in spellings):
        return True
    if "tmpl.c" not in path:
        return False
    # Another file may call one instance by its full name.
    endings = tuple("_" + spelling for spelling in spellings)
    return any(word.endswith(endings) and users - {path}
               for word, users in words.items())


def list_files(root):
    """Paths below root that git knows or would take; all when no git."""
    try:
        out = subprocess.run(
            ["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"],
            check=True, capture_output=True).stdout.decode()
        top = subprocess.run(
            ["git", "-C", root, "rev-parse", "--show-toplevel"],
            check=True, capture_output=True).stdout.decode().strip()
        if os.path.realpath(top) == os.path.realpath(root):
            return sorted({p for p in out.split("\0") if p})
    except (OSError, subprocess.CalledProcessError):
        pass
    return sorted(os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(root) for name in names)


def is_checked(root, path):
    full = os.path.join(root, path)
    if not os.path.isfile(full) or os.path.islink(full):
        return False
    if path.startswith("LICENSES/"):
        return False
    name = os.path.basename(path)
    if name in HASH_NAMES or name.endswith(
            C_ENDINGS + HASH_ENDINGS + SLASH_ENDINGS + TEXT_ENDINGS):
        return True
    if "." in name and not path.startswith("."):
        return False
    with open(full, "rb") as file:
        return file.read(2) == b"#!"


def check_tree(root):
    """Every fault below root, as (path, line, rule, message)."""
    sources = [Source(root, path) for path in list_files(root)
               if is_checked(root, path)]
    if not sources:
        sys.exit(f"tidy: nothing to check in {root}")
    return Tidy(sources).run()


def main():
    parser = argparse.ArgumentParser(description="check the house rules")
    parser.add_argument("--root", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), ".."))
    parser.add_argument("--rules", action="store_true",
                        help="list the rules and stop")
    args = parser.parse_args()
    if args.rules:
        for rule, text in RULES.items():
            print(f"{rule:16} {text}")
        return 0
    faults = check_tree(args.root)
    for path, nr, rule, message in faults:
        print(f"{path}:{nr}: {rule}: {message}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
