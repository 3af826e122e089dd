import { ECDH } from 'node:crypto';
import type { ApiKeyCurve } from '@countersign/contract';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ed25519Prefixes, p256Steps, secp256k1Steps } from './weak-keys-table.ts';

/**
 * Whether everyone knows the private key of a public key, because it is a small number: k and -k for k from 1 to 65,536 on P-256 and
 * secp256k1, and the seeds 0 to 65,536 of Ed25519, as 32 bytes in either order. `publicKey` is a point of its curve, compressed if the
 * curve has a compressed form. One in ten million other keys is reported too.
 */
export function isWeakKey(publicKey: Uint8Array, curve: ApiKeyCurve): boolean {
  return checks[curve](publicKey);
}

const checks: Readonly<Record<ApiKeyCurve, (publicKey: Uint8Array) => boolean>> = {
  API_KEY_CURVE_P256: lazily(() => smallMultiples(p256.Point, 'prime256v1', p256Steps)),
  API_KEY_CURVE_SECP256K1: lazily(() => smallMultiples(secp256k1.Point, 'secp256k1', secp256k1Steps)),
  API_KEY_CURVE_ED25519: lazily(() => seeds(ed25519Prefixes)),
};

/** Reads the table on the first check. */
function lazily(open: () => (publicKey: Uint8Array) => boolean): (publicKey: Uint8Array) => boolean {
  let check: ReturnType<typeof open> | undefined;
  return (publicKey) => {
    check ??= open();
    return check(publicKey);
  };
}

/** The bytes of a coordinate or a key that the tables contain. */
const PREFIX_BYTES = 5;
/** The first multiples of the generator, whose x the table contains. */
const SMALL_STEPS = 4096;
/** With the small steps on both sides, multiples of this step cover every number up to 69,640. */
const BIG_STEP = 2 * SMALL_STEPS + 1;
const BIG_STEPS = 8;

/**
 * Baby-step giant-step: k = i * BIG_STEP + j with |j| <= SMALL_STEPS. So P is a small multiple if the table contains the x of one of the
 * points P and P ± i * BIG_STEP * G. A point and its negative have the same x.
 */
function smallMultiples(Point: typeof p256.Point | typeof secp256k1.Point, curve: string, table: string) {
  const small = new Set(readPrefixes(Buffer.from(table, 'base64')));
  const { Fp } = Point;
  const big = Array.from({ length: BIG_STEPS }, (_, index) => Point.BASE.multiply(BigInt((index + 1) * BIG_STEP)).toAffine());
  const isSmall = (x: bigint) => small.has(Number(x >> BigInt(256 - 8 * PREFIX_BYTES)));
  return (publicKey: Uint8Array): boolean => {
    // OpenSSL decompresses faster than BigInt arithmetic.
    const point = ECDH.convertKey(publicKey, curve, undefined, 'hex', 'uncompressed') as string;
    const [x, y] = [BigInt(`0x${point.slice(2, 66)}`), BigInt(`0x${point.slice(66)}`)];
    if (isSmall(x) || big.some((step) => step.x === x)) return true;
    const inverses = Fp.invertBatch(big.map((step) => Fp.sub(step.x, x)));
    return big.some((step, index) =>
      [step.y, Fp.neg(step.y)].some((stepY) => {
        const slope = Fp.mul(Fp.sub(stepY, y), inverses[index] as bigint);
        return isSmall(Fp.sub(Fp.sub(Fp.sqr(slope), x), step.x));
      }),
    );
  };
}

/** The prefixes in a table, one after the other. */
function* readPrefixes(bytes: Buffer): Iterable<number> {
  for (let at = 0; at < bytes.length; at += PREFIX_BYTES) yield bytes.readUIntBE(at, PREFIX_BYTES);
}

/** The first two bytes of a prefix choose one of these groups. The table contains the size of each group, then the other bytes of all. */
const GROUPS = 65_536;
const REST_BYTES = PREFIX_BYTES - 2;

function seeds(table: string) {
  const bytes = Buffer.from(table, 'base64');
  const ends = new Uint32Array(GROUPS);
  let end = 0;
  for (let group = 0; group < GROUPS; group++) {
    end += bytes[group] as number;
    ends[group] = end;
  }
  return (publicKey: Uint8Array): boolean => {
    const key = Buffer.from(publicKey);
    const group = key.readUInt16BE(0);
    const rest = key.readUIntBE(2, REST_BYTES);
    const start = group === 0 ? 0 : (ends[group - 1] as number);
    for (let at = start; at < (ends[group] as number); at++)
      if (bytes.readUIntBE(GROUPS + at * REST_BYTES, REST_BYTES) === rest) return true;
    return false;
  };
}
