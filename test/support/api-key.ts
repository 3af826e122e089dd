import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { ApiKeyCurve } from '@countersign/contract';
import { keccak_256 } from '@noble/hashes/sha3.js';
import libsecp256k1 from 'secp256k1';

/** The content of a stamp: JSON in base64url, `<public key>.<signature>`, or anything that a test sends. */
export interface StampFields {
  readonly publicKey: string;
  readonly scheme: string;
  readonly signature: string;
}

/** A key pair that stamps bodies. It shares no code with the service or its client. */
export interface ApiKey {
  readonly publicKey: string;
  /** 64 hex digits. */
  readonly privateKey: string;
  readonly curve: ApiKeyCurve;
  readonly scheme: string;
  sign(body: Uint8Array): Buffer;
}

interface Kind {
  readonly curve: ApiKeyCurve;
  generate(): KeyObject;
  sign(key: KeyObject, secret: Buffer, body: Uint8Array): Buffer;
}

const ecdsa = (key: KeyObject, _secret: Buffer, body: Uint8Array) => sign('sha256', body, key);

/** Every scheme, by its name on the wire. */
export const stampKinds = {
  SIGNATURE_SCHEME_TK_API_P256: {
    curve: 'API_KEY_CURVE_P256',
    generate: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    sign: ecdsa,
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1: {
    curve: 'API_KEY_CURVE_SECP256K1',
    generate: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey,
    sign: ecdsa,
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: {
    curve: 'API_KEY_CURVE_SECP256K1',
    generate: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey,
    sign(_key, secret, body) {
      const digest = keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`), body]));
      return Buffer.from(libsecp256k1.signatureExport(libsecp256k1.ecdsaSign(digest, secret).signature));
    },
  },
  SIGNATURE_SCHEME_TK_API_ED25519: {
    curve: 'API_KEY_CURVE_ED25519',
    generate: () => generateKeyPairSync('ed25519').privateKey,
    sign: (key, _secret, body) => sign(null, body, key),
  },
} as const satisfies Record<string, Kind>;

export type StampKind = keyof typeof stampKinds;

/** A new key that stamps in one scheme. */
export function newApiKey(scheme: StampKind = 'SIGNATURE_SCHEME_TK_API_P256'): ApiKey {
  return toApiKey(scheme, stampKinds[scheme].generate());
}

/** The key that `init` saved, or any other P-256 key in hexadecimal. */
export function importApiKey({ apiPublicKey, apiPrivateKey }: { apiPublicKey: string; apiPrivateKey: string }): ApiKey {
  // RFC 5915 with a named curve and no public key: OpenSSL computes it.
  const der = Buffer.from(`30310201010420${apiPrivateKey}a00a06082a8648ce3d030107`, 'hex');
  const key = toApiKey('SIGNATURE_SCHEME_TK_API_P256', createPrivateKey({ key: der, format: 'der', type: 'sec1' }));
  if (key.publicKey !== apiPublicKey) throw new Error('the two halves of the saved key do not belong together');
  return key;
}

function toApiKey(scheme: StampKind, key: KeyObject): ApiKey {
  const kind: Kind = stampKinds[scheme];
  const { x = '', y = '', d = '' } = key.export({ format: 'jwk' });
  const [first, last] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url').at(-1)];
  const prefix = last === undefined ? Buffer.alloc(0) : Buffer.of(last % 2 === 0 ? 2 : 3);
  const secret = Buffer.from(d, 'base64url');
  return {
    publicKey: Buffer.concat([prefix, first]).toString('hex'),
    privateKey: secret.toString('hex'),
    curve: kind.curve,
    scheme,
    sign: (body) => kind.sign(key, secret, body),
  };
}

/** The fields of a valid stamp over a body. */
export function stampFields(key: ApiKey, body: Uint8Array): StampFields {
  return { publicKey: key.publicKey, scheme: key.scheme, signature: key.sign(body).toString('hex') };
}

/** The `X-Stamp` header with the given fields, valid or not. */
export function encodeStamp(fields: object): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}
