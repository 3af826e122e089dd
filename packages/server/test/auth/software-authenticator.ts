import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { PasskeyStamp } from '../../src/auth/api-key/stamp.ts';
import type { Attestation } from '../../src/auth/webauthn/registration.ts';
import { toCbor, type Writable } from './cbor-writer.ts';

export const UP = 0x01;
export const UV = 0x04;
export const BACKUP_ELIGIBLE = 0x08;
export const BACKED_UP = 0x10;
export const ATTESTED = 0x40;
export const EXTENSIONS = 0x80;

/** What a test may change in a ceremony. Everything else is as a real browser and authenticator do it. */
export interface Bend {
  readonly type?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly flags?: number;
  readonly counter?: number;
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** The whole text of the client data. */
  readonly clientDataText?: string;
  /** Bytes after the authenticator data. */
  readonly extra?: Uint8Array;
}

export interface RegistrationBend extends Bend {
  readonly format?: string;
  /** Makes the attestation statement from the data that an authenticator signs. */
  readonly statement?: (authData: Uint8Array, clientDataHash: Uint8Array) => Writable;
  readonly publicKeyCose?: Uint8Array;
  readonly aaguid?: Uint8Array;
  /** Makes the attestation object from authenticator data, instead of the usual map. */
  readonly object?: (authData: Uint8Array) => Uint8Array;
}

type Algorithm = 'ES256' | 'RS256';

/** A software passkey for one relying party, together with its browser. */
export class SoftwareAuthenticator {
  readonly credentialId: Buffer;
  readonly publicKeyCose: Buffer;
  readonly privateKey: KeyObject;
  readonly origin = 'https://app.example.com';
  readonly rpId = 'example.com';
  counter = 1;

  constructor(algorithm: Algorithm = 'ES256', credentialId: Buffer = randomBytes(32)) {
    const pair =
      algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.credentialId = credentialId;
    this.privateKey = pair.privateKey;
    this.publicKeyCose = toCbor(coseKey(pair.publicKey));
  }

  /** Signs as the credential does. */
  sign(message: Uint8Array): Buffer {
    return sign('sha256', message, this.privateKey);
  }

  /** Stamps a challenge, like navigator.credentials.get. */
  get(challenge: string, bend: Bend = {}): PasskeyStamp {
    const clientDataJson = this.clientData('webauthn.get', challenge, bend);
    const authenticatorData = Buffer.concat([this.authenticatorData(bend, UP | UV), bend.extra ?? Buffer.alloc(0)]);
    const signature = this.sign(Buffer.concat([authenticatorData, sha256(clientDataJson)]));
    this.counter++;
    return {
      kind: 'passkey',
      credentialId: this.credentialId.toString('base64url'),
      authenticatorData,
      clientDataJson,
      signature,
    };
  }

  /** Registers with a challenge, like navigator.credentials.create, with the protocol's names. */
  create(challenge: string, bend: RegistrationBend = {}): Attestation {
    const clientDataJson = this.clientData('webauthn.create', challenge, bend);
    const idLength = Buffer.alloc(2);
    idLength.writeUInt16BE(this.credentialId.length);
    const authData = Buffer.concat([
      this.authenticatorData(bend, UP | UV | ATTESTED),
      bend.aaguid ?? Buffer.alloc(16),
      idLength,
      this.credentialId,
      bend.publicKeyCose ?? this.publicKeyCose,
      bend.extra ?? Buffer.alloc(0),
    ]);
    const statement = bend.statement?.(authData, sha256(clientDataJson)) ?? new Map();
    const usual = () =>
      toCbor(
        new Map<Writable, Writable>([
          ['fmt', bend.format ?? 'none'],
          ['attStmt', statement],
          ['authData', authData],
        ]),
      );
    return {
      credentialId: this.credentialId.toString('base64url'),
      clientDataJson: clientDataJson.toString('base64url'),
      attestationObject: Buffer.from(bend.object?.(authData) ?? usual()).toString('base64url'),
      transports: ['AUTHENTICATOR_TRANSPORT_USB'],
    };
  }

  private clientData(type: string, challenge: string, bend: Bend): Buffer {
    const data = {
      type: bend.type ?? type,
      challenge,
      origin: bend.origin ?? this.origin,
      crossOrigin: false,
      ...bend.clientData,
    };
    return Buffer.from(bend.clientDataText ?? JSON.stringify(data));
  }

  private authenticatorData(bend: Bend, flags: number): Buffer {
    const tail = Buffer.alloc(5);
    tail.writeUInt8(bend.flags ?? flags);
    tail.writeUInt32BE(bend.counter ?? this.counter, 1);
    return Buffer.concat([sha256(bend.rpId ?? this.rpId), tail]);
  }
}

export function sha256(data: Uint8Array | string): Buffer {
  return createHash('sha256').update(data).digest();
}

/** RFC 9053 section 7.1.1 and RFC 8230 section 4. */
export function coseKey(publicKey: KeyObject): Map<number, Writable> {
  const { kty, x = '', y = '', n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  return kty === 'EC'
    ? new Map<number, Writable>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes(x)],
        [-3, bytes(y)],
      ])
    : new Map<number, Writable>([
        [1, 3],
        [3, -257],
        [-1, bytes(n)],
        [-2, bytes(e)],
      ]);
}
