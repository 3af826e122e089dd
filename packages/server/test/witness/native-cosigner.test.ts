import {
  cosign,
  cosignatureVerifier,
  ed25519Verifier,
  formatCheckpoint,
  type NoteVerifier,
  type SignerKey,
  signNote,
  TlogError,
  verifierKeyOf,
} from '@countersign/tlog';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nativeCosignatureVerifier, nativeCosigner, nativeLogVerifier } from '../../src/witness/native-cosigner.ts';

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
const checkpoints = fc
  .record({
    size: fc.integer({ min: 1 }),
    root: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    line: fc.constantFrom('heads x', 'ü'),
  })
  .map(({ size, root, line }) => formatCheckpoint({ origin: 'log.example', size, root, extensions: [line] }));
const key = (type: SignerKey['type'], seed: Uint8Array): SignerKey => ({ name: 'w.example', type, seed });

/** Every signature with one bit changed, a shorter and a longer one, and the unchanged one. */
const variants = (signature: Uint8Array) => [
  signature,
  signature.slice(1),
  Uint8Array.of(...signature, 0),
  ...[0, 7, 8, 40, signature.length - 1].map((at) => signature.map((byte, place) => (place === at ? byte ^ 1 : byte))),
];

describe('native signatures of notes', () => {
  test('cosignatures have the bytes of the package, and both verifiers agree', () => {
    fc.assert(
      fc.property(seeds, checkpoints, fc.bigInt({ min: 0n, max: 2n ** 40n }), (seed, text, time) => {
        const signer = key('cosignature', seed);
        const made = nativeCosigner(signer)(text, time);
        expect(made).toEqual(cosign(text, signer, time));
        agree(nativeCosignatureVerifier(verifierKeyOf(signer)), cosignatureVerifier(verifierKeyOf(signer)), text, made.signature);
      }),
      { numRuns: 15 },
    );
  });

  test('plain signatures verify as in the package', () => {
    fc.assert(
      fc.property(seeds, checkpoints, (seed, text) => {
        const signer = key('ed25519', seed);
        const { signature } = signNote(text, signer);
        agree(nativeLogVerifier(verifierKeyOf(signer)), ed25519Verifier(verifierKeyOf(signer)), text, signature);
      }),
      { numRuns: 15 },
    );
  });

  test('a key of the other type, and a text that is no checkpoint, are refused', () => {
    const seed = new Uint8Array(32).fill(1);
    expect(() => nativeCosigner(key('ed25519', seed))).toThrow(TlogError);
    expect(() => nativeLogVerifier(verifierKeyOf(key('cosignature', seed)))).toThrow(TlogError);
    expect(() => nativeCosignatureVerifier(verifierKeyOf(key('ed25519', seed)))).toThrow(TlogError);
    expect(() => nativeCosigner(key('cosignature', seed))('no checkpoint\n', 1n)).toThrow(TlogError);
    // A cosignature is not a plain signature of the same key on the text that it signs.
    const text = formatCheckpoint({ origin: 'log.example', size: 1, root: new Uint8Array(32).fill(2), extensions: [] });
    const { signature } = nativeCosigner(key('cosignature', seed))(text, 1n);
    const plain = nativeLogVerifier(verifierKeyOf(key('ed25519', seed)));
    expect(plain.verify(`cosignature/v1\ntime 1\n${text}`, signature.slice(8))).toBe(false);
  });
});

function agree(native: NoteVerifier, portable: NoteVerifier, text: string, signature: Uint8Array): void {
  expect([native.name, native.keyId]).toEqual([portable.name, portable.keyId]);
  expect(native.verify(text, signature)).toBe(true);
  for (const each of variants(signature)) expect(native.verify(text, each)).toBe(portable.verify(text, each));
  expect(native.verify(`${text}more\n`, signature)).toBe(false);
}
