import type { Curve } from '@countersign/chains';
import type { Secp256k1 } from '../secp256k1/secp256k1.ts';
import type { CurveKeys } from './curve-keys.ts';
import { ed25519Keys } from './ed25519.ts';
import { p256Keys } from './p256.ts';
import { secp256k1Keys } from './secp256k1.ts';

export type KeysByCurve = Readonly<Record<Curve, CurveKeys>>;

/** One entry per curve. */
export function keysByCurve(k1: Secp256k1): KeysByCurve {
  return Object.freeze({ CURVE_SECP256K1: secp256k1Keys(k1), CURVE_P256: p256Keys, CURVE_ED25519: ed25519Keys });
}
