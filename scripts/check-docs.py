#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
check-docs.py - what the documentation names is there

    scripts/check-docs.py             files and folders; for scripts/check
    scripts/check-docs.py --markup    by hand: each .rst through docutils, too
                                      (scripts/setup --extras has it)

Looks at README.md, the manual page and all below Documentation/ for the names of
files and folders of this tree: from its root, or shorter, as sched/pipeline.c
and internals/msm.rst are.  A name with a star, or with a word in capitals, stands
for others.  Prints FILE:LINE: NAME and exits 1 where one is not there.  So it does
where two pages have one title, where the index leaves out what lies beside it, and
where the module's files in sysfs, its parameters or variables of the environment
are others than described.
"""
import glob
import io
import os
import re
import subprocess
import sys

PARENTS = ("", "userspace/", "Documentation/", "selftests/")
# The whole of a word, so that what follows a slash is no name of its own.
WORD = re.compile(r"(?<![\w./$~<-])[A-Za-z][\w-]*/[\w.*/-]*")
INDEX = "Documentation/index.rst"
ABI = "Documentation/ABI/testing/sysfs-class-misc-lull_arena"
MODULE_PAGE = "Documentation/admin-guide/lull-arena.rst"
SYSFS = "kmod/sysfs.c"
WARNING = 2  # the least of docutils' levels that is a mistake


def documents():
    return ["README.md", *sorted(
        f for f in glob.glob("Documentation/**/*", recursive=True)
        if os.path.isfile(f) and re.search(r"\.(rst|[1-9])$|/ABI/", f))]


def tracked():
    """Every file and folder that git knows, from the root."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"],
                            stdout=subprocess.PIPE, text=True, check=True)
    names = {f for f in listed.stdout.split("\n") if os.path.exists(f)}
    for name in list(names):
        while name := os.path.dirname(name):
            names.add(name)
    return names


def is_there(name, names):
    """A stem, as in `internals/msm`, may stand for its file."""
    return any(parent + name in names for parent in PARENTS) or any(
        known.startswith(parent + name + ".")
        for parent in PARENTS for known in names)


def dead_names(document, names):
    folders = {name for name in names if os.path.isdir(name)}
    with open(document, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            for word in WORD.findall(line):
                word = word.rstrip("./-")
                first = word.split("/")[0]
                if "*" in word or not any(parent + first in folders
                                          for parent in PARENTS):
                    continue
                if not is_there(word, names):
                    yield f"{document}:{number}: {word}"


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def titles_twice():
    """The tables of results/ are parts of other pages."""
    seen = {}
    for document in documents():
        title = re.search(r"^(.+)\n=+$", read(document), re.M)
        if not document.endswith(".rst") or "/results/" in document or not title:
            continue
        first = seen.setdefault(title[1], document)
        if first != document:
            yield f"{document}: the title of {first}: {title[1]}"


def not_in_the_index():
    entries = sorted(os.listdir("Documentation")) if os.path.exists(INDEX) else []
    for entry in entries:
        if f"``{entry}" not in read(INDEX) and entry != os.path.basename(INDEX):
            yield f"{INDEX}: no {entry}"


def undescribed():
    """Files and parameters of the module, the environment, and their pages."""
    sources = "".join(map(read, glob.glob("kmod/*.c")))
    if not sources:
        return
    files = set(re.findall(r"^\t+\{? ?(?:[A-Z]+|__ATTR)\((\w+), ", read(SYSFS),
                           re.M))
    said = set(re.findall(r"^What:.*/(\w+)$", read(ABI), re.M))
    yield from (f"{ABI}: no {name}" for name in sorted(files - said))
    yield from (f"{ABI}: {name}, which {SYSFS} has not"
                for name in sorted(said - files))
    told = "".join(read(f) for f in documents() if "/man/" in f or "/formats/" in f)
    for source in glob.glob("userspace/*/*.c"):
        for name in re.findall(r'getenv\("(\w+)"\)', read(source)):
            if not re.search(rf"\b{name}\b", told):
                yield f"{source}: {name} stands in no manual page"
    table = read(MODULE_PAGE)
    for name in re.findall(r"^module_param\w*\((\w+),", sources, re.M):
        if not re.search(rf"^{name}  ", table, re.M):
            yield f"{MODULE_PAGE}: no {name}"


def markup_mistakes(document):
    # Not for whom only looks at names.
    # pylint: disable=import-outside-toplevel
    import docutils.core
    from docutils.parsers.rst import Directive, directives

    class KernelDoc(Directive):
        """The kernel's own, which takes the comments of a header."""
        required_arguments = 1
        has_content = True
        option_spec = {"doc": directives.unchanged,
                       "identifiers": directives.unchanged}

        def run(self):
            return []

    directives.register_directive("kernel-doc", KernelDoc)
    said = io.StringIO()
    with open(document, encoding="utf-8") as file:
        docutils.core.publish_doctree(
            file.read(), source_path=document,
            settings_overrides={"warning_stream": said,
                                "report_level": WARNING})
    return said.getvalue().splitlines()


def main():
    if sys.argv[1:] not in ([], ["--markup"]):
        print(__doc__, file=sys.stderr)
        return 2
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    names = tracked()
    wrong = [line for document in documents()
             for line in dead_names(document, names)]
    wrong += [*titles_twice(), *not_in_the_index(), *undescribed()]
    if sys.argv[1:]:
        wrong += [line for document in documents()
                  if document.endswith(".rst")
                  for line in markup_mistakes(document)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main())
