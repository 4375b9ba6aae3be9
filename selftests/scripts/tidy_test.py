#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
tidy_test.py - scripts/tidy.py finds each fault, and nothing in good code

For scripts/check; prints TAP.  Each case is one small file in a tree of its
own and the faults that tidy.py must print for it, all of them and no other.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile

TIDY = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "..", "..", "scripts", "tidy.py")

# Words that tidy.py would find in this file are put together here.
ALLOW = "tidy" + ": allow"
LATER = "TO" + "DO"
HOME = "/hom" + "e/somebody/x"
C = "// SPDX-License-Identifier: Apache-2.0\n/* x.c - a sample */\n"
H = "/* SPDX-License-Identifier: Apache-2.0 */\n/* x.h - a sample */\n"
SH = "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n# x - a sample\n"
PY = '# SPDX-License-Identifier: Apache-2.0\n"""A sample."""\n'


def function(lines, head="static int f(void)"):
    return head + "\n{\n" + "\tx++;\n" * (lines - 3) + "}\n"


CASES = [
    # name, path, text, faults as "line: rule"
    ("good C", "userspace/base/x.c", C + function(70), []),
    ("good header", "userspace/base/x.h", H + "int f(void);\n", []),
    ("good shell", "scripts/x", SH + "f()\n{\n\ttrue\n}\n", []),
    ("good Python", "scripts/x.py", PY + "def f():\n    pass\n", []),
    ("long C function", "userspace/base/x.c", C + function(71),
     ["3: function-length"]),
    ("long function with a two-line head", "userspace/base/x.c",
     C + function(70, "static int\nf(int a,\n  int b)"),
     ["3: function-length"]),
    ("long TEST", "selftests/base/x.c", C + function(71, "TEST(a)"),
     ["3: function-length"]),
    ("long shell function", "scripts/x.sh", SH + function(71, "f()"),
     ["4: function-length"]),
    ("long Python function", "scripts/x.py",
     PY + "def f():\n" + "    pass\n" * 70, ["3: function-length"]),
    ("long JavaScript function", "selftests/x.mjs",
     C + "async function f(a) {\n" + "\ta++;\n" * 69 + "}\n",
     ["3: function-length"]),
    ("long struct is no function", "userspace/base/x.h",
     H + "struct x {\n" + "\tint a;\n" * 80 + "};\n", []),
    ("long line", "userspace/base/x.c", C + "/* " + "x" * 96 + " */\n",
     ["3: line-length"]),
    ("a tab is eight columns", "userspace/base/x.c",
     C + "\t/* " + "x" * 88 + " */\n", ["3: line-length"]),
    ("long file", "userspace/base/x.c", C + "\n" * 799,
     ["801: file-length"]),
    ("long generated file", "userspace/curve/gen/x.h", H + "\n" * 799, []),
    ("base includes curve", "userspace/base/x.c",
     C + '#include "curve/curve.h"\n', ["3: include"]),
    ("input includes prove", "userspace/input/x.c",
     C + '#include "prove/key.h"\n', ["3: include"]),
    ("input includes curve ids", "userspace/input/x.c",
     C + '#include "curve/facts.h"\n', []),
    ("input includes a field", "userspace/input/x.c",
     C + '#include "curve/fp.h"\n', ["3: include"]),
    ("msm includes ntt", "userspace/msm/x.c",
     C + '#include "ntt/domain_tmpl.h"\n', ["3: include"]),
    ("prove includes cli", "userspace/prove/x.c",
     C + '#include "cli/cli.h"\n', ["3: include"]),
    ("bench includes msm", "userspace/bench/x.c",
     C + '#include "msm/msm.h"\n#include "base/mem.h"\n', []),
    ("cli includes bench", "userspace/cli/x.c",
     C + '#include "bench/bench.h"\n', []),
    ("cli reaches below the library", "userspace/cli/x.c",
     C + '#include "prove/key.h"\n', ["3: include"]),
    ("include without a folder", "userspace/msm/x.c",
     C + '#include "msm.h"\n', ["3: include"]),
    ("unknown folder", "userspace/misc/x.c",
     C + '#include "curve/curve.h"\n', ["3: include"]),
    ("kmod includes userspace", "kmod/x.c",
     C.replace("Apache-2.0", "GPL-2.0-only") + '#include "base/mem.h"\n',
     ["3: include"]),
    ("public header includes ours", "userspace/include/lull.h",
     H + '#include "base/error.h"\n', ["3: include"]),
    ("public headers include lull.h", "userspace/include/lull_pipeline.h",
     H + '#include "lull.h"\n', []),
    ("public headers are everyone's", "userspace/msm/x.h",
     H + '#include "lull_pipeline.h"\n', []),
    ("library prints", "userspace/msm/x.c",
     C + 'static void f(void)\n{\n\tprintf("x");\n}\n', ["5: banned-call"]),
    ("library prints to stderr", "userspace/msm/x.c",
     C + "static void f(void)\n{\n\tfprintf(stderr, g);\n}\n",
     ["5: banned-call"]),
    ("library exits", "userspace/msm/x.c",
     C + "static void f(void)\n{\n\texit(1);\n}\n", ["5: banned-call"]),
    ("a method named exit is none", "userspace/msm/x.c",
     C + "static void f(void)\n{\n\to->exit(1);\n}\n", []),
    ("a call in a comment is none", "userspace/msm/x.c",
     C + "/* printf(x) */\n", []),
    ("program prints", "userspace/cli/x.c",
     C + "static void f(void)\n{\n\tprintf(g);\n\texit(1);\n}\n", []),
    ("program copies without bound", "userspace/cli/x.c",
     C + "static void f(void)\n{\n\tstrcpy(a, b);\n}\n",
     ["5: banned-call"]),
    ("atoi", "userspace/cli/x.c", C + "static int a = atoi(b);\n",
     ["3: banned-call"]),
    ("no licence", "userspace/base/x.c", "/* x.c - a sample */\n",
     ["1: spdx", "2: first-comment"]),
    ("wrong licence", "kmod/x.c", C, ["1: spdx"]),
    ("wrong comment for a header", "userspace/base/x.h", C, ["1: spdx"]),
    ("no licence in a script", "scripts/x.sh", "#!/bin/sh\n# x - sample\n",
     ["2: spdx", "3: first-comment"]),
    ("no first comment", "userspace/base/x.c",
     C.split("\n")[0] + "\nint a;\n", ["2: first-comment"]),
    ("macro body", "userspace/msm/x.h",
     H + "#define F(a) \\\n\tdo_f(a)\n", ["3: macro"]),
    ("one-line macro", "userspace/msm/x.h", H + "#define F(a) do_f(a)\n", []),
    ("object-like macro of two lines", "userspace/msm/x.h",
     H + "#define A \\\n\t3\n", []),
    ("macro body in the harness", "selftests/x.h",
     H + "#define F(a) \\\n\tdo_f(a)\n", []),
    ("hex constant", "userspace/msm/x.c",
     C + "\n\n\nstatic int a = 0x12345;\n", ["6: hex-constant"]),
    ("hex constant, comment beside", "userspace/msm/x.c",
     C + "\n\n\nstatic int a = 0x12345; /* the seed */\n", []),
    ("hex constant, comment above", "userspace/msm/x.c",
     C + "\n\n/* the\n * seed */\n\n\nstatic int a = 0x12345;\n", []),
    ("hex constant, comment too far", "userspace/msm/x.c",
     C + "\n\n/* the seed */\n\n\n\nstatic int a = 0x12345;\n",
     ["9: hex-constant"]),
    ("hex table under one comment", "userspace/msm/x.c",
     C + "\n/* powers */\nstatic int a[] = {\n" + "\t0x12345,\n" * 9 + "};\n",
     []),
    ("short hex constant", "userspace/msm/x.c",
     C + "\n\n\nstatic int a = 0xffff;\n", []),
    ("hex constant in a string", "userspace/msm/x.c",
     C + '\n\n\nstatic char *a = "0x12345";\n', []),
    ("generated hex", "userspace/curve/gen/x.h",
     H + "\n\n\n#define A 0x12345\n", []),
    ("path of a machine", "scripts/x.sh", SH + "cd " + HOME + "\n",
     ["4: machine-path"]),
    ("promise", "Documentation/x.rst", "Text.\n" + LATER + ": more\n",
     ["2: promise"]),
    ("promise in C", "userspace/msm/x.c", C + "/* " + LATER + " */\n",
     ["3: promise"]),
    ("function of one file", "userspace/msm/x.c",
     C + function(5, "int lull_f(void)"), ["3: single-use"]),
    ("trailing blank", "userspace/msm/x.c", C + "int a; \n",
     ["3: whitespace"]),
    ("no newline at the end", "userspace/msm/x.c", C + "int a;",
     ["3: whitespace"]),
    ("allowed", "userspace/msm/x.c",
     C + f"/* {ALLOW} single-use called from assembly */\n"
     + function(5, "int lull_f(void)"), []),
    ("allowed on the line", "userspace/msm/x.c",
     C + f"static int a = atoi(b); /* {ALLOW} banned-call checked above */\n",
     []),
    ("allowed without need", "userspace/msm/x.c",
     C + f"/* {ALLOW} macro for fun */\nint a;\n", ["3: suppression"]),
    ("allowed without reason", "userspace/msm/x.c",
     C + f"static int a = atoi(b); /* {ALLOW} banned-call */\n",
     ["3: banned-call", "3: suppression"]),
    ("allowed by no rule", "userspace/msm/x.c",
     C + f"/* {ALLOW} everything please */\n", ["3: suppression"]),
]

