import { CredentialError } from '../credential-error.ts';
import { readCborItem } from './cbor.ts';

/** What an authenticator sends with its signature (WebAuthn section 6.1). */
export interface AuthenticatorData {
  readonly rpIdHash: Uint8Array;
  readonly userPresent: boolean;
  readonly userVerified: boolean;
  /** Whether the credential can be copied to other devices. It never changes. */
  readonly backupEligible: boolean;
  readonly counter: number;
  /** The new credential. In registrations only. */
  readonly attested?: AttestedCredential;
}

/** A new credential of the authenticator. Its bytes are views of the input. */
export interface AttestedCredential {
  readonly aaguid: Uint8Array;
  readonly credentialId: Uint8Array;
  readonly publicKeyCose: Uint8Array;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const ATTESTED = 0x40;
const EXTENSIONS = 0x80;

const FIXED_LENGTH = 37;

/** Reads authenticator data. Throws a `CredentialError` if it is malformed or if bytes are left over. */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < FIXED_LENGTH) throw new CredentialError('The authenticator data is too short.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint8(32);
  const has = (flag: number) => (flags & flag) !== 0;
  // WebAuthn section 6.1.3: whether it is backed up may change, but only for a credential that can be.
  if (has(BACKED_UP) && !has(BACKUP_ELIGIBLE))
    throw new CredentialError('The authenticator data has the backup state flag without the backup eligibility flag.');

  const attested = has(ATTESTED) ? readAttestedCredential(bytes) : undefined;
  let end = attested?.end ?? FIXED_LENGTH;
  if (has(EXTENSIONS)) {
    const extensions = readCborItem(bytes, end);
    if (!(extensions.value instanceof Map)) throw new CredentialError('The extensions of the authenticator data are not a map.');
    end = extensions.end;
  }
  if (end !== bytes.length) throw new CredentialError('There are extra bytes after the authenticator data.');

  return {
    rpIdHash: bytes.subarray(0, 32),
    userPresent: has(USER_PRESENT),
    userVerified: has(USER_VERIFIED),
    backupEligible: has(BACKUP_ELIGIBLE),
    counter: view.getUint32(33),
    ...(attested && { attested: attested.credential }),
  };
}

/** WebAuthn section 6.5.1: AAGUID, length and bytes of the credential id, and the public key as one CBOR item. */
function readAttestedCredential(bytes: Uint8Array): { readonly credential: AttestedCredential; readonly end: number } {
  const idStart = FIXED_LENGTH + 18;
  if (bytes.length < idStart) throw new CredentialError('The authenticator data is too short.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const idLength = view.getUint16(FIXED_LENGTH + 16);
  // WebAuthn section 4, Credential ID: at least 16 bytes; section 7.1 step 25: at most 1023.
  if (idLength < 16 || idLength > 1023) throw new CredentialError('The credential id must have 16 to 1023 bytes.');
  const keyStart = idStart + idLength;
  if (bytes.length < keyStart) throw new CredentialError('The authenticator data is too short.');
  const { end } = readCborItem(bytes, keyStart);
  const credential = {
    aaguid: bytes.subarray(FIXED_LENGTH, FIXED_LENGTH + 16),
    credentialId: bytes.subarray(idStart, keyStart),
    publicKeyCose: bytes.subarray(keyStart, end),
  };
  return { credential, end };
}
