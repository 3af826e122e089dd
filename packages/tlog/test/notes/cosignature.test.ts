import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  cosign,
  cosignatureTime,
  cosignatureVerifier,
  ed25519Verifier,
  emptyRoot,
  formatCheckpoint,
  formatNote,
  type NoteSignature,
  openCheckpoint,
  openNote,
  parseNote,
  parseSignerKey,
  parseVerifierKey,
  signNote,
  TlogError,
  verifierKeyOf,
} from '../../src/index.ts';
import { cosignatures, keyNamed, verifierOf } from '../support/notes.ts';
import { flipped } from '../support/vectors.ts';

const witness = parseSignerKey(keyNamed('witness.example/w1').signer);
const verifier = cosignatureVerifier(verifierKeyOf(witness));
const checkpoint = formatCheckpoint({ origin: 'log.example/countersign', size: 7, root: emptyRoot(), extensions: [] });

describe('conformance/log/notes.json', () => {
  it.each(cosignatures)('has the cosignature of $time', ({ key, time, checkpoint: text, line }) => {
    const note = `${text}\n${line}`;
    expect(formatNote({ text, signatures: [cosign(text, witness, BigInt(time))] })).toBe(note);
    const [signature] = openNote(note, [cosignatureVerifier(parseVerifierKey(key))]).verified;
    expect(cosignatureTime(signature as NoteSignature)).toBe(BigInt(time));
  });
});

test('a checkpoint with the signature of its log and two cosignatures', () => {
  const log = keyNamed('log.example/countersign');
  const second = { ...witness, name: 'witness.example/w2', seed: new Uint8Array(32).fill(9) };
  const signatures = [
    signNote(checkpoint, parseSignerKey(log.signer)),
    cosign(checkpoint, witness, 1_700_000_000n),
    cosign(checkpoint, second, 1_700_000_001n),
  ];
  const note = formatNote({ text: checkpoint, signatures });
  const all = [verifierOf(log.verifier), verifier, cosignatureVerifier(verifierKeyOf(second))];
  const found = openCheckpoint(note, 'log.example/countersign', all).note;
  expect(found.verified).toEqual(signatures);
  expect(found.verified.slice(1).map(cosignatureTime)).toEqual([1_700_000_000n, 1_700_000_001n]);
  expect(openNote(note, all.slice(0, 1)).ignored).toEqual(signatures.slice(1));
});

test('every cosignature verifies, and no other text, time or bit does', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.nat(71), fc.nat(7), (time, byte, bit) => {
      const { signature } = cosign(checkpoint, witness, time);
      expect(verifier.verify(checkpoint, signature)).toBe(true);
      expect(verifier.verify(checkpoint, flipped(signature, byte, bit))).toBe(false);
      expect(verifier.verify(checkpoint.replace('7', '8'), signature)).toBe(false);
    }),
    { numRuns: 15 },
  );
});

test('a changed bit in any byte is refused', () => {
  const { signature } = cosign(checkpoint, witness, 1_700_000_000n);
  for (let byte = 0; byte < signature.length; byte++) expect(verifier.verify(checkpoint, flipped(signature, byte))).toBe(false);
  for (const length of [0, 8, 64, 71]) expect(verifier.verify(checkpoint, signature.slice(0, length))).toBe(false);
});

/** What a cosigner that checks nothing would make. */
function carelessly(text: string, time: bigint): Uint8Array {
  const timeBytes = Buffer.alloc(8);
  timeBytes.writeBigUInt64BE(time);
  return Uint8Array.from([...timeBytes, ...ed25519.sign(Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), witness.seed)]);
}

test('a time of 2^63 is refused, although the key signed it', () => {
  expect(verifier.verify(checkpoint, carelessly(checkpoint, 2n ** 63n - 1n))).toBe(true);
  expect(verifier.verify(checkpoint, carelessly(checkpoint, 2n ** 63n))).toBe(false);
  expect(() => cosign(checkpoint, witness, 2n ** 63n)).toThrow(TlogError);
  expect(() => cosign(checkpoint, witness, -1n)).toThrow(TlogError);
});

test('a text that is no checkpoint is refused, although the key signed it', () => {
  expect(verifier.verify('any text\n', carelessly('any text\n', 0n))).toBe(false);
  expect(() => cosign('any text\n', witness, 0n)).toThrow(TlogError);
});

test('one key of two types: neither kind of signature stands for the other', () => {
  const plain = { ...witness, type: 'ed25519' } as const;
  const plainVerifier = ed25519Verifier(verifierKeyOf(plain));
  expect(plainVerifier.keyId).not.toBe(verifier.keyId);
  const cosigned = cosign(checkpoint, witness, 5n);
  expect(plainVerifier.verify(`cosignature/v1\ntime 5\n${checkpoint}`, cosigned.signature.slice(8))).toBe(false);
  expect(() => signNote(`cosignature/v1\ntime 5\n${checkpoint}`, plain)).toThrow(TlogError);
  expect(() => signNote(checkpoint, witness)).toThrow(TlogError);
  expect(() => cosign(checkpoint, plain, 5n)).toThrow(TlogError);
});

test('the time of bytes that are no cosignature is not read', () => {
  const [signature] = parseNote(formatNote({ text: checkpoint, signatures: [cosign(checkpoint, witness, 9n)] })).signatures;
  expect(cosignatureTime(signature as NoteSignature)).toBe(9n);
  expect(() => cosignatureTime({ name: 'n', keyId: 0, signature: new Uint8Array(64) })).toThrow('72 bytes');
});
