// SPDX-License-Identifier: Apache-2.0
/*
 * peer.mjs - what the peers make: circuits, witnesses, powers of tau, keys
 *
 * For suite.mjs.  Everything is kept under build/peers-cache/, in a folder
 * named for the sources and versions it was made from, so that a second run is
 * quick and a change never meets an old file.  A file appears under its name
 * only when it is whole.  Paths are relative to the root of the tree.
 */
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import * as snarkjs from "snarkjs";
import { inputOf } from "./inputs.mjs";

const PEERS = "selftests/peers";
export const MODULES = `${PEERS}/node_modules`;
const CIRCUITS = "selftests/circuits";
const CIRCOM = `${MODULES}/circom2/cli.js`;
export const SEMAPHORE = `${MODULES}/@zk-kit/semaphore-artifacts`;

const sources = fs.readdirSync(CIRCUITS).sort()
	.map((name) => `${CIRCUITS}/${name}`)
	.concat(`${PEERS}/package-lock.json`, `${PEERS}/inputs.mjs`,
		`${PEERS}/peer.mjs`);
const digest = createHash("sha256");
for (const source of sources)
	digest.update(fs.readFileSync(source));
export const CACHE = `build/peers-cache/${digest.digest("hex").slice(0, 12)}`;

const made = new Map();

/* make() writes `file` under the name it is given; once, and whole. */
async function cached(file, make) {
	const full = `${CACHE}/${file}`;

	if (!made.has(full))
		made.set(full, (async () => {
			if (fs.existsSync(full))
				return full;
			const partial = `${full}.partial`;
			fs.rmSync(partial, { recursive: true, force: true });
			fs.mkdirSync(path.dirname(full), { recursive: true });
			await make(partial);
			fs.renameSync(partial, full);
			return full;
		})());
	return made.get(full);
}

/* circuit "x" is x.circom; "x+O2" the same without linear constraints. */
function sourceOf(circuit) {
	const [name, option] = circuit.split("+");
	return { name, flags: option ? [`--${option}`] : [] };
}

function compile(circuit, curve) {
	const { name, flags } = sourceOf(circuit);

	return cached(`${curve}/${circuit}`, async (folder) => {
		fs.mkdirSync(folder);
		const done = spawnSync(process.execPath, [CIRCOM,
			`${CIRCUITS}/${name}.circom`, "--r1cs", "--wasm",
			"--prime", curve, "-l", MODULES, "-o", folder, ...flags],
			{ encoding: "utf8" });
		if (!fs.existsSync(`${folder}/${name}_js/${name}.wasm`))
			throw new Error(`circom2: ${done.stdout}${done.stderr}`);
	});
}

export async function r1csOf(circuit, curve) {
	return `${await compile(circuit, curve)}/${sourceOf(circuit).name}.r1cs`;
}

export async function witnessOf(circuit, curve) {
	return cached(`${curve}/${circuit}.wtns`, async (file) => {
		const { name } = sourceOf(circuit);
		const wasm = circuit.startsWith("semaphore-")
			? `${SEMAPHORE}/${circuit}.wasm`
			: `${await compile(circuit, curve)}/${name}_js/${name}.wasm`;
		await snarkjs.wtns.calculate(await inputOf(name), wasm, file);
	});
}

/* Powers of tau up to 2^power, prepared: minutes from 2^12 on. */
function powersOfTau(curve, power) {
	return cached(`${curve}/tau${power}.ptau`, async (file) => {
		const { powersOfTau: tau } = snarkjs;

		await tau.newAccumulator(await snarkjs.curves.getCurveFromName(curve),
			power, `${file}.0`);
		await tau.contribute(`${file}.0`, `${file}.1`, "test", "entropy");
		await tau.preparePhase2(`${file}.1`, file);
		fs.rmSync(`${file}.0`);
		fs.rmSync(`${file}.1`);
	});
}

/* A key as `snarkjs groth16 setup` writes it, or with a contribution. */
export function keyOf(circuit, curve, power, contributed) {
	const name = `${circuit}-tau${power}${contributed ? "-contributed" : ""}`;

	return cached(`${curve}/${name}.zkey`, async (file) => {
		if (contributed) {
			const raw = await keyOf(circuit, curve, power, false);
			await snarkjs.zKey.contribute(raw, file, "test", "entropy");
			return;
		}
		const r1cs = await r1csOf(circuit, curve);
		const ptau = await powersOfTau(curve, power);
		const bad = await snarkjs.zKey.newZKey(r1cs, ptau, file);
		if (bad === -1)
			throw new Error(`snarkjs made no key for ${circuit}`);
	});
}

export function vkeyOf(key) {
	return snarkjs.zKey.exportVerificationKey(key);
}

export function peerVerifies(vkey, publics, proof) {
	return snarkjs.groth16.verify(vkey, publics, proof);
}

export function peerProves(key, witness) {
	return snarkjs.groth16.prove(key, witness);
}

/* Whether a witness satisfies a circuit. */
export function peerExports(key, params) {
	return snarkjs.zKey.exportBellman(key, params);
}

export function peerChecks(r1cs, witness) {
	return snarkjs.wtns.check(r1cs, witness);
}

/* Whether snarkjs makes a key of a circuit of someone else's. */
export async function peerSetsUp(r1cs, curve, power, key) {
	return await snarkjs.zKey.newZKey(r1cs,
		await powersOfTau(curve, power), key) !== -1;
}
