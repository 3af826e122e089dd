// Compares every function of the native addon with at least three other implementations, on random and altered input.
// Usage: npm run native:compare -- [--cases 1000000] [--only sha256,p256]
import { parseArgs } from 'node:util';
import { loadAddon } from '@countersign/native';
import { hmacCases, keccakCases, sha256Cases } from './hashes.js';
import { p256Cases, secp256k1Cases } from './signatures.js';

const PROGRESS_MS = 5_000;
const functions = {
  sha256: sha256Cases,
  keccak256: keccakCases,
  hmacSha256Each: hmacCases,
  p256Verifier: p256Cases,
  secp256k1Checker: secp256k1Cases,
};

const { values } = parseArgs({ options: { cases: { type: 'string', default: '1000' }, only: { type: 'string' } } });
const cases = Number(values.cases);
const chosen = values.only === undefined ? Object.keys(functions) : values.only.split(',');
const unknown = chosen.filter((name) => !(name in functions));
if (!Number.isSafeInteger(cases) || cases < 1 || unknown.length > 0) {
  console.error(`--cases takes a number from 1, and --only takes names out of ${Object.keys(functions).join(', ')}`);
  process.exit(2);
}
const { addon, absence } = loadAddon(process.env);
if (addon === undefined) {
  console.log(`Nothing was compared. The addon is not in use: ${absence}. Build it with npm run native:build.`);
  process.exit();
}
// A function of the addon that is compared with nothing must not pass unseen.
const missing = Object.keys(addon).filter((name) => !(name in functions));
if (missing.length > 0) throw new Error(`no cases for ${missing.join(', ')}`);

let failures = 0;
for (const name of chosen) failures += await compare(name);
process.exitCode = failures === 0 ? 0 : 1;

async function compare(name) {
  const { next, implementations } = await functions[name](addon);
  const answers = new Map();
  let differences = 0;
  let said = Date.now();
  for (let index = 0; index < cases; index++) {
    const input = await next(index);
    const given = [];
    for (const [by, answer] of Object.entries(implementations)) given.push([by, await answer(input)]);
    const [[, ours], ...others] = given;
    if (ours === 'true' || ours === 'false') answers.set(ours, (answers.get(ours) ?? 0) + 1);
    if (others.some(([, theirs]) => theirs !== ours)) {
      differences++;
      console.error(`${name} differs: ${JSON.stringify(given)} for ${JSON.stringify(shown(input))}`);
    }
    if (process.stderr.isTTY && Date.now() - said > PROGRESS_MS) {
      said = Date.now();
      console.error(`${name}: ${index + 1} of ${cases}`);
    }
  }
  const split = [...answers].map(([answer, count]) => `${count} ${answer === 'true' ? 'valid' : 'refused'}`).join(', ');
  const [, ...names] = Object.keys(implementations);
  console.log(`${name}: ${cases} cases${split && ` (${split})`}, ${differences} differences from ${names.join(', ')}`);
  return differences;
}

/** The bytes of a case in hexadecimal. Keys of a comparison are random, and used for nothing. */
function shown(input) {
  if (input instanceof Uint8Array) return Buffer.from(input).toString('hex');
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value instanceof Uint8Array || typeof value === 'number')
      .map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value]),
  );
}
