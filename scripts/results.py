# SPDX-License-Identifier: Apache-2.0
"""
results.py - rows of a bench as files of Documentation/results

For scripts/bench-table and scripts/bench-pipeline: NAME.jsonl has the rows as
they were printed, NAME.rst the text that is made of them.
"""

import json
import os
import sys

LICENCE = ".. SPDX-License-Identifier: Apache-2.0"


def add_options(parser):
    parser.add_argument("--lull", default="build/gcc-plain/lull")
    parser.add_argument("--out", default="Documentation/results")
    parser.add_argument("--table-only", action="store_true")
    parser.add_argument("--check", action="store_true")


def host_text(row):
    host = row["host"]
    return (f"{host['cpu']}, {host['cores']} cores, Linux {host['kernel']}, "
            f"{host['compiler']}.")


def table(lines):
    """An rst table, a list of cells a line, whose first is the head; columns
    of words are flush left."""
    widths = [max(len(line[i]) for line in lines)
              for i in range(len(lines[0]))]
    rule = "  ".join("=" * width for width in widths)
    words = [all(cell[:1].isalpha() for line in lines[1:]
                 for cell in line[i:i + 1]) for i in range(len(widths))]
    text = ["  ".join(cell.ljust(width) if left else cell.rjust(width)
                      for cell, width, left in zip(line, widths, words))
            .rstrip() for line in lines]
    return [rule, text[0], rule, *text[1:], rule, ""]


def replace(path, text):
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(text)
    os.replace(path + ".new", path)


def publish(words, script, name, measure, make_text):
    """Measures, or takes the rows that are there; writes the text of them, or
    with --check compares it with what stands there."""
    lines = os.path.join(words.out, name + ".jsonl")
    text_path = os.path.join(words.out, name + ".rst")
    if not words.table_only and not words.check:
        rows = measure()
        os.makedirs(words.out, exist_ok=True)
        replace(lines, "".join(json.dumps(row) + "\n" for row in rows))
    with open(lines, encoding="ascii") as file:
        text = "\n".join([
            LICENCE, f".. Made by scripts/{script} from {name}.jsonl.", "",
            *make_text([json.loads(line) for line in file])])
    if not words.check:
        replace(text_path, text)
        print(text, end="")
        return
    with open(text_path, encoding="ascii") as file:
        if file.read() != text:
            sys.exit(f"{script}: {text_path} is not what {lines} gives; "
                     f"run scripts/{script} --table-only")
