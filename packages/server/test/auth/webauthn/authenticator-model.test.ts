import { randomBytes, sign, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isAaguid, isAllowedModel } from '../../../src/auth/webauthn/authenticator-model.ts';
import { verifyRegistration } from '../../../src/auth/webauthn/registration.ts';
import { attestationCertificate, authenticatorMaker, type Certified } from '../attestation-certificate.ts';
import type { Writable } from '../cbor-writer.ts';
import { SoftwareAuthenticator } from '../software-authenticator.ts';

const aaguid = Buffer.from('2fc0579f811347eab116bb5a8db9202a', 'hex');
const aaguids = ['2fc0579f-8113-47ea-b116-bb5a8db9202a'];
const maker = authenticatorMaker();
const roots = [new X509Certificate(maker.pem)];
const leaf = maker.certify({ aaguid });
const nowMs = Date.UTC(2026, 0, 1);

const isAllowed = (...chain: readonly Certified[]) =>
  isAllowedModel(
    { aaguids, roots },
    aaguid,
    chain.map(({ certificate }) => certificate),
    nowMs,
  );

describe('a model is proven', () => {
  test('by a certificate that names it, of a trusted root', () => {
    expect(isAllowed(leaf)).toBe(true);
    expect(isAllowed(leaf, maker.root)).toBe(true);
  });

  test('through an intermediate', () => {
    const middle = maker.certify({ commonName: 'Example batch', ca: true });
    const below = attestationCertificate({ aaguid, issuer: { commonName: 'Example batch', privateKey: middle.privateKey } });
    expect(isAllowed(below, middle)).toBe(true);
    expect(isAllowed(below)).toBe(false);
    expect(isAllowed(below, maker.root)).toBe(false);
  });
});

describe('A27: a model is not proven', () => {
  const stranger = authenticatorMaker();

  test('by nothing, or by what is no certificate', () => {
    expect(isAllowed()).toBe(false);
    expect(isAllowed({ ...leaf, certificate: randomBytes(300) })).toBe(false);
  });

  test('by a certificate of somebody else, whatever names and certificates they add', () => {
    const forged = stranger.certify({ aaguid });
    expect(isAllowed(forged)).toBe(false);
    expect(isAllowed(forged, stranger.root)).toBe(false);
    expect(isAllowed(forged, maker.root)).toBe(false);
    expect(isAllowed(attestationCertificate({ aaguid }), maker.root)).toBe(false);
  });

  test('by a certificate that a genuine authenticator signed', () => {
    const below = attestationCertificate({ aaguid, issuer: { commonName: 'Example key', privateKey: leaf.privateKey } });
    expect(isAllowed(below, leaf)).toBe(false);
  });

  test('by a certificate of another model, of no model, or for an authenticator that claims another model', () => {
    expect(isAllowed(maker.certify({ aaguid: randomBytes(16) }))).toBe(false);
    expect(isAllowed(maker.certify())).toBe(false);
    expect(isAllowedModel({ aaguids, roots }, randomBytes(16), [leaf.certificate], nowMs)).toBe(false);
  });

  test('by an expired certificate, or one that is not valid yet', () => {
    expect(isAllowed(maker.certify({ aaguid, notAfter: '251231235959Z' }))).toBe(false);
    expect(isAllowedModel({ aaguids, roots }, aaguid, [leaf.certificate], Date.UTC(2019, 0, 1))).toBe(false);
  });

  test('where no root is trusted', () => {
    expect(isAllowedModel({ aaguids, roots: [] }, aaguid, [leaf.certificate, maker.root.certificate], nowMs)).toBe(false);
  });
});

describe('registration with a list of models', () => {
  const challenge = randomBytes(32).toString('base64url');
  const key = new SoftwareAuthenticator();
  const packed = (certified: Certified) => ({
    format: 'packed',
    aaguid,
    statement: (authData: Uint8Array, hash: Uint8Array) =>
      new Map<Writable, Writable>([
        ['alg', -7],
        ['sig', sign('sha256', Buffer.concat([authData, hash]), certified.privateKey)],
        ['x5c', [certified.certificate]],
      ]),
  });
  const register = (bend: object) =>
    verifyRegistration({
      attestation: key.create(challenge, bend),
      challenge,
      allowedOrigins: 'of-rp-id',
      rpIds: 'of-origin',
      requireUserVerification: true,
      models: { aaguids, roots },
      nowMs: Date.now(),
    });

  test('takes an attested model', async () => {
    expect(await register(packed(leaf))).toMatchObject({ attestationType: 'basic', aaguid: aaguid.toString('base64url') });
  });

  test('A27: refuses a claim without an attestation, one of the passkey itself, and one of a stranger', async () => {
    const self = { ...packed({ ...leaf, privateKey: key.privateKey }) };
    const statement = (authData: Uint8Array, hash: Uint8Array) => {
      const { x5c: _, ...rest } = Object.fromEntries(self.statement(authData, hash) as Map<string, Writable>);
      return new Map<Writable, Writable>(Object.entries(rest));
    };
    for (const bend of [{ aaguid }, { ...self, statement }, packed(attestationCertificate({ aaguid }))])
      await expect(register(bend)).rejects.toThrow('certain authenticator models');
    await expect(register(packed({ ...leaf, privateKey: key.privateKey }))).rejects.toThrow('does not verify');
  });
});

test.each([
  ['2fc0579f-8113-47ea-b116-bb5a8db9202a', true],
  ['2FC0579F-8113-47EA-B116-BB5A8DB9202A', false],
  ['2fc0579f811347eab116bb5a8db9202a', false],
  ['00000000-0000-0000-0000-000000000000', false],
  ['', false],
])('%j is an AAGUID of a model: %s', (text, is) => {
  expect(isAaguid(text)).toBe(is);
});
