// SPDX-License-Identifier: Apache-2.0
/*
 * suite.mjs - the command `lull` beside snarkjs, end to end; prints TAP
 *
 * For selftests/peers/run.  For every circuit, curve and key: our verification
 * key is the peer's, the peer accepts our proof, we accept the peer's and our
 * own, and public signals agree.  Proofs and publics with one bit flipped must
 * be refused, by exit status 1 or 2 and never by a signal.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import * as bellperson from "./bellperson.mjs";
import { sha256Halves } from "./inputs.mjs";
import * as peer from "./peer.mjs";

const LULL = path.resolve(process.env.LULL_BUILD, "lull");
const TIMEOUT_MS = 300000;
const VALID = 0, INVALID = 1, ERROR = 2;
/* Bits of a coordinate are flipped at this stride; of a public, all are where
 * it is the only one. */
const FLIP_STRIDE = 7;
const SCALAR_BITS = 256;
/* Of parameters of bellman: three points of G1 and three of G2, and the number
 * before an array. */
const G1_BYTES = 96, VKEY_POINTS_BYTES = 3 * 96 + 3 * 192, COUNT_BYTES = 4;
/* How much of a failed command's output is shown. */
const SAID_MAX = 2000;

/*
 * Keys: "tauN" is snarkjs's from 2^N powers, "tauN+" the same with one
 * contribution, "golden" snarkjs's too, but made once and kept, for powers of
 * 2^10 take it a minute of a processor on each curve; "toxic" is ours.  The
 * first power is that of the circuit's domain, where snarkjs writes other bytes
 * into section 9 than with a larger one; poseidon2+O2 stands for a larger one
 * of 2^10.  Folding the largest keys takes longer than all that is done with
 * them.
 */
const CURVES = ["bn128", "bls12381"];
const CASES = [
	{ circuit: "nopub", keys: ["tau1", "tau8", "toxic"] },
	{ circuit: "mul2", keys: ["tau2", "tau8", "tau8+", "toxic"], flip: true,
		params: true },
	{ circuit: "linear", keys: ["tau2", "tau8", "toxic"] },
	{ circuit: "poseidon2+O2", curves: ["bn128"], keys: ["tau8", "tau10"] },
	{ circuit: "poseidon2+O2", curves: ["bls12381"], keys: ["tau8"] },
	{ circuit: "poseidon2", curves: ["bn128"],
		keys: ["tau10", "tau10+", "toxic"] },
	{ circuit: "poseidon2", curves: ["bls12381"],
		keys: ["golden", "toxic"], params: true },
	{ circuit: "chain_1k", curves: ["bn128"], keys: ["tau10", "toxic"] },
	{ circuit: "chain_1k", curves: ["bls12381"], keys: ["toxic"] },
	{ circuit: "merkle20", curves: ["bn128"], keys: ["toxic"] },
	{ circuit: "merkle20", curves: ["bls12381"], keys: ["toxic"],
		fold: false },
	{ circuit: "eddsa", keys: ["toxic"], curves: ["bn128"] },
	{ circuit: "sha256_64", keys: ["toxic"], publics: sha256Halves(64),
		fold: false },
];
const SEMAPHORE_DEPTHS = [1, 20];
/* Of `lull gen`, which makes the circuit, the key ("gen") and the witness. */
const SHAPES = ["porep", "sha", "dense"];
const SHAPES_LOG2 = 10;

function lull(...args) {
	const done = spawnSync(LULL, args,
		{ encoding: "utf8", timeout: TIMEOUT_MS });
	if (done.error)
		throw done.error;
	const said = (done.stdout + done.stderr).trim().slice(-SAID_MAX);
	if (done.status === null)
		throw new Error(`lull ${args[0]} ended by ${done.signal}\n${said}`);
	return { status: done.status, stdout: done.stdout, said };
}

function lullOk(...args) {
	const done = lull(...args);

	assert.equal(done.status, 0, `lull ${args.join(" ")}: exit ` +
		`${done.status}\n${done.said}`);
	return done;
}

function lullVerify(at, publics, proof) {
	return lull("verify", `${at}/vkey.json`, publics, proof);
}

function readJson(file) {
	return JSON.parse(fs.readFileSync(file, "utf8"));
}

function writeJson(file, value) {
	fs.writeFileSync(file, JSON.stringify(value));
	return file;
}

/* ---- the tests of one circuit, curve and key ----------------------------- */

/* A case's files; each is made by the first test that asks for it. */
function caseFiles(name, circuit, curve, kind) {
	const at = `${peer.CACHE}/out/${name}`;

	fs.rmSync(at, { recursive: true, force: true });
	fs.mkdirSync(at, { recursive: true });
	return {
		at, circuit, curve, kind,
		proof: `${at}/proof.json`,
		publics: `${at}/public.json`,
		r1cs: () => kind === "gen" ? `${at}/circuit.r1cs`
			: peer.r1csOf(circuit, curve),
		witness: () => kind === "gen" ? `${at}/w0.wtns`
			: peer.witnessOf(circuit, curve),
		key: () => caseKey(at, circuit, curve, kind),
	};
}

