import { ECDH, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { loadAddon, OftenUsed, type VerifyMessage } from '@countersign/native';
import { p256 } from '@noble/curves/nist.js';

/** Checks a DER signature, which is given as 64 bytes (r, s) too. */
export type P256Check = (message: Uint8Array, signature: Uint8Array, compact: Uint8Array) => boolean;

/** A table takes 150 KB, and as much time of another thread as some ten checks without one. */
const rules = { capacity: 256, usesBefore: 128, idleUses: 32_768 };

/**
 * A check that gets a table of the key's multiples once the key is used often, and then takes half the time. `plain` checks without one.
 * Where the addon is absent, that is all there is.
 * SECURITY: a signature that does not verify takes the time of both ways, whatever key it is for. So the time of a refusal does not tell
 * which keys are in use.
 * A table's "no" is never the last word: the check without a table takes place anyway, and decides. Only a wrong "yes" would do harm.
 */
export type MakeP256Check = (publicKey: Uint8Array, plain: P256Check) => P256Check;

/** Makes checks with the addon of this installation. */
export const p256Check: MakeP256Check = createP256Check(loadAddon(process.env).addon?.p256Verifier);

/** `makeTable` gives the check of one key with its table. */
export function createP256Check(makeTable: ((publicKey: Uint8Array) => Promise<VerifyMessage>) | undefined): MakeP256Check {
  if (makeTable === undefined) return (_, plain) => plain;
  const tables = new OftenUsed<VerifyMessage>(rules);
  let decoy: VerifyMessage | undefined;
  let preparing: Promise<void> | undefined;

  /**
   * INVARIANT: no key has a table before the decoy has one. Rejects if the addon gives a wrong answer: then no key gets one.
   * SECURITY: nobody has the private key of the decoy. A sum in which points of the key and of the generator meet takes five times as
   * long. Whoever knows the private key can write signatures with such sums, and see whether the decoy or a key's own table met them.
   */
  const prepare = async () => {
    const isRight = passesKnownAnswers(await makeTable(vector.publicKey));
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    // The last 65 bytes are the point (RFC 5480 section 2.2).
    const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-65);
    const made = isRight
      ? await makeTable(ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'compressed') as Buffer)
      : undefined;
    if (made === undefined || !agreesWithSigner(made, privateKey))
      throw new Error('the table of a P-256 key gives a wrong answer');
    decoy = made;
  };

  return (publicKey, plain) => {
    const key = tables.key(async () => {
      preparing ??= prepare();
      await preparing;
      return makeTable(publicKey);
    });
    return (message, signature, compact) => {
      const { table } = key;
      if (table === undefined ? plain(message, signature, compact) : table(message, compact)) {
        key.use();
        return true;
      }
      if (table === undefined) {
        decoy?.(message, compact);
        return false;
      }
      if (!plain(message, signature, compact)) return false;
      // The table is wrong, for example because its memory failed. Enough further uses have it made again.
      key.release();
      return true;
    };
  };
}

const { Fn } = p256.Point;

/**
 * The nonce's point has x = n + 3, so r is 3. The key is (R - digest G) / r, which makes s = 1 hold. Random signatures have no such x, and
 * no r or s to which the order can be added.
 */
const vector = Object.freeze({
  message: Buffer.from('countersign'),
  publicKey: Buffer.from('02df2b62db0af25d8624263dd1216a6fb9937259c63902a0a4498a0c3dca847556', 'hex'),
  r: 3n,
  s: 1n,
});

/** s and its negative hold. Nothing else does: no other r or s, and no second way to write the same ones. */
function passesKnownAnswers(verifies: VerifyMessage): boolean {
  const { message, r, s } = vector;
  const holds = ([rValue, sValue]: readonly [bigint, bigint]) =>
    verifies(message, Buffer.from([rValue, sValue].map((value) => value.toString(16).padStart(64, '0')).join(''), 'hex'));
  const refused = [
    [r + 1n, s],
    [r, s + 1n],
    [r + Fn.ORDER, s],
    [r, s + Fn.ORDER],
    [0n, s],
    [r, 0n],
  ] as const;
  return holds([r, s]) && holds([r, Fn.neg(s)]) && !refused.some(holds);
}

/** Signatures of the self-test, which takes some milliseconds once, before the first key gets a table. */
const SIGNATURES = 8;

/** Signatures of OpenSSL hold, and do not hold for another message or with another bit. */
function agreesWithSigner(verifies: VerifyMessage, privateKey: KeyObject): boolean {
  return Array.from({ length: SIGNATURES }, (_, index) => {
    const message = Buffer.from(`countersign ${index}`);
    const signature = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    const altered = Buffer.from(signature);
    altered[index * 8] = (signature[index * 8] as number) ^ (1 << (index % 8));
    return verifies(message, signature) && !verifies(Buffer.from('other'), signature) && !verifies(message, altered);
  }).every(Boolean);
}
