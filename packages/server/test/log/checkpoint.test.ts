import { randomBytes } from 'node:crypto';
import { ed25519Verifier, formatCheckpoint, formatNote, openCheckpoint, signNote, verifierKeyOf } from '@countersign/tlog';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openOwnCheckpoint } from '../../src/log/checkpoint.ts';

const opens = (open: () => unknown): boolean => {
  try {
    open();
    return true;
  } catch {
    return false;
  }
};

test('own checkpoints open exactly if the strict verification opens them', () => {
  const key = { name: 'countersign/x', type: 'ed25519' as const, seed: Uint8Array.from(randomBytes(32)) };
  const verifierKey = verifierKeyOf(key);
  let taken = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.record({ isDamaged: fc.boolean(), at: fc.nat(63), bit: fc.nat(7) }),
      (size, root, { isDamaged, at, bit }) => {
        const text = formatCheckpoint({ origin: key.name, size, root, extensions: [] });
        const signed = signNote(text, key);
        const signature = Uint8Array.from(signed.signature);
        if (isDamaged) signature[at] = (signature[at] ?? 0) ^ (1 << bit);
        const note = formatNote({ text, signatures: [{ ...signed, signature }] });
        const strictly = opens(() => openCheckpoint(note, key.name, [ed25519Verifier(verifierKey)]));
        expect(strictly).toBe(!isDamaged);
        expect(opens(() => openOwnCheckpoint(verifierKey.publicKey, note))).toBe(strictly);
        if (strictly) taken++;
      },
    ),
    { numRuns: 60 },
  );
  expect(taken).toBeGreaterThan(5);
});
