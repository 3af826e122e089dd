import { CredentialError } from '../credential-error.ts';
import { isUsablePoint } from './usable-point.ts';
import { isWeakKey } from './weak-keys.ts';

interface CurveRule {
  /** The one text of a public key, in lower case. */
  readonly text: RegExp;
  readonly shape: string;
  /** Whether the bytes are a point that can verify signatures. May throw instead of returning false. */
  isUsable(publicKey: Uint8Array): boolean;
}

const COMPRESSED = /^0[23][0-9a-f]{64}$/;
const COMPRESSED_SHAPE = 'the compressed form: 66 hex digits that begin with 02 or 03';

/** How a public key of each curve is written. */
const curveRules = {
  API_KEY_CURVE_P256: { text: COMPRESSED, shape: COMPRESSED_SHAPE, isUsable: isUsablePoint.p256 },
  API_KEY_CURVE_SECP256K1: { text: COMPRESSED, shape: COMPRESSED_SHAPE, isUsable: isUsablePoint.secp256k1 },
  API_KEY_CURVE_ED25519: { text: /^[0-9a-f]{64}$/, shape: '64 hex digits', isUsable: isUsablePoint.ed25519 },
} as const satisfies Record<string, CurveRule>;

/** The curves of API keys, by their wire names. */
export type ApiKeyCurve = keyof typeof curveRules;

/** Every curve. */
export const apiKeyCurves = Object.freeze(Object.keys(curveRules) as ApiKeyCurve[]);

/**
 * The canonical text of a public key of this curve, or undefined if the text cannot be one. Cheap: does not check the point. That is
 * enough to look up the key of a stamp, because every registered key has passed `canonicalPublicKey`.
 */
export function publicKeyName(text: string, curve: ApiKeyCurve): string | undefined {
  const lower = text.toLowerCase();
  return curveRules[curve].text.test(lower) ? lower : undefined;
}

/**
 * The canonical text of a public key to register: lower-case hex, compressed if the curve has a compressed form.
 * INVARIANT: each key has exactly one canonical text, and each canonical text is one key. So one key cannot become two identities.
 * Throws a `CredentialError` for another encoding, and for a point that is off the curve or unfit for signatures.
 */
export function canonicalPublicKey(text: string, curve: ApiKeyCurve): string {
  const name = publicKeyName(text, curve);
  const rule: CurveRule = curveRules[curve];
  if (name === undefined) throw new CredentialError(`The public key must be written in ${rule.shape}.`);
  if (!isUsable(rule, name)) throw new CredentialError('The public key is not a usable point of its curve.');
  return name;
}

/** Why a weak key is rejected, as a message for the caller. */
export const WEAK_KEY = 'Everyone knows the private key of this public key. Generate a new key pair.';

/**
 * The canonical text of a public key to register as a credential. Like `canonicalPublicKey`, and throws a `CredentialError` for a key
 * whose private key everyone knows (D284). Keys that are registered already keep working.
 */
export function publicKeyToRegister(text: string, curve: ApiKeyCurve): string {
  const canonical = canonicalPublicKey(text, curve);
  if (isWeakKey(Buffer.from(canonical, 'hex'), curve)) throw new CredentialError(WEAK_KEY);
  return canonical;
}

function isUsable(rule: CurveRule, name: string): boolean {
  try {
    return rule.isUsable(Buffer.from(name, 'hex'));
  } catch {
    // The curve library throws for bytes that are not a point. Here that means false.
    return false;
  }
}