function isToxic(kind) {
	return kind === "toxic" || kind === "gen";
}

async function caseKey(at, circuit, curve, kind) {
	if (kind === "semaphore")
		return `${peer.SEMAPHORE}/${circuit}.zkey`;
	if (isToxic(kind)) {
		assert.ok(fs.existsSync(`${at}/key.zkey`), "lull made no key");
		return `${at}/key.zkey`;
	}
	if (kind === "golden")
		return `selftests/golden/${curve}-${circuit}.zkey`;
	return peer.keyOf(circuit, curve, parseInt(kind.slice(3), 10),
		kind.endsWith("+"));
}

async function makesToxicKey(files) {
	const done = lullOk("key", "gen", "--toxic", await files.r1cs(),
		`${files.at}/key.zkey`);

	assert.match(done.said, /insecure/i, "key gen gives no warning");
}

async function generates(files) {
	const done = lullOk("gen", "--shape", files.circuit, "--curve",
		files.curve, "--log2", String(SHAPES_LOG2), "-o", files.at);

	assert.match(done.said, /insecure/i, "gen gives no warning");
}

async function peerFindsItSatisfied(files) {
	assert.ok(await peer.peerChecks(await files.r1cs(),
		await files.witness()), "snarkjs finds a constraint broken");
}

async function tellsToxicKeys(files) {
	const toxic = isToxic(files.kind);
	const { stdout: text } = lullOk("key", "info", await files.key());
	const { stdout: json } = lullOk("key", "info", await files.key(),
		"--json");

	assert.equal(/insecure/i.test(text), toxic, `key info says ${text}`);
	assert.equal(JSON.parse(json).toxic, toxic, `key info says ${json}`);
}

async function exportsTheVkey(files) {
	const key = await files.key();

	lullOk("key", "vkey", key, "-o", `${files.at}/vkey.json`);
	assert.deepEqual(readJson(`${files.at}/vkey.json`),
		files.kind === "semaphore"
			? readJson(`${peer.SEMAPHORE}/${files.circuit}.json`)
			: await peer.vkeyOf(key));
}

async function peerAcceptsOurs(files) {
	lullOk("prove", await files.key(), await files.witness(), files.proof,
		files.publics);
	assert.ok(await peer.peerVerifies(await peer.vkeyOf(await files.key()),
		readJson(files.publics), readJson(files.proof)),
		"snarkjs refuses the proof");
}

/* The same key as our own file; folded, too, where the circuit is at hand. */
async function peerAcceptsNative(files, { fold = true }) {
	const native = `${files.at}/key.lkey`;
	const ways = [[]];

	if (fold && files.kind !== "semaphore")
		ways.push(["--fold-c", "--r1cs", await files.r1cs()]);
	for (const options of ways) {
		lullOk("key", "convert", ...options, await files.key(), native);
		lullOk("key", "check", native);
		lullOk("prove", native, await files.witness(),
			`${files.at}/native-proof.json`, files.publics);
		assert.ok(await peer.peerVerifies(
			await peer.vkeyOf(await files.key()),
			readJson(files.publics),
			readJson(`${files.at}/native-proof.json`)),
			`snarkjs refuses the proof ${options.join(" ")}`);
	}
}

/* Parameters by bellman's definition, with their circuit as a key of our own. */
async function peerAcceptsParameters(files) {
	const name = "selftests/golden/bls12381-poseidon2";
	const native = `${files.at}/params.lkey`;

	for (const options of [[], ["--fold-c"]]) {
		lullOk("key", "convert", "--from", "bellman", ...options,
			"--r1cs", `${name}.r1cs`, `${name}.params`, native);
		lullOk("key", "vkey", native, "-o", `${files.at}/vkey.json`);
		lullOk("prove", native, `${name}.wtns`, files.proof,
			files.publics);
		assert.ok(await peer.peerVerifies(
			readJson(`${files.at}/vkey.json`),
			readJson(files.publics), readJson(files.proof)),
			`snarkjs refuses the proof ${options.join(" ")}`);
	}
}

/*
 * snarkjs's export for bellman's ceremonies begins as parameters do: verifying
 * key, h and l.  Behind that it keeps the points at infinity of a, b_g1 and
 * b_g2, which no prover reads.
 */
