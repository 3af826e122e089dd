import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { VerifierCache } from '../../../src/auth/api-key/schemes.ts';
import { CredentialError } from '../../../src/auth/credential-error.ts';
import { challengeOf, verifyAssertion } from '../../../src/auth/webauthn/assertion.ts';
import {
  type Attestation,
  type RegisteredAuthenticator,
  type RegistrationCheck,
  verifyRegistration,
} from '../../../src/auth/webauthn/registration.ts';
import { attestationCertificate } from '../attestation-certificate.ts';
import { toCbor, type Writable } from '../cbor-writer.ts';
import { lookAlikes } from '../look-alikes.ts';
import {
  ATTESTED,
  BACKED_UP,
  coseKey,
  EXTENSIONS,
  type RegistrationBend,
  SoftwareAuthenticator,
  sha256,
  UP,
  UV,
} from '../software-authenticator.ts';

const challenge = randomBytes(32).toString('base64url');
const key = new SoftwareAuthenticator();

function register(attestation: Attestation, over: Partial<RegistrationCheck> = {}): Promise<RegisteredAuthenticator> {
  return verifyRegistration({
    attestation,
    challenge,
    allowedOrigins: [key.origin],
    rpIds: [key.rpId],
    requireUserVerification: false,
    nowMs: Date.now(),
    ...over,
  });
}

async function expectRefused(attestation: Attestation, message: string, over: Partial<RegistrationCheck> = {}): Promise<void> {
  const refusal = expect(register(attestation, over)).rejects;
  await refusal.toThrow(message);
  await expect(register(attestation, over)).rejects.toBeInstanceOf(CredentialError);
}

describe.each(['ES256', 'RS256'] as const)('%s', (algorithm) => {
  test('a passkey is registered, and its stamps verify with the stored key', async () => {
    const holder = new SoftwareAuthenticator(algorithm);
    const aaguid = randomBytes(16);
    const stored = await register(holder.create(challenge, { aaguid, counter: 3 }), { requireUserVerification: true });
    expect(stored).toEqual({
      credentialId: holder.credentialId.toString('base64url'),
      publicKeyCose: holder.publicKeyCose.toString('base64url'),
      counter: 3,
      aaguid: aaguid.toString('base64url'),
      transports: ['AUTHENTICATOR_TRANSPORT_USB'],
      attestationType: 'none',
      model: 'Security key',
      backupEligible: false,
      rpId: 'example.com',
    });

    const body = Buffer.from('{"organizationId":"o"}');
    const taken = verifyAssertion({
      stamp: holder.get(challengeOf(body), { counter: 4 }),
      body,
      authenticator: stored,
      allowedOrigins: [holder.origin],
      rpIds: [stored.rpId],
      requireUserVerification: true,
      verifiers: new VerifierCache(),
    });
    expect(taken).toEqual({ counter: 4 });
  });
});

test.each([
  [['AUTHENTICATOR_TRANSPORT_INTERNAL', 'AUTHENTICATOR_TRANSPORT_HYBRID'], 'Passkey'],
  [['AUTHENTICATOR_TRANSPORT_HYBRID'], 'Passkey'],
  [['AUTHENTICATOR_TRANSPORT_NFC', 'AUTHENTICATOR_TRANSPORT_BLE'], 'Security key'],
  [[], 'Security key'],
])('transports %j are called %s', async (transports, model) => {
  expect(await register({ ...key.create(challenge), transports })).toMatchObject({ transports, model });
});

