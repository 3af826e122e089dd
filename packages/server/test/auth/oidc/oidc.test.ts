import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { exportSPKI, importJWK } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKeySets } from '../../../src/auth/oidc/key-sets.ts';
import { nonceOf } from '../../../src/auth/oidc/nonce.ts';
import { createOidc, type Oidc } from '../../../src/auth/oidc/oidc.ts';
import type { TrustedIssuer } from '../../../src/config/trusted-issuers.ts';
import { CLIENT_ID, forgedToken, newSigningKey, TestIssuer } from './test-issuer.ts';

let issuer: TestIssuer;
let trusted: TrustedIssuer;
let oidc: Oidc;

beforeAll(async () => {
  issuer = await TestIssuer.start();
  trusted = {
    issuer: issuer.url,
    audiences: [CLIENT_ID, 'client-2'],
    authorizedParties: ['app-of-client-1'],
    allowPrivateAddress: true,
    maxTokenSeconds: 3600,
  };
});
afterAll(() => issuer?.close());
beforeEach(() => {
  issuer.requests.length = 0;
  oidc = createOidc([trusted], createKeySets());
});

const verify = (token: string) => oidc.verify(token, Date.now());
const reasonOf = (token: string) =>
  verify(token).then(
    () => 'BELIEVED',
    (error: { reason?: string; name: string }) => error.reason ?? error.name,
  );
const nowSeconds = () => Math.floor(Date.now() / 1000);

