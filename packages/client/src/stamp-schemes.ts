import type { ApiKeyCurve } from '@countersign/contract';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

interface CurveKeys {
  readonly newPrivateKey: () => Uint8Array;
  /** The public key in its registered form: compressed, or 32 bytes for ed25519. Throws if the private key is invalid. */
  readonly publicKey: (privateKey: Uint8Array) => Uint8Array;
}

/** Key functions for each curve of API keys. */
export const curveKeys: Readonly<Record<ApiKeyCurve, CurveKeys>> = {
  API_KEY_CURVE_P256: {
    newPrivateKey: () => p256.utils.randomSecretKey(),
    publicKey: (privateKey) => p256.getPublicKey(privateKey, true),
  },
  API_KEY_CURVE_SECP256K1: {
    newPrivateKey: () => secp256k1.utils.randomSecretKey(),
    publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, true),
  },
  API_KEY_CURVE_ED25519: {
    newPrivateKey: () => ed25519.utils.randomSecretKey(),
    publicKey: (privateKey) => ed25519.getPublicKey(privateKey),
  },
};

interface Scheme {
  readonly curve: ApiKeyCurve;
  readonly sign: (body: Uint8Array, privateKey: Uint8Array) => Uint8Array;
}

/** EIP-191 version 0x45: the prefix of personal messages. */
const personalMessage = (body: Uint8Array) => concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${body.length}`), body);

/** All API key stamp schemes. The first scheme of a curve is its default. */
export const stampSchemes = {
  SIGNATURE_SCHEME_TK_API_P256: {
    curve: 'API_KEY_CURVE_P256',
    sign: (body, privateKey) => p256.sign(body, privateKey, { format: 'der' }),
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1: {
    curve: 'API_KEY_CURVE_SECP256K1',
    sign: (body, privateKey) => secp256k1.sign(body, privateKey, { format: 'der' }),
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: {
    curve: 'API_KEY_CURVE_SECP256K1',
    sign: (body, privateKey) => secp256k1.sign(keccak_256(personalMessage(body)), privateKey, { format: 'der', prehash: false }),
  },
  SIGNATURE_SCHEME_TK_API_ED25519: {
    curve: 'API_KEY_CURVE_ED25519',
    sign: (body, privateKey) => ed25519.sign(body, privateKey),
  },
} as const satisfies Record<string, Scheme>;

export type StampScheme = keyof typeof stampSchemes;
