import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { type CurveKeys, unfitRequest } from './curve-keys.ts';

/** RFC 8410: the DER before the 32 bytes of a private key (PKCS #8) and of a public key (SPKI). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

function privateKeyObject(seed: Uint8Array): KeyObject {
  const der = Buffer.alloc(PKCS8_PREFIX.length + 32);
  der.set(PKCS8_PREFIX);
  der.set(seed, PKCS8_PREFIX.length);
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } finally {
    der.fill(0);
  }
}

function publicKeyObject(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
}

/**
 * Ed25519 by OpenSSL. Each signer makes its key objects once: making one costs many times a signature.
 * SECURITY: JavaScript cannot overwrite a key object. `wipe` drops it, and OpenSSL cleanses its memory when it is collected.
 */
export const ed25519Keys: CurveKeys = Object.freeze<CurveKeys>({
  // RFC 8032: any 32 bytes are a private key. SECURITY: all zeros is an unfilled buffer, and a key that anyone can guess.
  isPrivateKey: (privateKey) => privateKey.length === 32 && privateKey.some((byte) => byte !== 0),
  publicKey: (privateKey) =>
    new Uint8Array(
      createPublicKey(privateKeyObject(privateKey)).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length),
    ),
  addMaterial(privateKey, material) {
    privateKey.set(material);
    return true;
  },
  open(secret, publicKey) {
    let signingKey: KeyObject | undefined = privateKeyObject(secret.bytes);
    const verifyingKey = publicKeyObject(publicKey);
    secret.wipe();
    return {
      sign(request) {
        if (request.kind !== 'ed25519') throw unfitRequest('CURVE_ED25519', request);
        if (signingKey === undefined) throw new Error('this key was wiped');
        return { bytes: sign(null, request.message, signingKey), recovery: 0 };
      },
      verify: (request, signature) => request.kind === 'ed25519' && verify(null, request.message, verifyingKey, signature.bytes),
      wipe() {
        signingKey = undefined;
      },
    };
  },
});
