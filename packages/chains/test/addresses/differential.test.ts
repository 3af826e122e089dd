import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { addressFormatIds, addressFormats, type Curve, curves, encodeAddress } from '../../src/index.ts';
import { nativePublicKey, oracles } from './oracles.ts';

const count = Number(process.env.COUNTERSIGN_DIFFERENTIAL_KEYS ?? 100);
const run = randomBytes(8).toString('hex');

/** Keys of a curve from native code, fresh in every run; a failure names the secret. */
function* keys(curve: Curve): Generator<{ secret: string; publicKey: Uint8Array }> {
  for (let i = 0; i < count; i++) {
    const secret = createHash('sha256').update(`${run} ${curve} ${i}`).digest();
    const publicKey = nativePublicKey(curve, secret);
    if (publicKey !== undefined) yield { secret: secret.toString('hex'), publicKey };
  }
}

const pools = Object.fromEntries(curves.map((curve) => [curve, [...keys(curve)]])) as Record<
  Curve,
  { secret: string; publicKey: Uint8Array }[]
>;

describe(`against independent libraries, ${count} keys a curve`, () => {
  test.each(addressFormatIds)('%s', (id) => {
    let compared = 0;
    for (const curve of addressFormats[id].curves) {
      for (const { secret, publicKey } of pools[curve]) {
        expect(encodeAddress(id, curve, publicKey), `${curve} secret ${secret}`).toBe(oracles[id](publicKey, curve));
        compared++;
      }
    }
    expect(compared).toBe(count * addressFormats[id].curves.length);
  });
});
