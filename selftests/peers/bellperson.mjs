// SPDX-License-Identifier: Apache-2.0
/*
 * bellperson.mjs - proofs of bellperson's under the keys of a real ceremony
 *
 * For suite.mjs.  Iron Fish's library for Node.js has three files of parameters
 * of bellman compiled in, which its ceremony made on Zcash's powers of tau, and
 * proves with bellperson.  The files are found in the library by how they begin
 * and taken out; a proof's public signals are computed from its transaction.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import { CACHE, MODULES } from "./peer.mjs";

const LIBRARY = `${MODULES}/@ironfish/rust-nodejs-linux-x64-gnu`;
const GOLDEN = "selftests/golden/sapling.json";

/* Of parameters: points of G1 and G2, the verifying key's, the arrays behind
 * it.  All keys on the same powers of tau begin with the same alpha. */
const G1_BYTES = 96, G2_BYTES = 192, COUNT_BYTES = 4;
const VKEY_BYTES = 3 * G1_BYTES + 3 * G2_BYTES;
const ARRAYS = { ic: G1_BYTES, h: G1_BYTES, l: G1_BYTES, a: G1_BYTES,
	b_g1: G1_BYTES, b_g2: G2_BYTES };

/* Jubjub over BLS12-381's r: -u^2 + v^2 = 1 + d u^2 v^2. */
const R = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
const D = R - 10240n * power(10241n, R - 2n) % R;
const SIGN_BIT = 255n, TWO_ADICITY = 32, NON_RESIDUE = 7n;

/* Of a transaction of version 1 with one output and one mint. */
const KEY_AT = 1 + 4 * 8 + 8 + 4, POINT_BYTES = 32, PROOF_BYTES = 192;
const VALUE = 5n;

function power(base, exponent) {
	let result = 1n;

	for (; exponent; exponent >>= 1n, base = base * base % R)
		if (exponent & 1n)
			result = result * base % R;
	return result;
}

/* By Tonelli and Shanks; of what is no square, something else. */
function squareRoot(square) {
	const odd = (R - 1n) >> BigInt(TWO_ADICITY);
	let order = TWO_ADICITY, by = power(NON_RESIDUE, odd);
	let left = power(square, odd), root = power(square, (odd + 1n) / 2n);

	while (left !== 1n) {
		let steps = 0;
		for (let x = left; x !== 1n && steps < order; steps++)
			x = x * x % R;
		assert.ok(steps < order, "no point of Jubjub");
		const factor = power(by, 1n << BigInt(order - steps - 1));
		order = steps;
		by = factor * factor % R;
		left = left * by % R;
		root = root * factor % R;
	}
	return root;
}

function number(bytes) {
	return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
}

/* v, and u's last bit in the highest. */
function point(bytes) {
	const all = number(bytes), sign = all >> SIGN_BIT;
	const v = all & ((1n << SIGN_BIT) - 1n), v2 = v * v % R;
	const u = squareRoot((v2 + R - 1n) * power(1n + D * v2, R - 2n) % R);

	return [(u & 1n) === sign ? u : R - u, v];
}

/* Where the parameters of a verifying key at `at` end, and what they count. */
function measure(library, at) {
	const counts = {};

	at += VKEY_BYTES;
	for (const [name, bytes] of Object.entries(ARRAYS)) {
		counts[name] = library.readUInt32BE(at);
		at += COUNT_BYTES + counts[name] * bytes;
	}
	return { end: at, counts };
}

export function isThere() {
	return fs.existsSync(LIBRARY);
}

/* The files by what their circuits prove: { file, counts } each. */
export function parameters() {
	const names = ["spend", "output", "mint"];
	const { output_vkey: known } = JSON.parse(fs.readFileSync(GOLDEN));
	const alpha = Buffer.from(known, "hex").subarray(0, G1_BYTES);
	const library = fs.readFileSync(createRequire(import.meta.url)
		.resolve(fs.realpathSync(LIBRARY)));
	const found = {};
	let at = library.indexOf(alpha);

	fs.mkdirSync(`${CACHE}/out`, { recursive: true });
	for (const name of names) {
		assert.ok(at >= 0, `no parameters of a ${name} in the library`);
		const { end, counts } = measure(library, at);
		const file = `${CACHE}/out/ironfish-${name}.params`;
		fs.writeFileSync(file, library.subarray(at, end));
		found[name] = { file, counts };
		at = library.indexOf(alpha, end);
	}
	assert.equal(at, -1, "more parameters than expected");
	return found;
}

/* A transaction that makes an asset and a note of it: both proofs, each with
 * what it says in public. */
export function prove() {
	const iron = createRequire(import.meta.url)(fs.realpathSync(LIBRARY));
	const { spendingKey, publicAddress } = iron.generateKey();
	const transaction = new iron.Transaction(1);
	const asset = new iron.Asset(publicAddress, "lull", "");

	transaction.mint(asset, VALUE);
	transaction.output(new iron.Note(publicAddress, VALUE,
		Buffer.alloc(0), asset.id(), publicAddress));
	const bytes = transaction.post(spendingKey, null, 0n);
	const take = (at, length = POINT_BYTES) =>
		bytes.subarray(at, at + length);
	const outputAt = KEY_AT + POINT_BYTES;
	const noteAt = outputAt + PROOF_BYTES;
	const mintAt = noteAt + iron.ENCRYPTED_NOTE_LENGTH;
	const key = point(take(KEY_AT));

	return {
		output: { proof: take(outputAt, PROOF_BYTES), publics: [...key,
			...point(take(noteAt)),
			...point(take(noteAt + 2 * POINT_BYTES)),
			number(take(noteAt + POINT_BYTES))] },
		mint: { proof: take(mintAt, PROOF_BYTES), publics: [...key,
			...point(take(mintAt + PROOF_BYTES))] },
	};
}
