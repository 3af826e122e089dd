import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import {
  cosignatureVerifier,
  ed25519Verifier,
  keyId,
  type NoteSignature,
  type NoteVerifier,
  parseCheckpoint,
  type SignerKey,
  TlogError,
  type VerifierKey,
  verifierKeyOf,
} from '@countersign/tlog';

// RFC 8410 sections 4 and 7: the DER before the 32 bytes of an Ed25519 key.
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** C2SP tlog-cosignature: what a cosignature signs before the text. */
const HEADER = 'cosignature/v1\n';
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;

const cosignedMessage = (text: string, time: bigint) => Buffer.from(`${HEADER}time ${time}\n${text}`, 'utf8');

function publicKeyOf({ publicKey }: VerifierKey): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' });
}

/** The verifier of the package with the native check: a witness of many logs verifies several signatures for each request. */
export function nativeLogVerifier(key: VerifierKey): NoteVerifier {
  const publicKey = publicKeyOf(key);
  return {
    ...ed25519Verifier(key),
    verify: (text, signature) =>
      signature.length === SIGNATURE_BYTES &&
      !text.startsWith(HEADER) &&
      verify(null, Buffer.from(text, 'utf8'), publicKey, signature),
  };
}

/** The same for the cosignatures of a witness. */
export function nativeCosignatureVerifier(key: VerifierKey): NoteVerifier {
  const publicKey = publicKeyOf(key);
  return {
    ...cosignatureVerifier(key),
    verify(text, signature) {
      if (signature.length !== TIME_BYTES + SIGNATURE_BYTES || !isCheckpoint(text)) return false;
      const time = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
      return time < 2n ** 63n && verify(null, cosignedMessage(text, time), publicKey, signature.subarray(TIME_BYTES));
    },
  };
}

/** Cosigns as `cosign` of the package does, with the same bytes. Throws TlogError for a text that is no checkpoint. */
export function nativeCosigner(key: SignerKey): (text: string, timeSeconds: bigint) => NoteSignature {
  const verifierKey = verifierKeyOf(key);
  if (key.type !== 'cosignature') throw new TlogError('this is not a key for cosignatures');
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, key.seed]), format: 'der', type: 'pkcs8' });
  const id = keyId(verifierKey);
  return (text, timeSeconds) => {
    parseCheckpoint(text);
    const time = Buffer.alloc(TIME_BYTES);
    time.writeBigUInt64BE(timeSeconds);
    const signature = new Uint8Array(Buffer.concat([time, sign(null, cosignedMessage(text, timeSeconds), privateKey)]));
    return { name: key.name, keyId: id, signature };
  };
}

function isCheckpoint(text: string): boolean {
  try {
    parseCheckpoint(text);
    return true;
  } catch (error) {
    if (error instanceof TlogError) return false;
    throw error;
  }
}
