#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
counts.py - no kernel takes more instructions than it did

    selftests/counts/counts.py BUILD_DIR             compares; prints TAP
    selftests/counts/counts.py BUILD_DIR --record    writes the counts anew

Time on a shared machine gates nothing; instructions are the same in every run.
callgrind counts those that the portable kernels and a whole proof run.  It does
not know AVX-512 IFMA: of that code, which is one long line without branches, the
instructions that there are count.  counts.json has the counts with the compiler
that they are of: another compiler's code is another count, and is skipped.  A
count that fell is a failure too, until it is recorded: what was won is kept.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "selftests/cli")
from tap import BUILD, GOLDEN, LULL, Skip, main, test

COUNTS = "selftests/counts/counts.json"
PROGRAM = os.path.join(BUILD, "counts", "kernels")
# Branches on random values, and what the C library picks for a processor.
TOLERANCE = 0.02
# The size of each: every part of a kernel is in it.
LOG2 = {"fp_mul": 0, "fr_mul": 0, "fp2_mul": 0, "ntt": 12, "quotient": 11,
        "msm_g1": 10, "msm_g2": 9}
IFMA = {"pairs_g1": "msm/pairs_ifma_gtmpl.{curve}.g1",
        "pairs_g2": "msm/pairs_ifma_gtmpl.{curve}.g2",
        "passes": "ntt/passes_ifma_tmpl.{curve}"}
CURVES = ("bn254", "bls12_381")
PROVED = "chain1000"


def compiler():
    said = subprocess.run(["readelf", "-p", ".comment", PROGRAM], text=True,
                          check=True, capture_output=True).stdout
    return re.search(r"GCC: .*|clang version .*", said)[0]


def callgrind(folder, words, *options):
    out = os.path.join(folder, "callgrind.out")
    env = dict(os.environ, LULL_CPU="portable")
    subprocess.run(["valgrind", "--tool=callgrind", "--collect-atstart=no",
                    f"--callgrind-out-file={out}", *options, *words],
                   env=env, check=True, capture_output=True, timeout=300)
    with open(out, encoding="utf-8") as file:
        totals = re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M)
    return int(totals[1])


def count_kernel(folder, curve, name):
    return callgrind(folder, [PROGRAM, curve, name, str(LOG2[name])])


def count_static(_, curve, name):
    path = os.path.join(BUILD, "userspace", name.format(curve=curve) + ".o")
    said = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path],
                          text=True, check=True, capture_output=True).stdout
    return len(re.findall(r"^ +[0-9a-f]+:\t", said, re.M))


def count_proof(folder, curve, _):
    golden = {"bn254": "bn128", "bls12_381": "bls12381"}[curve]
    key = os.path.join(GOLDEN, f"{golden}-{PROVED}.zkey")
    if not os.path.exists(key):
        raise Skip(f"no {key}")
    return callgrind(folder, [LULL, "prove", "--threads", "1", key,
                              key.replace(".zkey", ".wtns"),
                              f"{folder}/proof.json", f"{folder}/public.json"],
                     "--toggle-collect=lull_prove")


CASES = {f"{kind}_{curve}_{title}": (count, curve, name)
         for kind, count, names in (
             ("run", count_kernel, {name: name for name in LOG2}),
             ("run", count_proof, {"proof": "proof"}),
             ("code", count_static, IFMA))
         for curve in CURVES for title, name in names.items()}


def recorded():
    with open(COUNTS, encoding="utf-8") as file:
        return json.load(file)


def compare(case, folder):
    known = recorded()
    if known["compiler"] != compiler():
        raise Skip(f"counts are of {known['compiler']}, this is {compiler()}")
    count, curve, name = CASES[case]
    found, want = count(folder, curve, name), known["counts"].get(case)
    if not want:
        raise AssertionError(f"{case}: not recorded; found {found}")
    change = found / want - 1
    if abs(change) > TOLERANCE:
        cure = ("" if change > 0 else "; fewer are welcome: record them "
                f"(selftests/counts/counts.py {BUILD} --record)")
        raise AssertionError(f"{case}: expected {want} instructions, found "
                             f"{found} ({change:+.1%}){cure}")


def add(case):
    def run(folder):
        compare(case, folder)
    run.__name__ = case
    test(run)


def record(folder):
    counts = {}
    for case, (count, curve, name) in CASES.items():
        try:
            counts[case] = count(folder, curve, name)
            print(f"{case} {counts[case]}", file=sys.stderr)
        except Skip as reason:
            print(f"{case}: {reason}", file=sys.stderr)
    with open(COUNTS, "w", encoding="utf-8") as file:
        json.dump({"compiler": compiler(), "counts": counts}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    if "--record" in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            record(scratch)
    else:
        for one in CASES:
            add(one)
        main()