describe('a valid token', () => {
  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('signed with %s is accepted', async (alg) => {
    const key = await newSigningKey(alg);
    issuer.keys.unshift(key);
    const exp = nowSeconds() + 100;
    const token = await issuer.token({ nonce: 'n', exp }, {}, key);
    expect(await verify(token)).toEqual({
      issuer: issuer.url,
      audience: CLIENT_ID,
      subject: 'person-1',
      nonce: 'n',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      deadAtMs: (exp + 60) * 1000,
    });
  });

  test.each([
    [{ email: 'someone@example.com', email_verified: true }, 'someone@example.com'],
    [{ email: 'someone@example.com', email_verified: false }, undefined],
    [{ email: 'someone@example.com', email_verified: 'true' }, undefined],
    [{ email: 'someone@example.com' }, undefined],
    [{ email_verified: true }, undefined],
    [{ email: ['someone@example.com'], email_verified: true }, undefined],
    [{ email: `${'a'.repeat(250)}@b.example`, email_verified: true }, undefined],
  ])('with %j is accepted, and its verified address is %s', async (claims, expected) => {
    expect((await verify(await issuer.token(claims))).verifiedEmail).toBe(expected);
  });

  test('is accepted in base64 too, as the same token', async () => {
    const token = await issuer.token();
    const { digest } = await verify(token);
    expect((await verify(Buffer.from(token).toString('base64'))).digest).toBe(digest);
  });

  test('without a key id is accepted while the issuer has one fitting key', async () => {
    const kept = issuer.keys;
    await issuer.rotate();
    const token = await issuer.token({}, { kid: undefined });
    expect(await reasonOf(token)).toBe('BELIEVED');
    issuer.keys = [issuer.newestKey, await newSigningKey()];
    oidc = createOidc([trusted], createKeySets());
    expect(await reasonOf(token)).toBe('UNKNOWN_KEY');
    issuer.keys = kept;
  });

  test('an ECDSA signature in its other form does not make it another token', async () => {
    const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const token = await issuer.token({}, {}, issuer.newestKey);
    const [header, payload, signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`);
    const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from((n - s).toString(16).padStart(64, '0'), 'hex')]);
    const twin = `${header}.${payload}.${other.toString('base64url')}`;
    expect(twin).not.toBe(token);
    expect((await verify(twin)).digest).toBe((await verify(token)).digest);
  });
});

describe('D23: algorithms and keys', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', ''])('alg %j is refused', async (alg) => {
    const header = { alg, kid: issuer.newestKey.kid };
    expect(await reasonOf(forgedToken(header, issuer.claims()))).toBe('ALGORITHM_NOT_ALLOWED');
    const unsigned = forgedToken(header, issuer.claims()).replace(/[^.]*$/, '');
    expect(await reasonOf(unsigned)).toBe('MALFORMED');
    expect(issuer.requests).toEqual([]);
  });

  test('HS256 with the published RSA key as its secret is refused', async () => {
    const key = await newSigningKey('RS256');
    issuer.keys.unshift(key);
    const publicKey = await importJWK(key.publicJwk, 'RS256', { extractable: true });
    const pem = await exportSPKI(publicKey as Parameters<typeof exportSPKI>[0]);
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      const unsigned = forgedToken({ alg, kid: key.kid }, issuer.claims()).replace(/\.[^.]*$/, '');
      const signature = createHmac(alg.replace('HS', 'sha'), pem).update(unsigned).digest();
      expect(await reasonOf(`${unsigned}.${signature.toString('base64url')}`)).toBe('ALGORITHM_NOT_ALLOWED');
    }
    expect(issuer.requests).toEqual([]);
  });

  test.each(['jku', 'x5u', 'jwk', 'x5c', 'crit', 'b64', 'zip', 'enc'])('a header with %s is refused', async (name) => {
    const own = await newSigningKey();
    const values: Record<string, unknown> = { jku: `${issuer.url}/evil`, x5u: `${issuer.url}/evil`, jwk: own.publicJwk };
    const { alg } = own;
    const header = { alg, kid: own.kid, [name]: values[name] ?? ['x'] };
    expect(await reasonOf(forgedToken(header, issuer.claims()))).toBe('FORBIDDEN_HEADER');
    expect(issuer.requests).toEqual([]);
  });

  test('a token’s own key is refused, also under a published key id', async () => {
    const own = await newSigningKey();
    expect(await reasonOf(await issuer.token({}, {}, own))).toBe('UNKNOWN_KEY');
    expect(await reasonOf(await issuer.token({}, { kid: issuer.newestKey.kid }, own))).toBe('BAD_SIGNATURE');
  });

  test('a published key is used with its own algorithm only', async () => {
    const key = await newSigningKey('RS256');
    issuer.keys.unshift(key);
    const token = await issuer.token({}, {}, { ...key, alg: 'PS256' }).catch(() => undefined);
    // jose refuses to sign like this; a forger would not.
    expect(token).toBeUndefined();
    expect(await reasonOf(forgedToken({ alg: 'PS256', kid: key.kid }, issuer.claims(), new Uint8Array(256)))).toBe('UNKNOWN_KEY');
    expect(await reasonOf(forgedToken({ alg: 'ES256', kid: key.kid }, issuer.claims()))).toBe('UNKNOWN_KEY');
  });

  test.each(['at+jwt', 'logout+jwt', 'dpop+jwt', 'JWT2'])('a token of type %s is not an ID token', async (typ) => {
    expect(await reasonOf(await issuer.token({}, { typ }))).toBe('WRONG_TYPE');
  });

  test('a token with any changed letter is refused', async () => {
    const token = await issuer.token();
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ';
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...letters), async (at, letter) => {
        fc.pre(token[at] !== letter);
        expect(await reasonOf(token.slice(0, at) + letter + token.slice(at + 1))).not.toBe('BELIEVED');
      }),
    );
  });
});

describe('D24: issuers', () => {
  test('an issuer with any difference is unknown, and nobody is contacted', async () => {
    const { host, port } = new URL(issuer.url);
    const twins = [
      `${issuer.url}/`,
      issuer.url.toUpperCase(),
      issuer.url.replace('http:', 'https:'),
      issuer.url.replace(port, String(Number(port) + 1)),
      `http://somebody@${host}`,
      `${issuer.url}@evil.example`,
      `${issuer.url}#`,
      ` ${issuer.url}`,
      issuer.url.replace('127.0.0.1', 'localhost'),
    ];
    for (const iss of twins) expect(await reasonOf(await issuer.token({ iss })), iss).toBe('UNKNOWN_ISSUER');
    expect(issuer.requests).toEqual([]);
  });

  test('without a configured issuer the feature is not offered', async () => {
    oidc = createOidc([], createKeySets());
    expect(oidc.offered).toBe(false);
    expect(await reasonOf(await issuer.token())).toBe('UNKNOWN_ISSUER');
    expect(issuer.requests).toEqual([]);
  });
});

describe('D25: audiences', () => {
  const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ['a list of one', { aud: [CLIENT_ID] }, 'BELIEVED'],
    ['another configured one', { aud: 'client-2' }, 'BELIEVED'],
    ['ours and another', { aud: [CLIENT_ID, 'other'] }, 'WRONG_AUDIENCE'],
    ['two of ours', { aud: [CLIENT_ID, 'client-2'] }, 'WRONG_AUDIENCE'],
    ['ours twice', { aud: [CLIENT_ID, CLIENT_ID] }, 'WRONG_AUDIENCE'],
    ['another', { aud: 'other' }, 'WRONG_AUDIENCE'],
    ['a part of ours', { aud: 'client' }, 'WRONG_AUDIENCE'],
    ['more than ours', { aud: `${CLIENT_ID}0` }, 'WRONG_AUDIENCE'],
    ['ours in other case', { aud: CLIENT_ID.toUpperCase() }, 'WRONG_AUDIENCE'],
    ['an empty list', { aud: [] }, 'MALFORMED_CLAIMS'],
    ['none', { aud: undefined }, 'MALFORMED_CLAIMS'],
    ['an object', { aud: { 0: CLIENT_ID } }, 'MALFORMED_CLAIMS'],
    ['azp ours', { azp: CLIENT_ID }, 'BELIEVED'],
    ['azp configured', { azp: 'app-of-client-1' }, 'BELIEVED'],
    ['azp another', { azp: 'other' }, 'WRONG_AUTHORIZED_PARTY'],
    ['azp another audience of ours', { azp: 'client-2' }, 'WRONG_AUTHORIZED_PARTY'],
  ];

  test.each(cases)('%s', async (_, claims, expected) => {
    expect(await reasonOf(await issuer.token(claims))).toBe(expected);
    if (expected !== 'BELIEVED') expect(issuer.requests).toEqual([]);
  });
});

