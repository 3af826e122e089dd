import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';

const sha256 = (data) => createHash('sha256').update(data).digest();
const bytes = (data) => Buffer.concat([data.length < 24 ? Buffer.of(0x40 | data.length) : Buffer.of(0x58, data.length), data]);
const text = (value) => Buffer.concat([Buffer.of(0x60 | value.length), Buffer.from(value)]);

/** A registration of a new passkey, as a browser returns it: ES256, no attestation (WebAuthn section 6.5). */
export function newPasskey(authenticatorName) {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  // RFC 9053 section 7.1.1: {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  const cose = Buffer.concat([
    Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21),
    bytes(Buffer.from(x, 'base64url')),
    Buffer.of(0x22),
    bytes(Buffer.from(y, 'base64url')),
  ]);
  const credentialId = randomBytes(32);
  // Flags: user present, user verified, attested credential data.
  const authData = Buffer.concat([
    sha256('example.com'),
    Buffer.of(0x45, 0, 0, 0, 0),
    Buffer.alloc(16),
    Buffer.of(0, 32),
    credentialId,
    cose,
  ]);
  const attestationObject = Buffer.concat([
    Buffer.of(0xa3),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.of(0xa0),
    text('authData'),
    bytes(authData),
  ]);
  const challenge = randomBytes(32).toString('base64url');
  const clientData = { type: 'webauthn.create', challenge, origin: 'https://app.example.com', crossOrigin: false };
  return {
    authenticatorName,
    challenge,
    attestation: {
      credentialId: credentialId.toString('base64url'),
      clientDataJson: Buffer.from(JSON.stringify(clientData)).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL'],
    },
  };
}
