import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUsablePoint } from '../../../src/auth/api-key/usable-point.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const holds = (check: () => boolean) => {
  try {
    return check();
  } catch {
    return false;
  }
};

const { Point } = ed25519;
/** A generator of the eight points of low order. */
const LOW_ORDER = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05');
const lowOrder = Array.from({ length: 8 }, (_, index) => (index === 0 ? Point.ZERO : LOW_ORDER.multiplyUnsafe(BigInt(index))));
const isUsableInJavaScript = (bytes: Uint8Array) =>
  holds(() => {
    const point = Point.fromBytes(bytes, false);
    return !point.isSmallOrder() && point.isTorsionFree();
  });

describe('D08: native checks of points agree with those in JavaScript', () => {
  test('ed25519: points of the prime subgroup, alone and with each low-order component', () => {
    const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(secret, fc.nat(7), fc.boolean(), (bytes, component, negated) => {
        const honest = Point.fromBytes(ed25519.getPublicKey(bytes));
        const point = (negated ? honest.negate() : honest).add(lowOrder[component] as typeof LOW_ORDER);
        expect(isUsablePoint.ed25519(point.toBytes())).toBe(component === 0);
      }),
      { numRuns: 60 },
    );
  });

  test('ed25519: any bytes, most of which are no point or have a component', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(holds(() => isUsablePoint.ed25519(bytes))).toBe(isUsableInJavaScript(bytes));
      }),
      { numRuns: 100 },
    );
  });

  test('ed25519: points of low order, and second names of points', () => {
    for (const point of lowOrder) expect(holds(() => isUsablePoint.ed25519(point.toBytes()))).toBe(false);
    for (let y = Point.Fp.ORDER - 3n; y < 1n << 255n; y++) {
      for (const sign of [0n, 1n << 255n]) {
        const bytes = hex((y | sign).toString(16).padStart(64, '0')).reverse();
        expect(holds(() => isUsablePoint.ed25519(bytes))).toBe(isUsableInJavaScript(bytes));
      }
    }
    for (const bytes of [new Uint8Array(31), new Uint8Array(33).fill(3)]) expect(isUsablePoint.ed25519(bytes)).toBe(false);
  });

  test.each([
    ['P-256', p256, isUsablePoint.p256],
    ['secp256k1', secp256k1, isUsablePoint.secp256k1],
  ] as const)('%s: random x, x beyond the field, honest keys', (_, curve, isUsable) => {
    const inJavaScript = (bytes: Uint8Array) =>
      holds(() => {
        curve.Point.fromBytes(bytes).assertValidity();
        return true;
      });
    const compressed = (x: bigint, odd: boolean) => hex(`${odd ? '03' : '02'}${x.toString(16).padStart(64, '0')}`);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), fc.boolean(), (x, odd) => {
        const bytes = compressed(x, odd);
        expect(holds(() => isUsable(bytes))).toBe(inJavaScript(bytes));
      }),
      { numRuns: 200 },
    );
    const { ORDER } = curve.Point.Fp;
    for (const x of [0n, 1n, 5n, ORDER - 1n, ORDER, ORDER + 1n, ORDER + 5n, (1n << 256n) - 1n])
      for (const odd of [false, true]) expect(holds(() => isUsable(compressed(x, odd)))).toBe(inJavaScript(compressed(x, odd)));
    expect(isUsable(curve.getPublicKey(curve.utils.randomSecretKey(), true))).toBe(true);
  });
});
