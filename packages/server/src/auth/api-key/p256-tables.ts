import { ECDH, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { loadAddon, TableCache, type VerifyMessage } from '@countersign/native';
import { p256 } from '@noble/curves/nist.js';

/** Verifies a DER signature. `compact` is the same signature as 64 bytes (r, s). */
export type P256Check = (message: Uint8Array, signature: Uint8Array, compact: Uint8Array) => boolean;

/** A table takes 150 KB, and another thread computes it in the time of ten verifications without a table. */
const rules = { capacity: 256, usesBefore: 128, idleUses: 32_768 };

/**
 * Adds a precomputed table to the verification of a frequently used key, which then takes half the time. `plain` verifies without a table.
 * SECURITY: an invalid signature takes the time of a verification with a table and one without, for any key. So the time does not reveal
 * which keys are in use.
 * If the table rejects a signature, `plain` decides. So a corrupt table can only do harm if it accepts an invalid signature.
 */
export type MakeP256Check = (publicKey: Uint8Array, plain: P256Check) => P256Check;

/** Uses the addon of this installation, if there is one. */
export const p256Check: MakeP256Check = createP256Check(loadAddon(process.env).addon?.p256Verifier);

/** `makeTable` computes the table of a key and returns its verification. */
export function createP256Check(makeTable: ((publicKey: Uint8Array) => Promise<VerifyMessage>) | undefined): MakeP256Check {
  if (makeTable === undefined) return (_, plain) => plain;
  const tables = new TableCache<VerifyMessage>(rules);
  let decoy: VerifyMessage | undefined;
  let preparing: Promise<void> | undefined;

  /**
   * INVARIANT: no key has a table before the decoy has one. Rejects if the addon gives a wrong answer: then no key gets a table.
   * SECURITY: the private key of the decoy is discarded. Equal points of a key and of the generator make a verification five times slower.
   * With the private key one can construct such signatures, and measure whether the decoy or the key's own table verified them.
   */
  const prepare = async () => {
    const passes = passesKnownAnswers(await makeTable(vector.publicKey));
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    // The last 65 bytes are the point (RFC 5480 section 2.2).
    const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-65);
    const table = passes
      ? await makeTable(ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'compressed') as Buffer)
      : undefined;
    if (table === undefined || !agreesWithSigner(table, privateKey))
      throw new Error('the table of a P-256 key returns a wrong result');
    decoy = table;
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
      // The table is corrupt. After enough further uses it is computed again.
      key.release();
      return true;
    };
  };
}

const { Fn } = p256.Point;

/**
 * The nonce's point has x = n + 3, so r is 3. The key is (R - digest G) / r, which makes s = 1 valid. Random signatures have no such x, and
 * no r or s to which the order can be added.
 */
const vector = Object.freeze({
  message: Buffer.from('countersign'),
  publicKey: Buffer.from('02df2b62db0af25d8624263dd1216a6fb9937259c63902a0a4498a0c3dca847556', 'hex'),
  r: 3n,
  s: 1n,
});

/** Only s and its negative are valid: no other r or s, and no second encoding of them. */
function passesKnownAnswers(verifies: VerifyMessage): boolean {
  const { message, r, s } = vector;
  const isValid = ([rValue, sValue]: readonly [bigint, bigint]) =>
    verifies(message, Buffer.from([rValue, sValue].map((value) => value.toString(16).padStart(64, '0')).join(''), 'hex'));
  const invalid = [
    [r + 1n, s],
    [r, s + 1n],
    [r + Fn.ORDER, s],
    [r, s + Fn.ORDER],
    [0n, s],
    [r, 0n],
  ] as const;
  return isValid([r, s]) && isValid([r, Fn.neg(s)]) && !invalid.some(isValid);
}

/** Signatures of the self-test, which takes some milliseconds once, before the first key gets a table. */
const SIGNATURES = 8;

/** Signatures of OpenSSL are valid, and invalid for another message or with a flipped bit. */
function agreesWithSigner(verifies: VerifyMessage, privateKey: KeyObject): boolean {
  return Array.from({ length: SIGNATURES }, (_, index) => {
    const message = Buffer.from(`countersign ${index}`);
    const signature = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    const altered = Buffer.from(signature);
    altered[index * 8] = (signature[index * 8] as number) ^ (1 << (index % 8));
    return verifies(message, signature) && !verifies(Buffer.from('other'), signature) && !verifies(message, altered);
  }).every(Boolean);
}
