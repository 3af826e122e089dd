import { createHash, createPublicKey, verify } from 'node:crypto';
import { type KeyShelf, SessionStamper } from '@countersign/client';
import { p256 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compressedPoint, derSignature } from '../src/p256-forms.ts';

function memoryShelf(): KeyShelf {
  let kept: CryptoKeyPair | undefined;
  return {
    get: async () => kept,
    put: async (pair) => {
      kept = pair;
    },
    clear: async () => {
      kept = undefined;
    },
  };
}

describe('SessionStamper', () => {
  test('stamps verify with its public key over the exact body', async () => {
    const stamper = await SessionStamper.open(memoryShelf());
    for (let count = 0; count < 50; count++) {
      const body = JSON.stringify({ count, text: 'é€😀' });
      const { stampHeaderName, stampHeaderValue } = await stamper.stamp(body);
      expect(stampHeaderName).toBe('X-Stamp');
      const { publicKey, scheme, signature } = JSON.parse(Buffer.from(stampHeaderValue, 'base64url').toString());
      expect({ publicKey, scheme }).toEqual({ publicKey: stamper.publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256' });
      const point = p256.Point.fromHex(publicKey).toBytes(false);
      const text = (from: number) => Buffer.from(point.subarray(from, from + 32)).toString('base64url');
      const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: text(1), y: text(33) }, format: 'jwk' });
      expect(verify('sha256', Buffer.from(body), key, Buffer.from(signature, 'hex'))).toBe(true);
    }
  });

  test('the same storage returns the same session; a deleted one is gone', async () => {
    const shelf = memoryShelf();
    const first = await SessionStamper.open(shelf);
    expect((await SessionStamper.open(shelf)).publicKey).toBe(first.publicKey);
    await first.forget();
    expect((await SessionStamper.open(shelf)).publicKey).not.toBe(first.publicKey);
  });
});

describe('P-256 encodings', () => {
  const scalar = fc.bigInt({ min: 1n, max: p256.Point.Fn.ORDER - 1n });
  const small = fc.bigInt({ min: 1n, max: 2n ** 130n });
  const bytes = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

  test('a DER signature matches an independent library', () => {
    fc.assert(
      fc.property(fc.oneof(scalar, small), fc.oneof(scalar, small), (r, s) => {
        const theirs = Buffer.from(new p256.Signature(r, s).toBytes('der')).toString('hex');
        expect(derSignature(Buffer.concat([bytes(r), bytes(s)]))).toBe(theirs);
      }),
    );
  });

  test('a compressed point matches too', () => {
    for (let count = 0; count < 50; count++) {
      const point = p256.Point.BASE.multiply(
        BigInt(`0x${createHash('sha256').update(String(count)).digest('hex')}`) % p256.Point.Fn.ORDER,
      );
      expect(compressedPoint(point.toBytes(false))).toBe(point.toHex(true));
    }
  });
});