# Whole trees: name, {path: text}, faults as "path:line: rule"
HEADER = H + "int lull_f(void);\nint lull_g(void);\n"
TREES = [
    ("function of two files", {
        "userspace/msm/x.c": C + function(5, "int lull_f(void)"),
        "userspace/msm/y.c": C + "static int (*g)(void) = lull_f;\n",
        "userspace/msm/x.h": HEADER}, []),
    ("declared, never used elsewhere", {
        "userspace/msm/x.c": C + function(5, "int lull_f(void)"),
        "userspace/msm/x.h": HEADER},
     ["userspace/msm/x.c:3: single-use"]),
    ("used by an inline function of a header", {
        "userspace/msm/x.c": C + function(5, "int lull_f(void)"),
        "userspace/msm/x.h": HEADER
        + "static inline int h(void)\n{\n\treturn lull_f();\n}\n"}, []),
    ("public function", {
        "userspace/x.c": C + function(5, "int lull_f(void)"),
        "userspace/include/lull.h": HEADER}, []),
    ("instance of a template", {
        "userspace/msm/x_tmpl.c": C + function(5, "int msm_run(void)"),
        "userspace/msm/y.c": C + "int (*g)(void) = lull_bn254_msm_run;\n"},
     []),
    ("group template", {
        "userspace/msm/x_gtmpl.c": C + function(5, "int g_run(void)"),
        "userspace/msm/y.c": C + "int (*g)(void) = g2_run;\n"}, []),
    ("used by another name", {
        "userspace/msm/x_tmpl.c": C + function(5, "int fp_run(void)"),
        "userspace/msm/x.h": H + "#define gfe_run fp_run\n",
        "userspace/msm/y.c": C + "int (*g)(void) = gfe_run;\n"}, []),
    ("a name's alias is no use", {
        "userspace/msm/x_gtmpl.c": C + function(5, "int g_run(void)"),
        "userspace/msm/x.h":
            H + "#define g1_run LULL_CURVE_NAME(g1_run)\nint g1_run(void);\n"},
     ["userspace/msm/x_gtmpl.c:3: single-use"]),
]