describe('attestation statements', () => {
  const self = (signer: SoftwareAuthenticator) => (authData: Uint8Array, hash: Uint8Array) =>
    new Map<Writable, Writable>([
      ['alg', -7],
      ['sig', signer.sign(Buffer.concat([authData, hash]))],
    ]);

  test('packed, signed by the credential itself', async () => {
    expect(await register(key.create(challenge, { format: 'packed', statement: self(key) }))).toMatchObject({
      attestationType: 'self',
    });
    await expectRefused(
      key.create(challenge, { format: 'packed', statement: self(new SoftwareAuthenticator()) }),
      'does not verify',
    );
    await expectRefused(key.create(challenge, { format: 'packed' }), 'does not verify');
  });

  const maker = attestationCertificate();
  const certified =
    (privateKey = maker.privateKey) =>
    (authData: Uint8Array, hash: Uint8Array) =>
      new Map<Writable, Writable>([
        ['alg', -7],
        ['sig', sign('sha256', Buffer.concat([authData, hash]), privateKey)],
        ['x5c', [maker.certificate]],
      ]);

  test('packed, signed with a certificate', async () => {
    expect(await register(key.create(challenge, { format: 'packed', statement: certified() }))).toMatchObject({
      attestationType: 'basic',
    });
    await expectRefused(
      key.create(challenge, { format: 'packed', statement: certified(attestationCertificate().privateKey) }),
      'does not verify',
    );
  });

  test('fido-u2f', async () => {
    const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    const publicKeyCose = toCbor(
      new Map<Writable, Writable>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, point.subarray(1, 33)],
        [-3, point.subarray(33)],
      ]),
    );
    const statement = (_: Uint8Array, hash: Uint8Array) => {
      const message = Buffer.concat([Buffer.of(0), sha256(key.rpId), hash, key.credentialId, point]);
      return new Map<Writable, Writable>([
        ['sig', sign('sha256', message, maker.privateKey)],
        ['x5c', [maker.certificate]],
      ]);
    };
    expect(await register(key.create(challenge, { format: 'fido-u2f', statement, publicKeyCose }))).toMatchObject({
      attestationType: 'basic',
    });
    await expectRefused(key.create(challenge, { format: 'fido-u2f', statement }), 'does not verify');
  });

  test.each(['apple', 'android-key', 'android-safetynet', 'tpm', 'NONE', ''])('the format %j is refused', async (format) => {
    await expectRefused(key.create(challenge, { format }), 'must be in the format none, packed or fido-u2f');
  });

  test('none with a statement is refused', async () => {
    await expectRefused(key.create(challenge, { statement: () => new Map([['sig', Buffer.of(1)]]) }), 'does not verify');
  });
});