async function exportsTheParameters(files) {
	const key = await files.key();
	const params = `${files.at}/key.params`;
	const theirs = `${files.at}/peer.params`;
	const info = JSON.parse(lullOk("key", "info", "--json", key).stdout);
	const counted = [info.public + 1, info.domain_size - 1,
		info.vars - info.public - 1];
	const bytes = VKEY_POINTS_BYTES + counted.reduce((sum, nr) =>
		sum + COUNT_BYTES + nr * G1_BYTES, 0);

	lullOk("key", "convert", "--to", "bellman", key, params);
	await peer.peerExports(key, theirs);
	assert.ok(fs.readFileSync(params).subarray(0, bytes).equals(
		fs.readFileSync(theirs).subarray(0, bytes)),
		"snarkjs exports other points");
}

async function weAcceptOurs(files) {
	const done = lullVerify(files.at, files.publics, files.proof);

	assert.equal(done.status, VALID, done.said);
}

async function weAcceptThePeers(files, { publics: expected }) {
	const theirs = await peer.peerProves(await files.key(),
		await files.witness());
	const done = lullVerify(files.at,
		writeJson(`${files.at}/peer-public.json`, theirs.publicSignals),
		writeJson(`${files.at}/peer-proof.json`, theirs.proof));

	assert.equal(done.status, VALID, done.said);
	assert.deepEqual(readJson(files.publics), theirs.publicSignals);
	if (expected)
		assert.deepEqual(theirs.publicSignals, expected);
}

async function checksTheR1cs(files) {
	lullOk("prove", "--check-r1cs", await files.r1cs(),
		await files.key(), await files.witness(), files.proof,
		files.publics);
}

async function peerSetsUp(files) {
	assert.ok(await peer.peerSetsUp(await files.r1cs(), files.curve,
		SHAPES_LOG2, `${files.at}/snarkjs.zkey`), "snarkjs makes no key");
	lullOk("prove", `${files.at}/snarkjs.zkey`, await files.witness(),
		files.proof, files.publics);
}

/* ---- one bit wrong ------------------------------------------------------- */

/* Every number of a proof: [what it is, replace it by f(it)]. */
function proofNumbers(proof) {
	const numbers = [];
	const add = (holder, index, what) => numbers.push({ what,
		get: () => holder[index],
		set: (value) => { holder[index] = value; } });

	for (const i of [0, 1]) {
		add(proof.pi_a, i, `pi_a[${i}]`);
		add(proof.pi_c, i, `pi_c[${i}]`);
		for (const j of [0, 1])
			add(proof.pi_b[i], j, `pi_b[${i}][${j}]`);
	}
	return numbers;
}

function refused(files, what, publics, proof) {
	const done = lullVerify(files.at, publics, proof);

	assert.ok(done.status === INVALID || done.status === ERROR,
		`${what}: exit ${done.status}\n${done.said}`);
}

async function refusesProofBits(files) {
	const proof = readJson(files.proof);
	const bits = files.curve === "bn128" ? SCALAR_BITS : 384;
	const flipped = `${files.at}/flipped-proof.json`;

	for (const number of proofNumbers(proof)) {
		const good = number.get();
		for (let bit = 0; bit < bits; bit += FLIP_STRIDE) {
			number.set((BigInt(good) ^ (1n << BigInt(bit))).toString());
			refused(files, `${number.what} bit ${bit}`, files.publics,
				writeJson(flipped, proof));
		}
		number.set(good);
	}
}

async function refusesPublicBits(files) {
	const publics = readJson(files.publics);
	const flipped = `${files.at}/flipped-public.json`;
	const stride = publics.length === 1 ? 1 : FLIP_STRIDE;

	for (const [i, good] of publics.entries()) {
		for (let bit = 0; bit < SCALAR_BITS; bit += stride) {
			publics[i] = (BigInt(good) ^ (1n << BigInt(bit))).toString();
			refused(files, `public ${i} bit ${bit}`,
				writeJson(flipped, publics), files.proof);
		}
		publics[i] = good;
	}
	refused(files, "one public too few",
		writeJson(flipped, publics.slice(1)), files.proof);
	refused(files, "one public too many",
		writeJson(flipped, publics.concat("0")), files.proof);
}

/* ---- a real ceremony's parameters and bellperson's proofs ----------------- */

/* Both are made once. */
const ironFish = {};

function ironFishParameters() {
	return ironFish.parameters ??= bellperson.parameters();
}

/* Wires that are in no row of a matrix are not in its arrays. */
function readsTheParameters(name) {
	const { file, counts } = ironFishParameters()[name];
	const info = JSON.parse(lullOk("key", "info", "--from", "bellman",
		"--json", file).stdout);

	assert.deepEqual([info.public, info.domain_size, info.vars],
		[counts.ic - 1, counts.h + 1, counts.ic + counts.l]);
	assert.deepEqual([info.inf_a, info.inf_b1, info.inf_b2],
		[counts.a, counts.b_g1, counts.b_g2].map((nr) =>
			info.vars - nr));
}

