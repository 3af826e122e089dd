import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { CredentialFault } from './credential-fault.ts';

interface CurveRule {
  /** The only text a public key has, once in lower case. */
  readonly text: RegExp;
  readonly shape: string;
  /** Whether the bytes are a point that signatures may be checked with. May throw instead of answering false. */
  isUsable(publicKey: Uint8Array): boolean;
}

const COMPRESSED = /^0[23][0-9a-f]{64}$/;
const COMPRESSED_SHAPE = 'the compressed form: 66 hex digits that begin with 02 or 03';

/** How a public key of each curve is written. */
const curveRules = {
  API_KEY_CURVE_P256: {
    text: COMPRESSED,
    shape: COMPRESSED_SHAPE,
    isUsable(publicKey) {
      p256.Point.fromBytes(publicKey).assertValidity();
      return true;
    },
  },
  API_KEY_CURVE_SECP256K1: {
    text: COMPRESSED,
    shape: COMPRESSED_SHAPE,
    isUsable(publicKey) {
      secp256k1.Point.fromBytes(publicKey).assertValidity();
      return true;
    },
  },
  API_KEY_CURVE_ED25519: {
    text: /^[0-9a-f]{64}$/,
    shape: '64 hex digits',
    isUsable(publicKey) {
      // SECURITY: RFC 8032 section 5.1.3 decoding refuses y >= p, which would give a point a second name. A point with a
      // low-order part would let one signature hold for many messages or keys; no honest key has one.
      const point = ed25519.Point.fromBytes(publicKey, false);
      return !point.isSmallOrder() && point.isTorsionFree();
    },
  },
} as const satisfies Record<string, CurveRule>;

/** The curves of API keys, by their wire names. */
export type ApiKeyCurve = keyof typeof curveRules;

/** All of them. */
export const apiKeyCurves = Object.freeze(Object.keys(curveRules) as ApiKeyCurve[]);

/**
 * The one text by which a public key of this curve is known, or undefined where the text cannot be one. Cheap: says nothing about
 * the point itself. Whoever looks up a stamp's key needs no more, since only keys that `canonicalPublicKey` took are registered.
 */
export function publicKeyName(text: string, curve: ApiKeyCurve): string | undefined {
  const lower = text.toLowerCase();
  return curveRules[curve].text.test(lower) ? lower : undefined;
}

/**
 * The canonical text of a public key that is to be registered: lower-case hex, compressed where the curve knows that.
 * INVARIANT: two texts that give the same answer are the same key, and a key has one answer only, so it cannot become two identities.
 * Throws a `CredentialFault` for another encoding, and for a point that is not on the curve or not fit for signatures.
 */
export function canonicalPublicKey(text: string, curve: ApiKeyCurve): string {
  const name = publicKeyName(text, curve);
  const rule: CurveRule = curveRules[curve];
  if (name === undefined) throw new CredentialFault(`The public key must be written in ${rule.shape}.`);
  if (!isUsable(rule, name)) throw new CredentialFault('The public key is not a usable point of its curve.');
  return name;
}

function isUsable(rule: CurveRule, name: string): boolean {
  try {
    return rule.isUsable(Buffer.from(name, 'hex'));
  } catch {
    // The curve library throws for bytes that are no point, which is an answer here.
    return false;
  }
}
