// SPDX-License-Identifier: Apache-2.0
/*
 * inputs.mjs - a valid input for each circuit of selftests/circuits/
 *
 * For suite.mjs, and for scripts/demo from the command line:
 *
 *	node selftests/peers/inputs.mjs CIRCUIT > input.json
 *
 * Values are fixed, so that two runs prove the same statement.  circomlibjs
 * signs and hashes; nothing here is secret.
 */
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { buildEddsa, buildBabyjub } from "circomlibjs";

/* A repeatable value of `bytes` bytes for a name. */
function value(name, bytes = 31) {
	const digest = createHash("sha256").update(name).digest("hex");
	return BigInt("0x" + digest.slice(0, 2 * bytes)).toString();
}

function message(length) {
	return Array.from({ length }, (_, i) => (7 * i + 1) % 256);
}

/* What sha256.circom makes of message(length): two halves of 128 bits. */
export function sha256Halves(length) {
	const digest = createHash("sha256").update(Buffer.from(message(length)))
		.digest("hex");
	return [digest.slice(0, 32), digest.slice(32)]
		.map((half) => BigInt("0x" + half).toString());
}

function merkle(levels) {
	return {
		leaf: value("leaf"),
		index: Array.from({ length: levels }, (_, i) => (i * 5 + 1) % 3 % 2),
		siblings: Array.from({ length: levels },
			(_, i) => value(`sibling ${i}`)),
	};
}

async function signature() {
	const eddsa = await buildEddsa();
	const field = (await buildBabyjub()).F;
	const key = createHash("sha256").update("signer").digest();
	const text = field.e(value("signed message"));
	const [x, y] = eddsa.prv2pub(key);
	const sign = eddsa.signPoseidon(key, text);

	return {
		Ax: field.toObject(x).toString(),
		Ay: field.toObject(y).toString(),
		S: sign.S.toString(),
		R8x: field.toObject(sign.R8[0]).toString(),
		R8y: field.toObject(sign.R8[1]).toString(),
		M: field.toObject(text).toString(),
	};
}

/* The deployed semaphore circuit of this depth (not one of ours). */
function semaphore(depth) {
	return {
		secret: value("semaphore", 30),
		merkleProofLength: depth,
		merkleProofIndex: 0,
		merkleProofSiblings: Array.from({ length: depth },
			(_, i) => value(`semaphore sibling ${i}`)),
		message: value("semaphore message"),
		scope: value("semaphore scope"),
	};
}

const INPUTS = {
	mul2: () => ({ a: "3", b: "11" }),
	nopub: () => ({ a: "3", b: "11" }),
	linear: () => ({ a: "3", b: "11" }),
	poseidon2: () => ({ in: [value("left"), value("right")] }),
	merkle20: () => merkle(20),
	eddsa: signature,
	sha256_64: () => ({ in: message(64) }),
	sha256_128: () => ({ in: message(128) }),
	sha256_256: () => ({ in: message(256) }),
	chain_1k: () => ({ x: value("start") }),
	chain_10k: () => ({ x: value("start") }),
	chain_100k: () => ({ x: value("start") }),
	"semaphore-1": () => semaphore(1),
	"semaphore-20": () => semaphore(20),
};

export async function inputOf(circuit) {
	if (!INPUTS[circuit])
		throw new Error(`no input for circuit '${circuit}'; there are ` +
			Object.keys(INPUTS).join(" "));
	return INPUTS[circuit]();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
	inputOf(process.argv[2]).then((input) => {
		console.log(JSON.stringify(input));
		process.exit(0);
	}, (error) => {
		console.error(`inputs: ${error.message}`);
		process.exit(1);
	});
}
