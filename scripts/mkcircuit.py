#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
mkcircuit.py - synthetic circuits with witnesses that satisfy them

    mkcircuit.py --shape dense --curve bn128 --log2 16 --out PREFIX

writes PREFIX.r1cs and PREFIX.wtns, for benches and tests that need sizes and
corners without a compiler.  The same arguments give the same bytes.  Shapes:

    dense        x <- x^2 + i: every wire is a full-width number
    sha          as hashes of bits are: 49 of 50 wires are 0 or 1 (some boolean
                 constraints, mostly xors), the others full-width and made of 32
                 bits each
    edge-nopub   dense, with no public signal
    edge-linear  no constraint multiplies
    edge-unused  dense, with wires, public ones too, that no constraint has
    edge-domain2 one constraint, no public signal: the smallest domain
    edge-empty   no constraint at all

A shape that has a size fills the domain of 2^log2: its constraints and public
signals number 2^log2 - 1.  Refuses sizes that the curve's domains do not hold.
"""
import argparse
import array
import random
import struct
import sys

CURVES = {
    # name: (the scalar field's prime, its 2-adicity)
    "bn128": (int("2188824287183927522224640574525727508854836440041603434369"
                  "8204186575808495617"), 28),
    "bls12381": (int("5243587517512619047944774050818596583769055250052763782"
                     "2603658699938581184513"), 32),
}
VALUE_BYTES = 32
FLUSH_BYTES = 1 << 22
# Of the sha shape: a full-width wire each so many, of so many bits; bits that
# are free, each with a boolean constraint.
DENSE_EACH = 50
WORD_BITS = 32
FREE_BITS = 512


def u32(x):
    return struct.pack("<I", x)


def value(x):
    return x.to_bytes(VALUE_BYTES, "little")


ONE = value(1)
NONE = u32(0)  # a linear combination of no terms
TERMS_1, TERMS_2, TERMS_3 = u32(1), u32(2), u32(3)


class Circuit:
    """Streams constraints to a file and keeps the witness."""

    def __init__(self, prefix, curve):
        self.prime = CURVES[curve][0]
        self.prefix = prefix
        self.minus_one = value(self.prime - 1)
        self.out = open(prefix + ".r1cs", "wb")
        self.buf = bytearray()
        self.nr_rows = 0
        self.pub_out = self.pub_in = self.prv_in = 0
        self.wires = [1]
        self.write_header(0, 0)

    def write_header(self, nr_wires, row_bytes):
        body = u32(VALUE_BYTES) + value(self.prime) + struct.pack(
            "<IIIIQI", nr_wires, self.pub_out, self.pub_in, self.prv_in,
            nr_wires, self.nr_rows)
        self.out.write(b"r1cs" + u32(1) + u32(3))
        self.out.write(struct.pack("<IQ", 1, len(body)) + body)
        self.out.write(struct.pack("<IQ", 2, row_bytes))

    def add(self, row):
        """One constraint, as its bytes."""
        self.buf += row
        self.nr_rows += 1
        if len(self.buf) >= FLUSH_BYTES:
            self.out.write(self.buf)
            self.buf = bytearray()

    def wire(self, x):
        """A new wire of value x; its number."""
        self.wires.append(x)
        return len(self.wires) - 1

    def finish(self):
        nr = len(self.wires)
        self.out.write(self.buf)
        end = self.out.tell()
        self.out.write(struct.pack("<IQ", 3, 8 * nr))
        self.out.write(array.array("Q", range(nr)).tobytes())
        self.out.seek(0)
        self.write_header(nr, 0)
        rows_at = self.out.tell()
        self.out.seek(0)
        self.write_header(nr, end - rows_at)
        self.out.close()
        with open(self.prefix + ".wtns", "wb") as out:
            out.write(b"wtns" + u32(2) + u32(2))
            body = u32(VALUE_BYTES) + value(self.prime) + u32(nr)
            out.write(struct.pack("<IQ", 1, len(body)) + body)
            out.write(struct.pack("<IQ", 2, VALUE_BYTES * nr))
            out.write(b"".join([value(x) for x in self.wires]))


def term(wire, coefficient):
    return u32(wire) + coefficient


def square_rows(c, nr, last, rand):
    """x_(i+1) = x_i^2 + i, nr times, from a private wire to wire `last`, or to
    a new one."""
    p, pack, add = c.prime, struct.pack, c.add
    x = rand.randrange(p)
    at = c.wire(x)
    for i in range(nr):
        x = (x * x + i) % p
        lc = TERMS_1 + pack("<I", at) + ONE
        if i == nr - 1 and last:
            at = last
            c.wires[at] = x
        else:
            at = c.wire(x)
        if i:
            add(lc + lc + TERMS_2 + NONE + value(p - i) + pack("<I", at) + ONE)
        else:
            add(lc + lc + TERMS_1 + pack("<I", at) + ONE)


def dense(c, rows, rand):
    c.pub_out, c.prv_in = 1, 1
    square_rows(c, rows - 1, c.wire(0), rand)


def sha(c, rows, rand):
    p, two = c.prime, value(2)
    c.pub_out = 1
    out = c.wire(0)
    free = min(FREE_BITS, rows // 4)
    c.prv_in = free + 1
    x = rand.randrange(p)
    at = c.wire(x)
    bits = [c.wire(rand.getrandbits(1)) for _ in range(free)]
    for b in bits:
        # b (b - 1) = 0
        c.add(TERMS_1 + term(b, ONE) + TERMS_2 + term(0, c.minus_one) +
              term(b, ONE) + NONE)
    powers = [value(p - (1 << i)) for i in range(WORD_BITS)]
    nr = rows - 1 - free
    for i in range(nr):
        if i % DENSE_EACH and i != nr - 1 or not bits:
            # 2 a b = a + b - (a xor b)
            a, b = rand.choice(bits), bits[-1 - i % min(7, len(bits))]
            bit = c.wire(c.wires[a] ^ c.wires[b])
            c.add(TERMS_1 + term(a, two) + TERMS_1 + term(b, ONE) + TERMS_3 +
                  term(a, ONE) + term(b, ONE) + term(bit, c.minus_one))
            bits.append(bit)
            if len(bits) > 4 * FREE_BITS:
                del bits[:FREE_BITS]
            continue
        # x^2 = x' - (the last bits, packed)
        word = bits[-WORD_BITS:]
        x = (x * x + sum(c.wires[b] << k for k, b in enumerate(word))) % p
        lc = TERMS_1 + term(at, ONE)
        if i == nr - 1:
            at = out
            c.wires[at] = x
        else:
            at = c.wire(x)
        c.add(lc + lc + u32(1 + len(word)) + term(at, ONE) +
              b"".join([term(b, powers[k]) for k, b in enumerate(word)]))


def edge_nopub(c, rows, rand):
    c.prv_in = 1
    square_rows(c, rows, 0, rand)


def edge_linear(c, rows, rand):
    """a_(i+1) = 3 a_i + i: without A and B, or in A times one."""
    p = c.prime
    c.pub_out = 1
    c.prv_in = 1
    out = c.wire(0)
    x = rand.randrange(p)
    at = c.wire(x)
    for i in range(rows - 1):
        x = (3 * x + i) % p
        lc = term(0, value(i)) + term(at, value(3))
        if i == rows - 2:
            at = out
            c.wires[at] = x
        else:
            at = c.wire(x)
        if i % 2:
            c.add(TERMS_2 + lc + TERMS_1 + term(0, ONE) + TERMS_1 +
                  term(at, ONE))
        else:
            c.add(NONE + NONE + TERMS_3 + lc + term(at, c.minus_one))


def edge_unused(c, rows, rand):
    """Four public wires of which one is used, and private ones without use."""
    c.pub_out, c.pub_in, c.prv_in = 2, 2, 4
    last = c.wire(0)
    for _ in range(3):
        c.wire(rand.randrange(c.prime))
    c.wire(0)
    c.wire(rand.randrange(c.prime))
    square_rows(c, rows - 4, last, rand)
    c.wire(c.prime - 1)


def edge_domain2(c, rows, rand):
    del rows
    c.prv_in = 1
    square_rows(c, 1, 0, rand)


def edge_empty(c, rows, rand):
    del rows
    c.prv_in = 1
    c.wire(rand.randrange(c.prime))


SHAPES = {
    # name: (what builds it, the fewest rows it can have)
    "dense": (dense, 2),
    "sha": (sha, 8),
    "edge-nopub": (edge_nopub, 1),
    "edge-linear": (edge_linear, 2),
    "edge-unused": (edge_unused, 5),
    "edge-domain2": (edge_domain2, 1),
    "edge-empty": (edge_empty, 0),
}


def main():
    parser = argparse.ArgumentParser(
        description="synthetic circuits with witnesses that satisfy them")
    parser.add_argument("--shape", choices=SHAPES, required=True)
    parser.add_argument("--curve", choices=CURVES, default="bn128")
    parser.add_argument("--log2", type=int, default=4, metavar="N",
                        help="fill the domain of 2^N (default 4)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True, metavar="PREFIX")
    args = parser.parse_args()
    build, fewest = SHAPES[args.shape]
    if not 1 <= args.log2 <= CURVES[args.curve][1]:
        sys.exit("mkcircuit.py: --log2: expected 1 .. %d for %s, found %d" %
                 (CURVES[args.curve][1], args.curve, args.log2))
    rows = (1 << args.log2) - 1
    if rows < fewest:
        sys.exit("mkcircuit.py: --log2 %d: too small for the shape %s" %
                 (args.log2, args.shape))
    circuit = Circuit(args.out, args.curve)
    build(circuit, rows, random.Random(args.seed))
    circuit.finish()


if __name__ == "__main__":
    main()
