import { ECDH, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { verifyApiKeyStamp } from '../../src/auth/api-key/api-key-stamp.ts';
import { canonicalPublicKey } from '../../src/auth/api-key/public-key.ts';
import { groupOrders, readDerSignature, type SchemeId, schemes, VerifierCache } from '../../src/auth/api-key/schemes.ts';
import { portableSecp256k1 } from '../../src/auth/api-key/secp256k1-engine.ts';
import { type ApiKeyStamp, parseStamp } from '../../src/auth/api-key/stamp.ts';
import { StampError } from '../../src/auth/api-key/stamp-error.ts';

/** A Wycheproof file, as far as it is read here. */
interface VectorFile {
  readonly numberOfTests: number;
  readonly testGroups: readonly {
    readonly publicKey: { readonly curve: string; readonly uncompressed?: string; readonly pk?: string };
    readonly tests: readonly Vector[];
  }[];
}

interface Vector {
  readonly tcId: number;
  readonly comment: string;
  readonly msg: string;
  readonly sig: string;
  readonly result: 'valid' | 'invalid';
}

interface Case extends Vector {
  /** Compressed where the curve has a compressed form. */
  readonly publicKeyHex: string;
}

/** OpenSSL's names of the curves whose keys the files give uncompressed. */
const opensslNames: Readonly<Record<string, string>> = { secp256r1: 'prime256v1', secp256k1: 'secp256k1' };

function readCases(name: string): readonly Case[] {
  const url = new URL(`../../../../conformance/wycheproof/${name}_test.json`, import.meta.url);
  const { numberOfTests, testGroups } = JSON.parse(readFileSync(url, 'utf8')) as VectorFile;
  const cases = testGroups.flatMap(({ publicKey: { curve, uncompressed = '', pk }, tests }) => {
    const publicKeyHex = pk ?? ECDH.convertKey(uncompressed, opensslNames[curve] ?? curve, 'hex', 'hex', 'compressed').toString();
    return tests.map((vector) => ({ ...vector, publicKeyHex }));
  });
  expect(cases).toHaveLength(numberOfTests);
  return cases;
}

/** Sends a case through everything that a stamp goes through: header, registered key, signature. */
function isStampTaken(scheme: SchemeId, { publicKeyHex, sig, msg }: Case, verifiers: VerifierCache): boolean {
  const publicKey = canonicalPublicKey(publicKeyHex, schemes[scheme].curve);
  const header = Buffer.from(JSON.stringify({ publicKey, scheme, signature: sig })).toString('base64url');
  try {
    const stamp = parseStamp({ 'x-stamp': header }) as ApiKeyStamp;
    verifyApiKeyStamp(stamp, { publicKey, type: schemes[scheme].credentialTypes[0] }, Buffer.from(msg, 'hex'), verifiers);
    return true;
  } catch (error) {
    if (error instanceof StampError) return false;
    throw error;
  }
}

/** What a verifier takes, and the cases in which it does not agree with the file. */
function run(cases: readonly Case[], isTaken: (vector: Case) => boolean) {
  const taken = cases.filter(isTaken);
  const wrong = cases.filter((vector) => taken.includes(vector) !== (vector.result === 'valid'));
  return { taken: taken.length, refused: cases.length - taken.length, wrong };
}

const keyOf = ({ publicKeyHex, msg, sig }: Case) => `${publicKeyHex}:${msg}:${sig}`;

/** The Bitcoin cases, valid where the general file of the curve calls the same signature valid: stamps may have a high s. */
function readBitcoinCases(): readonly Case[] {
  const general = readCases('ecdsa_secp256k1_sha256');
  const valid = new Set(general.filter(({ result }) => result === 'valid').map(keyOf));
  return readCases('ecdsa_secp256k1_sha256_bitcoin').map((vector) =>
    valid.has(keyOf(vector)) ? { ...vector, result: 'valid' } : vector,
  );
}

describe('Wycheproof: a stamp', () => {
  test.each<[string, SchemeId, () => readonly Case[], { taken: number; refused: number }]>([
    ['P-256', 'SIGNATURE_SCHEME_TK_API_P256', () => readCases('ecdsa_secp256r1_sha256'), { taken: 174, refused: 310 }],
    ['secp256k1', 'SIGNATURE_SCHEME_TK_API_SECP256K1', () => readCases('ecdsa_secp256k1_sha256'), { taken: 168, refused: 308 }],
    ['secp256k1 as Bitcoin has it', 'SIGNATURE_SCHEME_TK_API_SECP256K1', readBitcoinCases, { taken: 164, refused: 299 }],
    ['Ed25519', 'SIGNATURE_SCHEME_TK_API_ED25519', () => readCases('ed25519'), { taken: 88, refused: 63 }],
  ])('of %s is taken where its signature is valid, and only there', (_, scheme, read, expected) => {
    const verifiers = new VerifierCache();
    expect(run(read(), (vector) => isStampTaken(scheme, vector, verifiers))).toEqual({ ...expected, wrong: [] });
  });
});

test('Wycheproof: the portable secp256k1 engine agrees, where the native one does not load', () => {
  const isTaken = ({ publicKeyHex, sig, msg }: Case) => {
    const compact = readDerSignature(Buffer.from(sig, 'hex'), groupOrders.SECP256K1);
    const key = portableSecp256k1.prepare(Buffer.from(publicKeyHex, 'hex'));
    return compact !== undefined && portableSecp256k1.verify(compact, hash('sha256', Buffer.from(msg, 'hex'), 'buffer'), key);
  };
  expect(run(readCases('ecdsa_secp256k1_sha256'), isTaken)).toEqual({ taken: 168, refused: 308, wrong: [] });
});