describe('D21: refused attestations', () => {
  const ecKey = coseKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
  const rsaKey = coseKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey);
  const bend = (base: ReadonlyMap<number, Writable>, ...entries: readonly [number, Writable][]) =>
    toCbor(new Map([...base, ...entries]));
  const without = (base: ReadonlyMap<number, Writable>, label: number) =>
    toCbor(new Map([...base].filter(([name]) => name !== label)));
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
  const x = ecKey.get(-2) as Buffer;
  const n = rsaKey.get(-1) as Buffer;

  test.each<[string, Uint8Array, string]>([
    [
      'EdDSA',
      toCbor(
        new Map<Writable, Writable>([
          [1, 1],
          [3, -8],
          [-1, 6],
          [-2, randomBytes(32)],
        ]),
      ),
      'ES256 or RS256',
    ],
    [
      'ES384',
      toCbor(
        new Map<Writable, Writable>([
          [1, 2],
          [3, -35],
          [-1, 2],
          [-2, Buffer.from(p384.x ?? '', 'base64url')],
          [-3, Buffer.from(p384.y ?? '', 'base64url')],
        ]),
      ),
      'ES256 or RS256',
    ],
    ['ES256K', bend(ecKey, [3, -47], [-1, 8]), 'ES256 or RS256'],
    ['RS1', bend(rsaKey, [3, -65535]), 'ES256 or RS256'],
    ['PS256', bend(rsaKey, [3, -37]), 'ES256 or RS256'],
    ['no algorithm', without(ecKey, 3), 'ES256 or RS256'],
    ['the algorithm as text', bend(ecKey, [3, 'ES256']), 'ES256 or RS256'],
    ['ES256 on another curve', bend(ecKey, [-1, 2]), 'well-formed ES256'],
    ['ES256 with an RSA key type', bend(ecKey, [1, 3]), 'well-formed ES256'],
    ['RS256 with parameters of a curve', bend(ecKey, [3, -257]), 'well-formed RS256'],
    ['no y', without(ecKey, -3), 'well-formed ES256'],
    ['y as a sign bit', bend(ecKey, [-3, true]), 'well-formed ES256'],
    ['a short x', bend(ecKey, [-2, x.subarray(1)]), 'well-formed ES256'],
    ['a padded x', bend(ecKey, [-2, Buffer.concat([Buffer.of(0), x])]), 'well-formed ES256'],
    ['an extra parameter', bend(ecKey, [2, Buffer.of(1)]), 'well-formed ES256'],
    ['a point off the curve', bend(ecKey, [-3, x]), 'not a point'],
    ['the origin of the plane', bend(ecKey, [-2, Buffer.alloc(32)], [-3, Buffer.alloc(32)]), 'not a point'],
    ['x beyond the field', bend(ecKey, [-2, Buffer.alloc(32, 0xff)]), 'not a point'],
    ['RSA of 1,024 bits', toCbor(coseKey(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)), 'well-formed RS256'],
    ['RSA of 8,192 bits', bend(rsaKey, [-1, Buffer.concat([n, n, n, n])]), 'well-formed RS256'],
    ['an even modulus', bend(rsaKey, [-1, Buffer.concat([n.subarray(0, -1), Buffer.of(0)])]), 'well-formed RS256'],
    ['a modulus with a leading zero', bend(rsaKey, [-1, Buffer.concat([Buffer.of(0), n])]), 'well-formed RS256'],
    ['the exponent 1', bend(rsaKey, [-2, Buffer.of(1)]), 'well-formed RS256'],
    ['an even exponent', bend(rsaKey, [-2, Buffer.of(2)]), 'well-formed RS256'],
    ['an exponent of 5 bytes', bend(rsaKey, [-2, Buffer.of(1, 0, 0, 0, 1)]), 'well-formed RS256'],
    ['a key that is not a map', toCbor([1, 2]), 'not a map'],
    ['a label twice', Buffer.concat([Buffer.of(0xa6), toCbor(ecKey).subarray(1), Buffer.of(0x03, 0x26)]), 'contains a key twice'],
    [
      'a key of indefinite length',
      Buffer.concat([Buffer.of(0xbf), toCbor(ecKey).subarray(1), Buffer.of(0xff)]),
      'indefinite length',
    ],
    [
      'a label that is not in its shortest form',
      Buffer.concat([Buffer.of(0xa5, 0x18, 0x01), toCbor(ecKey).subarray(2)]),
      'shortest form',
    ],
  ])('a key with %s', async (_, publicKeyCose, message) => {
    await expectRefused(key.create(challenge, { publicKeyCose }), message);
  });

  test.each([0, 15, 1024, 65_535])('a credential id of %i bytes', async (length) => {
    await expectRefused(
      new SoftwareAuthenticator('ES256', Buffer.alloc(length, 7)).create(challenge),
      length === 65_535 ? 'or is too long' : '16 to 1023 bytes',
    );
  });

  test.each([16, 1023])('a credential id of %i bytes is accepted', async (length) => {
    const credentialId = Buffer.alloc(length, 7);
    expect(await register(new SoftwareAuthenticator('ES256', credentialId).create(challenge))).toMatchObject({
      credentialId: credentialId.toString('base64url'),
    });
  });

  test('a credential id that differs from the one inside', async () => {
    const attestation = key.create(challenge);
    await expectRefused(
      { ...attestation, credentialId: randomBytes(32).toString('base64url') },
      'not the one in the attestation object',
    );
    const twice = toCbor(toCbor(key.credentialId)).toString('base64url');
    const longer = toCbor(Buffer.concat([key.credentialId, Buffer.of(0)])).toString('base64url');
    for (const credentialId of [`${attestation.credentialId}==`, `${attestation.credentialId} `, twice, longer])
      await expectRefused({ ...attestation, credentialId }, 'not the one in the attestation object');
  });

  test('padding, and a credential id as a CBOR byte string, lead to the same passkey', async () => {
    const padded = (text: string) => text + '='.repeat((4 - (text.length % 4)) % 4);
    for (const length of [16, 32, 33, 300]) {
      const holder = new SoftwareAuthenticator('ES256', randomBytes(length));
      const credentialId = holder.credentialId.toString('base64url');
      const inCbor = toCbor(holder.credentialId).toString('base64url');
      const attestation = holder.create(challenge);
      for (const spelling of [credentialId, inCbor, padded(credentialId), padded(inCbor)]) {
        const sent = {
          ...attestation,
          credentialId: spelling,
          clientDataJson: padded(attestation.clientDataJson),
          attestationObject: padded(attestation.attestationObject),
        };
        expect(await register(sent)).toMatchObject({ credentialId });
      }
    }
  });

  const entry = (name: string, value: Writable) => Buffer.concat([toCbor(name), toCbor(value)]);
  const parts = (authData: Uint8Array) => [entry('fmt', 'none'), entry('attStmt', new Map()), entry('authData', authData)];
  test.each<[string, RegistrationBend['object'], string]>([
    [
      'extra bytes after it',
      (authData) => Buffer.concat([Buffer.of(0xa3), ...parts(authData), Buffer.of(0)]),
      'extra bytes after the CBOR',
    ],
    [
      'indefinite length',
      (authData) => Buffer.concat([Buffer.of(0xbf), ...parts(authData), Buffer.of(0xff)]),
      'indefinite length',
    ],
    [
      'a name twice',
      (authData) => Buffer.concat([Buffer.of(0xa4), ...parts(authData), entry('fmt', 'packed')]),
      'contains a key twice',
    ],
    ['an extra name', (authData) => Buffer.concat([Buffer.of(0xa4), ...parts(authData), entry('x', 1)]), 'must contain exactly'],
    ['no statement', (authData) => Buffer.concat([Buffer.of(0xa2), ...parts(authData).toSpliced(1, 1)]), 'must contain exactly'],
    [
      'authenticator data as text',
      () => Buffer.concat([Buffer.of(0xa3), ...parts(Buffer.of(1)).slice(0, 2), entry('authData', 'x')]),
      'must contain exactly',
    ],
    ['a list instead of it', () => toCbor([1]), 'not a map'],
    [
      'truncated authenticator data',
      (authData) => Buffer.concat([Buffer.of(0xa3), ...parts(authData.subarray(0, 50))]),
      'too short',
    ],
    [
      'a truncated credential id',
      (authData) => Buffer.concat([Buffer.of(0xa3), ...parts(authData.subarray(0, 70))]),
      'too short',
    ],
    ['a truncated key', (authData) => Buffer.concat([Buffer.of(0xa3), ...parts(authData.subarray(0, -1))]), 'ends too early'],
  ])('an attestation object with %s', async (_, object, message) => {
    await expectRefused(key.create(challenge, { ...(object && { object }) }), message);
  });

  test.each<[string, RegistrationBend, string]>([
    ['extra bytes after the key', { extra: Buffer.of(0) }, 'extra bytes after the authenticator data'],
    ['announced but missing extensions', { flags: UP | UV | ATTESTED | EXTENSIONS }, 'ends too early'],
    ['no new credential', { flags: UP | UV }, 'extra bytes after the authenticator data'],
    ['backed up but not eligible for backup', { flags: UP | UV | ATTESTED | BACKED_UP }, 'backup state flag'],
  ])('authenticator data with %s', async (_, bent, message) => {
    await expectRefused(key.create(challenge, bent), message);
  });

  test('an assertion instead of an attestation', async () => {
    const object = () =>
      toCbor(
        new Map<Writable, Writable>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', key.get(challenge).authenticatorData],
        ]),
      );
    await expectRefused(key.create(challenge, { object }), 'contains no new credential');
  });

  test('values that are not base64url', async () => {
    const attestation = key.create(challenge);
    await expectRefused({ ...attestation, attestationObject: `${attestation.attestationObject}==` }, 'not base64url');
    await expectRefused({ ...attestation, attestationObject: 'A'.repeat(100_000) }, 'too long');
    await expectRefused({ ...attestation, clientDataJson: `${attestation.clientDataJson}=` }, 'client data');
    await expectRefused({ ...attestation, clientDataJson: '' }, 'client data');
  });
});

