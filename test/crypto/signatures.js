import { createPublicKey, hash, randomBytes, randomInt, verify } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import elliptic from 'elliptic';
import bindings from 'secp256k1';
import * as wasm from 'tiny-secp256k1';

const SPKI = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');
/** Cases of one key: making the addon's table takes as long as some hundred verifications. */
const CASES_PER_KEY = 500;

const scalar = (value) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const compact = ({ r, s }) => Buffer.concat([scalar(r), scalar(s)]);
const numbers = (bytes) => ({
  r: BigInt(`0x${bytes.subarray(0, 32).toString('hex')}`),
  s: BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`),
});

/** Ways to alter a signature. Half of all cases are left as they are. */
function alterations({ ORDER: order }, prime) {
  const edges = [0n, 1n, 2n, order / 2n, order / 2n + 1n, order - 1n, order, order + 1n, prime - 1n, prime, (1n << 256n) - 1n];
  const edge = () => edges[randomInt(edges.length)];
  return [
    ({ r, s }) => ({ r, s: order - s }),
    ({ s }) => ({ r: edge(), s }),
    ({ r }) => ({ r, s: edge() }),
    () => ({ r: edge(), s: edge() }),
    ({ r, s }) => ({ r: s, s: r }),
    ({ r, s }) => ({ r: r ^ (1n << BigInt(randomInt(256))), s }),
    ({ r, s }) => ({ r, s: s ^ (1n << BigInt(randomInt(256))) }),
    () => numbers(randomBytes(64)),
  ];
}

/** A function that never throws: what cannot be read is not valid. */
const judged = (check) => (input) => {
  try {
    return String(check(input));
  } catch {
    return 'false';
  }
};

/** Signatures of P-256 over SHA-256 of messages. A high s is valid. */
export function p256Cases(addon) {
  const curve = new elliptic.ec('p256');
  const altered = alterations(p256.Point.Fn, p256.Point.Fp.ORDER);
  let key;
  return {
    async next(index) {
      if (index % CASES_PER_KEY === 0) {
        const secret = p256.utils.randomSecretKey();
        const point = p256.getPublicKey(secret, true);
        const object = createPublicKey({ key: Buffer.concat([SPKI, point]), format: 'der', type: 'spki' });
        key = { secret, point, object, other: curve.keyFromPublic(point), verifies: await addon.p256Verifier(point) };
      }
      const message = randomBytes(randomInt(300));
      const digest = hash('sha256', message, 'buffer');
      const good = numbers(Buffer.from(p256.sign(digest, key.secret, { prehash: false, lowS: false })));
      const pair = randomInt(2) === 0 ? good : altered[randomInt(altered.length)](good);
      return { ...key, message, digest, pair, signature: compact(pair) };
    },
    implementations: {
      addon: judged(({ verifies, message, signature }) => verifies(message, signature)),
      OpenSSL: judged(({ object, message, signature }) =>
        verify('sha256', message, { key: object, dsaEncoding: 'ieee-p1363' }, signature),
      ),
      noble: judged(({ point, digest, signature }) => p256.verify(signature, digest, point, { prehash: false, lowS: false })),
      elliptic: judged(({ other, digest, signature: bytes }) =>
        other.verify(digest, { r: bytes.toString('hex', 0, 32), s: bytes.toString('hex', 32) }),
      ),
    },
  };
}

/** Signatures of secp256k1 over digests with a recovery bit. A high s or another bit is not valid. */
export function secp256k1Cases(addon) {
  const curve = new elliptic.ec('secp256k1');
  const { Fn, Fp } = secp256k1.Point;
  const altered = alterations(Fn, Fp.ORDER);
  const isLow = ({ s }) => s <= Fn.ORDER / 2n;
  const same = (one, other) => Buffer.compare(one, other) === 0;
  let key;
  return {
    async next(index) {
      if (index % CASES_PER_KEY === 0) {
        const secret = secp256k1.utils.randomSecretKey();
        const point = secp256k1.getPublicKey(secret, true);
        key = { secret, point, checks: addon.secp256k1Checker(point, randomInt(2) === 0) };
      }
      const digest = randomBytes(32);
      const { signature: bytes, recid } = bindings.ecdsaSign(digest, key.secret);
      const good = numbers(Buffer.from(bytes));
      const pair = randomInt(2) === 0 ? good : altered[randomInt(altered.length)](good);
      const recovery = randomInt(8) === 0 ? 1 - (recid & 1) : recid & 1;
      return { ...key, digest, pair, recovery, signature: compact(pair) };
    },
    implementations: {
      addon: judged(({ checks, digest, recovery, signature }) =>
        checks(Buffer.concat([signature, Uint8Array.of(recovery)]), digest),
      ),
      libsecp256k1: judged(
        ({ point, digest, recovery, signature }) =>
          bindings.ecdsaVerify(signature, digest, point) && same(bindings.ecdsaRecover(signature, recovery, digest, true), point),
      ),
      WebAssembly: judged(
        ({ point, digest, recovery, signature }) =>
          wasm.verify(digest, point, signature, true) && same(wasm.recover(digest, signature, recovery, true), point),
      ),
      noble: judged(
        ({ point, digest, recovery, signature }) =>
          secp256k1.verify(signature, digest, point, { prehash: false, lowS: true }) &&
          same(
            secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(recovery).recoverPublicKey(digest).toBytes(true),
            point,
          ),
      ),
      elliptic: judged(({ point, digest, pair, recovery, signature: bytes }) => {
        const given = { r: bytes.toString('hex', 0, 32), s: bytes.toString('hex', 32) };
        if (!isLow(pair) || !curve.keyFromPublic(point).verify(digest, given)) return false;
        return same(Buffer.from(curve.recoverPubKey(digest, given, recovery).encodeCompressed()), point);
      }),
    },
  };
}