describe('D27: times', () => {
  const cases: readonly (readonly [string, (now: number) => Record<string, unknown>, string])[] = [
    ['expired within the tolerance', (now) => ({ iat: now - 600, exp: now - 50 }), 'BELIEVED'],
    ['expired', (now) => ({ iat: now - 600, exp: now - 61 }), 'EXPIRED'],
    ['issued ahead within the tolerance', (now) => ({ iat: now + 50 }), 'BELIEVED'],
    ['issued in the future', (now) => ({ iat: now + 120 }), 'NOT_YET_VALID'],
    ['valid from the future on', (now) => ({ nbf: now + 120 }), 'NOT_YET_VALID'],
    ['valid from within the tolerance', (now) => ({ nbf: now + 50 }), 'BELIEVED'],
    ['the longest allowed lifetime', (now) => ({ iat: now, exp: now + 3600 }), 'BELIEVED'],
    ['too long', (now) => ({ iat: now, exp: now + 3601 }), 'LIVES_TOO_LONG'],
    ['without an end', () => ({ exp: 9e10 }), 'LIVES_TOO_LONG'],
    ['ends before it begins', (now) => ({ iat: now + 40, exp: now + 20 }), 'MALFORMED_CLAIMS'],
    ['no exp', () => ({ exp: undefined }), 'MALFORMED_CLAIMS'],
    ['no iat', () => ({ iat: undefined }), 'MALFORMED_CLAIMS'],
    ['exp as text', (now) => ({ exp: String(now + 600) }), 'MALFORMED_CLAIMS'],
    ['exp beyond the number range', () => ({ exp: 1e300 }), 'MALFORMED_CLAIMS'],
    ['exp below zero', () => ({ exp: -1 }), 'MALFORMED_CLAIMS'],
  ];

  test.each(cases)('%s', async (_, claims, expected) => {
    expect(await reasonOf(await issuer.token(claims(nowSeconds())))).toBe(expected);
    if (expected !== 'BELIEVED') expect(issuer.requests).toEqual([]);
  });
});

test('a subject has at most 255 characters, all of them ASCII', async () => {
  expect(await reasonOf(await issuer.token({ sub: 'x'.repeat(255) }))).toBe('BELIEVED');
  for (const sub of ['', 'x'.repeat(256), 'person\n1', 'persön', 7, null, undefined])
    expect(await reasonOf(await issuer.token({ sub }))).toBe('MALFORMED_CLAIMS');
});

test('any text is refused without another error', async () => {
  const part = fc.oneof(
    fc.base64String(),
    fc.string(),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
      expect(await reasonOf(parts.join('.'))).toMatch(/^(MALFORMED|MALFORMED_CLAIMS|ALGORITHM_NOT_ALLOWED)$/);
    }),
  );
  expect(issuer.requests).toEqual([]);
});

test('D26: the nonce of a public key is the digest of its hexadecimal text', () => {
  expect(nonceOf('0394e549c71fa99dd5cf752fba623090be314949b74e4cdf7ca72031dd638e281a')).toBe(
    '1663bba492a323085b13895634a3618792c4ec6896f3c34ef3c26396df22ef82',
  );
});

test('D24: issuer and audience are compared letter by letter, and nobody is contacted', () => {
  const cases: [string, string, boolean][] = [
    [issuer.url, CLIENT_ID, true],
    [issuer.url, 'client-2', true],
    [issuer.url, 'app-of-client-1', false],
    [`${issuer.url}/`, CLIENT_ID, false],
    ['https://issuer.example', CLIENT_ID, false],
  ];
  for (const [from, audience, expected] of cases)
    expect(oidc.trusts({ issuer: from, audience }), `${from} ${audience}`).toBe(expected);
  expect(issuer.requests).toEqual([]);
});
