import { ECDH } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyApiKeyStamp } from '../packages/server/src/auth/api-key-stamp.ts';
import { canonicalPublicKey } from '../packages/server/src/auth/public-key.ts';
import { type SchemeId, schemes } from '../packages/server/src/auth/schemes.ts';
import { type ApiKeyStamp, parseStamp } from '../packages/server/src/auth/stamp.ts';
import { StampFault } from '../packages/server/src/auth/stamp-fault.ts';
import { VerifierCache } from '../packages/server/src/auth/verifier-cache.ts';

/** A Wycheproof file, as far as it is read here. */
interface VectorFile {
  readonly numberOfTests: number;
  readonly testGroups: readonly VectorGroup[];
}

interface VectorGroup {
  readonly publicKey: { readonly uncompressed?: string; readonly pk?: string };
  readonly tests: readonly Vector[];
}

interface Vector {
  readonly tcId: number;
  readonly comment: string;
  readonly flags: readonly string[];
  readonly msg: string;
  readonly sig: string;
  readonly result: 'valid' | 'invalid';
}

interface VectorSet {
  readonly file: string;
  readonly scheme: SchemeId;
  /** OpenSSL's name of the curve, where the keys come uncompressed. */
  readonly curve?: string;
  /** Another file for the same scheme, which decides where this one calls a case invalid by a rule that stamps do not have. */
  readonly overruledBy?: string;
}

const sets: readonly VectorSet[] = [
  { file: 'ecdsa_secp256r1_sha256_test.json', scheme: 'SIGNATURE_SCHEME_TK_API_P256', curve: 'prime256v1' },
  { file: 'ecdsa_secp256k1_sha256_test.json', scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1', curve: 'secp256k1' },
  {
    file: 'ecdsa_secp256k1_sha256_bitcoin_test.json',
    scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1',
    curve: 'secp256k1',
    // Bitcoin refuses a high s. A stamp with one is as good, and the general set calls the same signatures valid.
    overruledBy: 'ecdsa_secp256k1_sha256_test.json',
  },
  { file: 'ed25519_test.json', scheme: 'SIGNATURE_SCHEME_TK_API_ED25519' },
];

async function readVectors(folder: string, file: string): Promise<VectorFile> {
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as VectorFile;
}

function caseKey(group: VectorGroup, vector: Vector): string {
  return `${group.publicKey.uncompressed}:${vector.msg}:${vector.sig}`;
}

/** The cases that a file calls valid. */
async function validCases(folder: string, file: string): Promise<ReadonlySet<string>> {
  const { testGroups } = await readVectors(folder, file);
  const valid = testGroups.flatMap((group) =>
    group.tests.filter(({ result }) => result === 'valid').map((vector) => caseKey(group, vector)),
  );
  return new Set(valid);
}

/** Sends a case through everything that a stamp goes through: header, registered key, signature. */
function isTaken(set: VectorSet, publicKey: string, vector: Vector, verifiers: VerifierCache): boolean {
  const json = JSON.stringify({ publicKey, scheme: set.scheme, signature: vector.sig });
  const credential = { publicKey, type: schemes[set.scheme].credentialTypes[0] };
  try {
    const stamp = parseStamp({ 'x-stamp': Buffer.from(json).toString('base64url') }) as ApiKeyStamp;
    verifyApiKeyStamp(stamp, credential, Buffer.from(vector.msg, 'hex'), verifiers);
    return true;
  } catch (error) {
    if (error instanceof StampFault) return false;
    throw error;
  }
}

/** Runs one file, prints what came of it, and gives the lines that describe its mismatches. */
async function run(set: VectorSet, folder: string): Promise<readonly string[]> {
  const { numberOfTests, testGroups } = await readVectors(folder, set.file);
  const overruling = set.overruledBy === undefined ? new Set() : await validCases(folder, set.overruledBy);
  const counts = { taken: 0, refused: 0, overruled: 0 };
  const mismatches: string[] = [];
  for (const group of testGroups) {
    const { pk, uncompressed } = group.publicKey;
    const hex = pk ?? ECDH.convertKey(uncompressed ?? '', set.curve ?? '', 'hex', 'hex', 'compressed').toString();
    const registered = canonicalPublicKey(hex, schemes[set.scheme].curve);
    const verifiers = new VerifierCache();
    for (const vector of group.tests) {
      const isOverruled = vector.result === 'invalid' && overruling.has(caseKey(group, vector));
      const taken = isTaken(set, registered, vector, verifiers);
      counts[taken ? 'taken' : 'refused']++;
      if (isOverruled) counts.overruled++;
      if (taken !== (vector.result === 'valid' || isOverruled)) {
        mismatches.push(
          `${set.file} case ${vector.tcId} (${vector.comment}) is ${vector.result}, but was ${taken ? 'taken' : 'refused'}`,
        );
      }
    }
  }
  const total = counts.taken + counts.refused;
  if (total !== numberOfTests) mismatches.push(`${set.file} says it has ${numberOfTests} cases, but ${total} were found`);
  const overruled = counts.overruled === 0 ? '' : ` (${counts.overruled} of them with a high s, invalid for Bitcoin alone)`;
  console.log(
    `${set.file}: ${total} cases, ${counts.taken} taken${overruled}, ${counts.refused} refused, ${mismatches.length} mismatches`,
  );
  return mismatches;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: npm run vectors -- DIRECTORY   (a folder with the Project Wycheproof files)');
  process.exit(2);
}
const mismatches: string[] = [];
for (const set of sets) mismatches.push(...(await run(set, folder)));
for (const line of mismatches) console.error(line);
console.log(mismatches.length === 0 ? 'vectors: every case as expected' : `vectors: ${mismatches.length} cases not as expected`);
process.exitCode = mismatches.length === 0 ? 0 : 1;