def load_tidy():
    spec = importlib.util.spec_from_file_location("tidy", TIDY)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def write_tree(root, files):
    for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


def faults_of(module, files):
    """What tidy.py finds in these files, as "path:line: rule"."""
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, files)
        return [f"{path}:{nr}: {rule}"
                for path, nr, rule, _ in module.check_tree(root)]


def command_prints(files):
    """The command itself: exit status and lines."""
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, files)
        done = subprocess.run([sys.executable, TIDY, "--root", root],
                              capture_output=True, text=True, check=False)
    return [f"exit {done.returncode}"] + done.stdout.splitlines()


def main():
    cases = [(name, {path: text}, [f"{path}:{fault}" for fault in faults])
             for name, path, text, faults in CASES] + TREES
    module = load_tidy()
    results = [(name, faults_of(module, files), want)
               for name, files, want in cases]
    results += [
        ("exit 0", command_prints({"userspace/base/x.c": C}), ["exit 0"]),
        ("exit 1, and one line a fault",
         command_prints({"userspace/base/x.c": C + "int a; \n"}),
         ["exit 1",
          "userspace/base/x.c:3: whitespace: trailing blank"])]
    print(f"TAP version 13\n1..{len(results)}")
    failed = 0
    for nr, (name, found, want) in enumerate(results, 1):
        good = sorted(found) == sorted(want)
        failed += not good
        if not good:
            print(f"# expected {want}\n# found    {found}")
        print(f"{'ok' if good else 'not ok'} {nr} {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
