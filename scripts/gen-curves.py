#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes userspace/curve/gen/*.h: every curve constant, from first principles.

    scripts/gen-curves.py [OUTPUT_DIRECTORY]

Each curve is given by its family and parameter alone; primes, roots, twists,
Frobenius coefficients and Montgomery forms are derived here and each line of
the output carries its formula.  Only the generators are inputs besides: they
are conventions (EIP-197 and the BLS12-381 specification), and are checked to
lie on their curve and to have order r.  scripts/check-gen.sh runs this again
and compares.
"""
import math
import os
import sys

LIMB = 64
LIMB52 = 52


# ---- numbers -----------------------------------------------------------------

def is_prime(n):
    """Miller-Rabin with the first 24 primes as bases."""
    bases = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61,
             67, 71, 73, 79, 83, 89]
    if n < 100:
        return n in bases or n == 97
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in bases:
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def hexadecimal(digits):
    return int(digits, 16)


def limbs(x, n, width):
    return [(x >> (width * i)) & ((1 << width) - 1) for i in range(n)]


class Fp2:
    """a + b u with u^2 = -1 over F_p."""

    def __init__(self, p, a, b):
        self.p, self.a, self.b = p, a % p, b % p

    def __add__(self, o):
        return Fp2(self.p, self.a + o.a, self.b + o.b)

    def __sub__(self, o):
        return Fp2(self.p, self.a - o.a, self.b - o.b)

    def __mul__(self, o):
        return Fp2(self.p, self.a * o.a - self.b * o.b,
                   self.a * o.b + self.b * o.a)

    def __eq__(self, o):
        return (self.a, self.b) == (o.a, o.b)

    def conj(self):
        return Fp2(self.p, self.a, -self.b)

    def inv(self):
        n = pow(self.a * self.a + self.b * self.b, -1, self.p)
        return Fp2(self.p, self.a * n, -self.b * n)

    def sqrt(self, degree):
        """A root in Fp (degree 1) or Fp2, or None; p = 3 mod 4."""
        p = self.p
        n = pow(self.a * self.a + self.b * self.b, (p + 1) // 4, p)
        if degree == 1:
            n = self.a
        for s in (n, -n):
            half = (self.a + s) * pow(2, -1, p) % p
            x = pow(half, (p + 1) // 4, p)
            r = Fp2(p, x, self.b * pow(2 * x, -1, p) if x else 0)
            if r * r == self:
                return r
        return None

    def pow(self, e):
        r, x = Fp2(self.p, 1, 0), self
        while e:
            if e & 1:
                r = r * x
            x, e = x * x, e >> 1
        return r


def ec_add(P, Q):
    """Affine addition on y^2 = x^3 + b over Fp2; None is infinity."""
    if P is None:
        return Q
    if Q is None:
        return P
    (x1, y1), (x2, y2) = P, Q
    if x1 == x2:
        if not y1 == y2:
            return None
        three_xx = x1 * x1 + x1 * x1 + x1 * x1
        lam = three_xx * (y1 + y1).inv()
    else:
        lam = (y2 - y1) * (x2 - x1).inv()
    x3 = lam * lam - x1 - x2
    return x3, lam * (x1 - x3) - y1


def ec_mul(k, P):
    R = None
    while k:
        if k & 1:
            R = ec_add(R, P)
        P, k = ec_add(P, P), k >> 1
    return R


def resultant(f, t, p):
    """Of f, coefficients from the constant up, and X^2 - t X + p."""
    a, b = 0, 0
    for c in reversed(f):
        a, b = c - b * p, a + b * t  # (a + b X) X + c
    return a * a + a * b * t + b * b * p


def cm_orders(q, t):
    """The orders of the six curves y^2 = x^3 + b over F_q, from one's trace."""
    f = math.isqrt((4 * q - t * t) // 3)
    assert 3 * f * f == 4 * q - t * t
    traces = (t, (t + 3 * f) // 2, (t - 3 * f) // 2)
    return [q + 1 - s * v for v in traces for s in (1, -1)]


# ---- curves ------------------------------------------------------------------

class Curve:
    """Everything that follows from the family and its parameter."""
    bellman_generator = None

    def check(self):
        p, r = self.p, self.r
        assert is_prime(p) and is_prime(r) and p % 4 == 3 and p % 3 == 1
        b1, b2 = Fp2(p, self.b, 0), self.twist_b
        g1 = (Fp2(p, self.g1[0], 0), Fp2(p, self.g1[1], 0))
        g2 = (Fp2(p, *self.g2[0]), Fp2(p, *self.g2[1]))
        for (x, y), b in ((g1, b1), (g2, b2)):
            assert y * y == x * x * x + b
        assert ec_mul(r, g1) is None and ec_mul(r, g2) is None
        assert pow(self.beta, 3, p) == 1 and self.beta != 1
        assert pow(self.lam, 3, r) == 1 and self.lam != 1
        assert ec_mul(self.lam, g1) == (Fp2(p, self.beta, 0) * g1[0], g1[1])
        # What makes userspace/curve/subgroup_tmpl.c exact, and orders odd.
        n1, n2 = p + 1 - self.trace, self.twist_order
        assert n1 % r == 0 and n2 % r == 0 and n1 % 2 == 1 and n2 % 2 == 1
        assert ec_mul(n2, self.point(b2, 2)) is None
        n = resultant(self.g2_test, self.trace, p)
        assert math.gcd(n, n2) == r
        lam = self.param**2 - 1
        assert n1 == r or lam == self.lam and lam * lam + lam + 1 == r

    def bellman_step(self):
        """The discrete logarithm of bellman's root, bit by bit from the lowest:
        2^(s-1-i)-th powers are alike where the bits up to the i-th are."""
        r, s = self.r, self.two_adicity
        root = pow(self.bellman_generator, (r - 1) >> s, r)
        k = 0
        for i in range(s):
            e = 1 << (s - 1 - i)
            if pow(self.root, k * e, r) != pow(root, e, r):
                k |= 1 << i
        assert pow(self.root, k, r) == root
        return k

    def point(self, b, degree):
        """Some point of y^2 = x^3 + b over Fp or Fp2."""
        x = Fp2(self.p, 1, 0)
        step = Fp2(self.p, 1, degree - 1)
        while True:
            y = (x * x * x + b).sqrt(degree)
            if y is not None:
                return x, y
            x = x + step

    def derive(self):
        p, r = self.p, self.r
        self.xi = Fp2(p, *self.xi_pair)
        b = Fp2(p, self.b, 0)
        # D-type twists divide by xi, M-type ones multiply.
        self.twist_b = b * self.xi.inv() if self.twist == "D" else b * self.xi
        s, t = 0, r - 1
        while t % 2 == 0:
            s, t = s + 1, t // 2
        g = 2
        while pow(g, (r - 1) // 2, r) == 1:
            g += 1
        self.two_adicity, self.non_residue = s, g
        self.root = pow(g, t, r)
        # The cube roots of unity that belong together: (beta x, y) = lam P.
        g1 = (Fp2(p, self.g1[0], 0), Fp2(p, self.g1[1], 0))
        h = 2
        while pow(h, (p - 1) // 3, p) == 1:
            h += 1
        k = 2
        while pow(k, (r - 1) // 3, r) == 1:
            k += 1
        self.lam = pow(k, (r - 1) // 3, r)
        x = ec_mul(self.lam, g1)[0]
        beta = pow(h, (p - 1) // 3, p)
        self.beta = beta if Fp2(p, beta, 0) * g1[0] == x else beta * beta % p
        self.check()


class BN254(Curve):
    name, title, json_name = "BN254", "BN254", "bn128"
    tiny = ((7, 13, 19, 31, 37), (61, 73))
    twist, xi_pair, b = "D", (9, 1), 3
    g1 = (1, 2)
    g2 = ((10857046999023057135944570762232829481370756359578518086990519993285655852781,
           11559732032986387107991004021392285783925812861821192530917403151452391805634),
          (8495653923123431417604973247489272438418190587263600148770280649306958101930,
           4082367875863433681332203403145435568316851327593401208105741076214120093531))

    def __init__(self):
        u = self.param = 4965661367192848881
        self.p = 36 * u**4 + 36 * u**3 + 24 * u**2 + 6 * u + 1
        self.r = 36 * u**4 + 36 * u**3 + 18 * u**2 + 6 * u + 1
        self.trace = 6 * u**2 + 1
        self.twist_order = self.r * (2 * self.p - self.r)
        self.g2_test = (u + 1, u, u, -2 * u)
        self.loop, self.loop_text = 6 * u + 2, "6 u + 2"
        self.derive()


class BLS12_381(Curve):
    name, title, json_name = "BLS12_381", "BLS12-381", "bls12381"
    tiny = ((7, 11, 67), (13, 23))
    twist, xi_pair, b = "M", (1, 1), 4
    bellman_generator = 7
    g1 = (hexadecimal("17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905"
                      "a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"),
          hexadecimal("08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af6"
                      "00db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"))
    g2 = ((hexadecimal("024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02"
                      "b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"),
           hexadecimal("13e02b6052719f607dacd3a088274f65596bd0d09920b61a"
                      "b5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e")),
          (hexadecimal("0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a7"
                      "6d429a695160d12c923ac9cc3baca289e193548608b82801"),
           hexadecimal("0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af"
                      "267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be")))

    def __init__(self):
        x = self.param = -0xd201000000010000
        self.r = x**4 - x**2 + 1
        self.p = (x - 1)**2 * self.r // 3 + x
        self.trace = x + 1
        self.twist_order = self.r * (x**8 - 4 * x**7 + 5 * x**6 - 4 * x**4
                                     + 6 * x**3 - 4 * x**2 - 4 * x + 13) // 9
        self.g2_test = (-x, 1)
        self.loop, self.loop_text = -x, "-x"
        self.derive()


# ---- output ------------------------------------------------------------------

class Header:
    def __init__(self, curve):
        self.c = curve
        self.out = []
        self.nfp = (curve.p.bit_length() + LIMB - 1) // LIMB
        self.nfp52 = (curve.p.bit_length() + 2 + LIMB52 - 1) // LIMB52

    def line(self, name, body, formula):
        self.out.append("/* %s */\n#define %s_%s %s\n"
                        % (formula, self.c.name, name, body))

    def number(self, name, x, formula):
        self.line(name, "%d" % x, formula)

    def word(self, name, x, formula):
        self.line(name, "0x%016xu" % x, formula)

    @staticmethod
    def init(x, n, width=LIMB):
        words = ["0x%016xu" % v for v in limbs(x, n, width)]
        rows = [", ".join(words[i:i + 3]) for i in range(0, n, 3)]
        return "{ \\\n\t" + ", \\\n\t".join(rows) + " }"

    def limbs(self, name, x, n, formula, width=LIMB):
        self.line(name, self.init(x, n, width), formula)

    def fp(self, name, x, formula):
        """One element of Fp in Montgomery form."""
        n = self.nfp
        self.limbs(name, (x << (LIMB * n)) % self.c.p, n,
                   "%s, times 2^%d mod p" % (formula, LIMB * n))

    def init_fp(self, x):
        return "{ %s }" % self.init((x.a << (LIMB * self.nfp)) % self.c.p,
                                    self.nfp)

    def init_fp2(self, x):
        u = Fp2(self.c.p, x.b, 0)
        return "{ %s, \\\n\t%s }" % (self.init_fp(x), self.init_fp(u))

    def fp2(self, name, x, formula):
        self.line(name, self.init_fp2(x),
                  "%s, times 2^%d mod p" % (formula, LIMB * self.nfp))

    def field(self, tag, m, n, n52):
        sym = "p" if tag == "FP" else "r"
        bits, bits52 = LIMB * n, LIMB52 * n52
        self.number(tag + "_LIMBS", n, "64-bit limbs")
        self.number(tag + "_BITS", m.bit_length(), "bits of %s" % sym)
        self.limbs(tag + "_P", m, n, sym)
        self.word(tag + "_INV", -pow(m, -1, 1 << LIMB) % (1 << LIMB),
                  "-%s^-1 mod 2^64" % sym)
        self.limbs(tag + "_R", (1 << bits) % m, n, "2^%d mod %s" % (bits, sym))
        self.limbs(tag + "_R2", (1 << 2 * bits) % m, n,
                   "2^%d mod %s" % (2 * bits, sym))
        self.limbs(tag + "_P_MINUS_2", m - 2, n,
                   "%s - 2: the exponent that inverts" % sym)
        self.number(tag + "_LIMBS52", n52, "52-bit limbs, for AVX-512 IFMA")
        self.limbs(tag + "_P52", m, n52, "%s, in 52-bit limbs" % sym, LIMB52)
        self.word(tag + "_INV52", -pow(m, -1, 1 << LIMB52) % (1 << LIMB52),
                  "-%s^-1 mod 2^52" % sym)
        self.limbs(tag + "_R52", (1 << bits52) % m, n52,
                   "2^%d mod %s, in 52-bit limbs" % (bits52, sym), LIMB52)
        self.limbs(tag + "_TO52", (1 << (2 * bits52 - bits)) % m, n52,
                   "2^(2*%d-%d) mod %s: from R = 2^%d to R = 2^%d"
                   % (bits52, bits, sym, bits, bits52), LIMB52)
        self.limbs(tag + "_FROM52", (1 << bits) % m, n52,
                   "2^%d mod %s: from R = 2^%d to R = 2^%d"
                   % (bits, sym, bits52, bits), LIMB52)

    def scalar_field(self):
        c = self.c
        r = c.r
        self.field("FR", r, 4, 5)
        self.number("FR_TWO_ADICITY", c.two_adicity,
                    "the s of r - 1 = 2^s t, t odd")
        self.number("FR_NON_RESIDUE", c.non_residue, "smallest non-residue g")
        mont = lambda v: (v << 256) % r
        self.limbs("FR_ROOT", mont(c.root), 4,
                   "g^t: a primitive 2^s-th root of unity, times 2^256 mod r")
        self.limbs("FR_ROOT_INV", mont(pow(c.root, -1, r)), 4,
                   "g^-t, times 2^256 mod r")
        self.limbs("FR_SHIFT", mont(c.non_residue**2), 4,
                   "g^2: the coset's shift where 2^(s+1)-th roots would be "
                   "needed, times 2^256 mod r")
        if c.bellman_generator:
            self.number("FR_BELLMAN_STEP", c.bellman_step(),
                        "k with %d^t = g^(t k): bellman's root of unity is "
                        "the k-th power of ours" % c.bellman_generator)
        self.limbs("FR_LAMBDA", c.lam, 4,
                   "lambda with (beta x, y) = lambda (x, y) on G1, plain")

    def base_field(self):
        c = self.c
        self.field("FP", c.p, self.nfp, self.nfp52)
        self.limbs("FP_SQRT_EXP", (c.p + 1) // 4, self.nfp,
                   "(p + 1) / 4: the exponent of a square root, p = 3 mod 4")
        self.fp("FP_BETA", c.beta, "beta, a cube root of unity")

    def groups(self):
        c, p = self.c, self.c.p
        self.fp("G1_B", c.b, "b of y^2 = x^3 + b")
        self.fp("G1_X", c.g1[0], "x of the generator of G1")
        self.fp("G1_Y", c.g1[1], "y of the generator of G1")
        self.fp2("G2_B", c.twist_b, "b of the twist (%s-type): b %s xi"
                 % (c.twist, "/" if c.twist == "D" else "*"))
        self.fp2("G2_X", Fp2(p, *c.g2[0]), "x of the generator of G2")
        self.fp2("G2_Y", Fp2(p, *c.g2[1]), "y of the generator of G2")

    def pairing(self):
        c, p = self.c, self.c.p
        self.number("TWIST_IS_D", c.twist == "D", "1: D-type twist, 0: M-type")
        self.number("XI_C0", c.xi_pair[0], "xi = c0 + c1 u, c0")
        self.number("XI_C1", c.xi_pair[1], "xi = c0 + c1 u, c1")
        self.word("PARAM_ABS", abs(c.param), "|curve parameter|")
        self.number("PARAM_NEGATIVE", c.param < 0, "1: the parameter is < 0")
        self.limbs("LOOP", c.loop, 2, "%s: the Miller loop's count"
                   % c.loop_text)
        self.number("LOOP_BITS", c.loop.bit_length(), "bits of the loop count")
        for k in (1, 2, 3):
            for i in range(1, 6):
                self.fp2("FROB%d_%d" % (k, i), c.xi.pow(i * (p**k - 1) // 6),
                         "xi^(%d (p^%d - 1) / 6)" % (i, k))
        # psi = twist o Frobenius o untwist on G2.
        gx, gy = c.xi.pow((p - 1) // 3), c.xi.pow((p - 1) // 2)
        if c.twist == "M":
            gx, gy = gx.inv(), gy.inv()
        e = "" if c.twist == "D" else "-"
        self.fp2("PSI_X", gx, "xi^(%s(p - 1) / 3): psi(x, y).x = conj(x) *" % e)
        self.fp2("PSI_Y", gy, "xi^(%s(p - 1) / 2): psi(x, y).y = conj(y) *" % e)

    def text(self):
        c = self.c
        guard = "LULL_CURVE_GEN_%s_H" % c.name
        self.scalar_field()
        self.base_field()
        self.groups()
        self.pairing()
        return ("/* SPDX-License-Identifier: Apache-2.0 */\n"
                "/*\n * %s constants, written by scripts/gen-curves.py: "
                "do not edit.\n"
                " * Initialiser lists, so that C and CUDA read the same "
                "header.\n */\n" % c.title
                + "#ifndef %s\n#define %s\n\n" % (guard, guard)
                + "\n".join(self.out) + "\n#endif\n")


def tiny_group(c, degree, order):
    """b' and a point of the given prime order on y^2 = x^3 + b'."""
    q = c.p**degree
    trace = c.trace if degree == 1 else c.trace**2 - 2 * c.p
    cofactors = [n // order for n in cm_orders(q, trace) if n % order == 0]
    b = Fp2(c.p, 1, degree - 1)
    while True:
        start = c.point(b, degree)
        for n in cofactors:
            if ec_mul(n * order, start) is not None:
                continue
            while n % order == 0:
                n //= order
            P = ec_mul(n, start)
            while P is not None and ec_mul(order, P) is not None:
                P = ec_mul(order, P)
            if P is not None:
                return b, P
        b = b + Fp2(c.p, 1, 0)


def tiny_text(curves):
    out = []
    for c in curves:
        h = Header(c)
        for degree, orders in enumerate(c.tiny, 1):
            show = h.init_fp if degree == 1 else h.init_fp2
            rows = []
            for order in orders:
                b, (x, y) = tiny_group(c, degree, order)
                rows.append("{ %d, \\\n\t%s, \\\n\t{ %s, \\\n\t%s } }"
                            % (order, show(b), show(x), show(y)))
            out.append("/* %s: { order, b', { x, y } } over Fp%s */\n"
                       "#define %s_TINY_G%d { \\\n\t%s }\n"
                       % (c.title, "" if degree == 1 else "2", c.name, degree,
                          ", \\\n\t".join(rows)))
    return ("/* SPDX-License-Identifier: Apache-2.0 */\n"
            "/*\n * Small groups on y^2 = x^3 + b', for exhaustive tests of the "
            "group law,\n * written by scripts/gen-curves.py: do not edit.  "
            "Montgomery form.\n */\n"
            "#ifndef LULL_CURVE_GEN_TINY_H\n#define LULL_CURVE_GEN_TINY_H\n\n"
            + "\n".join(out) + "\n#endif\n")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    default = os.path.join(here, "..", "userspace", "curve", "gen")
    out = sys.argv[1] if len(sys.argv) > 1 else default
    os.makedirs(out, exist_ok=True)
    curves = (BN254(), BLS12_381())
    texts = {c.name.lower() + ".h": Header(c).text() for c in curves}
    texts["tiny.h"] = tiny_text(curves)
    for name, text in texts.items():
        with open(os.path.join(out, name), "w", encoding="ascii") as f:
            f.write(text)


if __name__ == "__main__":
    main()