describe('the ceremony', () => {
  test('D16: an assertion is not a registration', async () => {
    await expectRefused(key.create(challenge, { type: 'webauthn.get' }), 'webauthn.create');
  });

  test.each(lookAlikes)('D17: the origin %j is refused', async (origin) => {
    await expectRefused(key.create(challenge, { origin }), 'origin that is not allowed');
  });

  test('D18: another relying party is refused', async () => {
    await expectRefused(key.create(challenge, { rpId: 'evil.test' }), 'does not match the origin');
    await expectRefused(key.create(challenge, { rpId: 'com' }), 'does not match the origin', {
      allowedOrigins: 'of-rp-id',
      rpIds: 'of-origin',
    });
    expect(
      await register(key.create(challenge, { rpId: 'app.example.com' }), { allowedOrigins: 'of-rp-id', rpIds: 'of-origin' }),
    ).toMatchObject({ rpId: 'app.example.com' });
  });

  test('D19: presence, and verification if required', async () => {
    await expectRefused(key.create(challenge, { flags: UV | ATTESTED }), 'did not detect a person');
    await expectRefused(key.create(challenge, { flags: UP | ATTESTED }), 'did not verify the person', {
      requireUserVerification: true,
    });
    expect(await register(key.create(challenge, { flags: UP | ATTESTED }))).toHaveProperty('credentialId');
  });

  test('D22: an attestation must answer the expected challenge', async () => {
    await expectRefused(key.create(randomBytes(32).toString('base64url')), 'another challenge');
    await expectRefused(key.create(challenge), 'another challenge', { challenge: `${challenge}=` });
    await expectRefused(key.create(''), 'another challenge');
  });

  test('a frame of another site is refused', async () => {
    await expectRefused(key.create(challenge, { clientData: { crossOrigin: true } }), 'inside a frame');
  });
});
