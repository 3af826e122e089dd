import { randomBytes } from 'node:crypto';
import type { RawSignature, SigningRequest } from '@countersign/chains';
import type { Secret } from '../keys/secret.ts';
import { hasEvenY, taggedHash } from '../secp256k1/bip340.ts';
import type { Secp256k1 } from '../secp256k1/secp256k1.ts';
import { type CurveKeys, type Signer, unfitRequest } from './curve-keys.ts';

type EcdsaRequest = Extract<SigningRequest, { kind: 'ecdsa' }>;
type SchnorrRequest = Extract<SigningRequest, { kind: 'schnorr' }>;

/** BIP-341: the tweak commits to the key and to the root of a script tree, if there is one. */
function tapTweak(publicKey: Uint8Array, merkleRoot: Uint8Array): Uint8Array {
  return taggedHash('tapTweak', publicKey.subarray(1), merkleRoot);
}

function isFit(request: SigningRequest): boolean {
  if (request.kind === 'ecdsa') return request.digest.length === 32;
  if (request.kind !== 'schnorr' || request.digest.length !== 32) return false;
  return request.tapTweak === undefined || request.tapTweak.length === 0 || request.tapTweak.length === 32;
}

/** ECDSA and BIP-340 Schnorr. The plain bytes stay in one array, which `wipe` overwrites. */
export function secp256k1Keys(k1: Secp256k1): CurveKeys {
  function signSchnorr(request: SchnorrRequest, privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
    const secret = Uint8Array.from(privateKey);
    try {
      if (request.tapTweak !== undefined) {
        if (!hasEvenY(publicKey)) k1.negatePrivateKey(secret);
        if (!k1.addToPrivateKey(secret, tapTweak(publicKey, request.tapTweak))) throw unfitRequest('CURVE_SECP256K1', request);
      }
      // BIP-340 recommends fresh randomness, which protects the nonce against faults and side channels.
      return k1.signSchnorr(request.digest, secret, randomBytes(32));
    } finally {
      secret.fill(0);
    }
  }

  /** The key that verifies the signature, computed from public bytes alone. */
  function schnorrPublicKey(request: SchnorrRequest, publicKey: Uint8Array): Uint8Array {
    if (request.tapTweak === undefined) return publicKey;
    const even = Uint8Array.of(0x02, ...publicKey.subarray(1));
    return k1.addToPublicKey(even, tapTweak(publicKey, request.tapTweak));
  }

  function open(secret: Secret, publicKey: Uint8Array): Signer {
    return {
      sign(request) {
        if (!isFit(request)) throw unfitRequest('CURVE_SECP256K1', request);
        if (request.kind === 'ecdsa') return k1.signEcdsa(request.digest, secret.bytes);
        if (request.kind === 'schnorr') return { bytes: signSchnorr(request, secret.bytes, publicKey), recovery: 0 };
        throw unfitRequest('CURVE_SECP256K1', request);
      },
      verify(request, signature) {
        if (request.kind === 'ecdsa') return k1.verifyEcdsa(signature, request.digest, publicKey);
        if (request.kind === 'schnorr')
          return k1.verifySchnorr(signature.bytes, request.digest, schnorrPublicKey(request, publicKey));
        return false;
      },
      wipe: () => secret.wipe(),
    };
  }

  /** Opens a signer that verifies ECDSA with a table of the public key, if the engine has tables. */
  function openWithTables(secret: Secret, publicKey: Uint8Array): Signer {
    const [plain, verifier] = [open(secret, publicKey), k1.openVerifier?.(publicKey)];
    if (verifier === undefined) return plain;
    return {
      sign: plain.sign,
      verify: (request, signature) =>
        isEcdsa(request) ? verifier.verify([signature], [request.digest]) : plain.verify(request, signature),
      verifyAll: (requests, signatures) =>
        requests.every(isEcdsa)
          ? verifier.verify(
              signatures,
              requests.map(({ digest }) => digest),
            )
          : requests.every((request, index) => plain.verify(request, signatures[index] as RawSignature)),
      wipe() {
        verifier.release();
        plain.wipe();
      },
    };
  }

  return Object.freeze<CurveKeys>({
    isPrivateKey: k1.isPrivateKey,
    publicKey: k1.publicKey,
    addMaterial: k1.addToPrivateKey,
    open: openWithTables,
  });
}

/** Whether `EcdsaVerifier` supports the request. */
function isEcdsa(request: SigningRequest): request is EcdsaRequest {
  return request.kind === 'ecdsa' && isFit(request);
}