/* Every point, and then one in another subgroup or off its curve. */
function checksTheParameters(name) {
	const { file } = ironFishParameters()[name];
	const changed = `${file}.changed`;
	const bytes = fs.readFileSync(file);

	lullOk("key", "check", "--from", "bellman", file);
	bytes[bytes.length - 1] ^= 1;
	fs.writeFileSync(changed, bytes);
	const done = lull("key", "check", "--from", "bellman", changed);
	assert.equal(done.status, ERROR, done.said);
	assert.match(done.said, /section b_g2, offset/);
}

function acceptsBellperson(name) {
	const { proof, publics } =
		(ironFish.proofs ??= bellperson.prove())[name];
	const { file } = ironFishParameters()[name];
	const at = `${peer.CACHE}/out/ironfish-${name}`;
	const verify = (signals) => lull("verify", "--from", "bellman", file,
		writeJson(`${at}.json`, signals.map(String)), `${at}.proof`);

	fs.writeFileSync(`${at}.proof`, proof);
	const done = verify(publics);
	assert.equal(done.status, VALID, done.said);
	for (const i of publics.keys()) {
		const changed = publics.with(i, publics[i] ^ 1n);
		assert.equal(verify(changed).status, INVALID, `signal ${i}`);
	}
}

function ironFishTests() {
	const test = (name, what, run) => ({ title: `ironfish-${name} ${what}`,
		run: () => run(name) });

	if (!bellperson.isThere())
		return [{ title: "ironfish parameters",
			skip: "no library for this machine" }];
	return [...["spend", "output", "mint"].map((name) =>
		test(name, "parameters are read", readsTheParameters)),
	test("mint", "parameters are checked", checksTheParameters),
	...["output", "mint"].map((name) =>
		test(name, "lull accepts bellperson's proof",
			acceptsBellperson))];
}

/* ---- the list ------------------------------------------------------------ */

function testsOf(circuit, curve, kind, how) {
	const { flip, params } = how;
	const name = `${circuit}-${curve}-${kind}`;
	const files = caseFiles(name, circuit, curve, kind);
	const tests = [];
	const add = (what, run) => tests.push({
		title: `${name} ${what}`, run: () => run(files, how) });

	if (kind === "toxic")
		add("lull makes the key", makesToxicKey);
	if (kind === "gen") {
		add("lull makes all files", generates);
		add("snarkjs finds the witness right", peerFindsItSatisfied);
	}
	add("key info tells a test key", tellsToxicKeys);
	add("verification key is the peer's", exportsTheVkey);
	add("snarkjs accepts our proof", peerAcceptsOurs);
	add("snarkjs accepts our proof of a native key", peerAcceptsNative);
	if (isToxic(kind))
		add("witness satisfies the r1cs", checksTheR1cs);
	add("lull accepts our proof", weAcceptOurs);
	add("lull accepts snarkjs's proof", weAcceptThePeers);
	if (kind === "gen" && curve === "bn128")
		add("snarkjs makes a key of it", peerSetsUp);
	if (params && kind !== "toxic" && curve === "bls12381")
		add("parameters of bellman are the peer's", exportsTheParameters);
	if (circuit === "poseidon2" && curve === "bls12381" && kind === "toxic")
		add("snarkjs accepts our proof of parameters",
			peerAcceptsParameters);
	if (flip) {
		add("no flipped bit of the proof passes", refusesProofBits);
		add("no flipped bit of the publics passes", refusesPublicBits);
	}
	return tests;
}

function allTests() {
	const tests = [];

	for (const one of CASES)
		for (const curve of one.curves ?? CURVES)
			for (const [i, kind] of one.keys.entries())
				tests.push(...testsOf(one.circuit, curve, kind,
					{ ...one, flip: one.flip && i === 0 }));
	for (const shape of SHAPES)
		for (const curve of CURVES)
			tests.push(...testsOf(shape, curve, "gen", {}));
	for (const depth of SEMAPHORE_DEPTHS)
		tests.push(...testsOf(`semaphore-${depth}`, "bn128",
			"semaphore", { flip: depth === 1 }));
	tests.push(...ironFishTests());
	return tests;
}

async function main() {
	const tests = allTests();
	let failed = 0;

	console.log(`TAP version 13\n1..${tests.length}`);
	for (const [i, test] of tests.entries()) {
		let verdict = "ok";
		try {
			await test.run?.();
		} catch (error) {
			verdict = "not ok";
			failed++;
			console.log(String(error.message ?? error)
				.replace(/^/gm, "# "));
		}
		console.log(`${verdict} ${i + 1} ${test.title}` +
			(test.skip ? ` # SKIP ${test.skip}` : ""));
	}
	/* snarkjs keeps workers that would hold the process open. */
	process.exit(failed ? 1 : 0);
}

await main();
