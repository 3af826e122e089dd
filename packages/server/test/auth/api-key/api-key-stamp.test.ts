import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { describe, expect, test, vi } from 'vitest';
import { provesItself, verifyApiKeyStamp } from '../../../src/auth/api-key/api-key-stamp.ts';
import { canonicalPublicKey } from '../../../src/auth/api-key/public-key.ts';
import { type SchemeId, schemeFits, schemeOf, schemes, VerifierCache } from '../../../src/auth/api-key/schemes.ts';
import { type ApiKeyStamp, parseStamp } from '../../../src/auth/api-key/stamp.ts';
import { StampError, type StampErrorReason } from '../../../src/auth/api-key/stamp-error.ts';

const schemeIds = Object.keys(schemes) as SchemeId[];
const body = Buffer.from('{"type":"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2","timestampMs":"1763171234567","organizationId":"o"}');

/** A signer for each scheme. It uses other libraries than the verifier where possible. */
interface Signer {
  readonly publicKey: string;
  sign(message: Uint8Array): string;
}

function makeSigner(scheme: SchemeId): Signer {
  if (scheme === 'SIGNATURE_SCHEME_TK_API_P256') return nodeSigner(generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'sha256');
  if (scheme === 'SIGNATURE_SCHEME_TK_API_ED25519') return nodeSigner(generateKeyPairSync('ed25519'), null);
  const { secretKey, publicKey } = secp256k1.keygen();
  const isEthereum = scheme === 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191';
  const digest = (message: Uint8Array) =>
    isEthereum
      ? keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]))
      : createHash('sha256').update(message).digest();
  return {
    publicKey: Buffer.from(publicKey).toString('hex'),
    sign: (message) => Buffer.from(secp256k1.sign(digest(message), secretKey, { prehash: false, format: 'der' })).toString('hex'),
  };
}

function nodeSigner(
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  algorithm: string | null,
): Signer {
  const { x = '', y } = publicKey.export({ format: 'jwk' });
  const prefix = y === undefined ? '' : (Buffer.from(y, 'base64url').at(-1) as number) % 2 === 0 ? '02' : '03';
  return {
    publicKey: prefix + Buffer.from(x, 'base64url').toString('hex'),
    sign: (message) => sign(algorithm, message, privateKey).toString('hex'),
  };
}

const stampOf = (publicKey: string, scheme: string, signature: string) =>
  parseStamp({ 'x-stamp': Buffer.from(JSON.stringify({ publicKey, scheme, signature })).toString('base64url') }) as ApiKeyStamp;

function reasonOf(action: () => unknown): StampErrorReason {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(StampError);
    return (error as StampError).reason;
  }
  throw new Error('the stamp was taken');
}

describe.each(schemeIds)('%s', (scheme) => {
  const signer = makeSigner(scheme);
  const type = schemes[scheme].credentialTypes[0];
  const credential = { publicKey: canonicalPublicKey(signer.publicKey, schemes[scheme].curve), type };
  const stamp = stampOf(signer.publicKey, scheme, signer.sign(body));

  test('a valid stamp returns its scheme, with a cold and a warm cache', () => {
    const verifiers = new VerifierCache();
    expect(verifyApiKeyStamp(stamp, credential, body, verifiers)).toBe(scheme);
    expect(verifyApiKeyStamp(stamp, credential, body, verifiers)).toBe(scheme);
  });

  test('bodies of many sizes', () => {
    const verifiers = new VerifierCache();
    for (const size of [1, 9, 10, 135, 136, 137, 1_000, 100_000]) {
      const large = Buffer.alloc(size, 0xa5);
      expect(verifyApiKeyStamp(stampOf(signer.publicKey, scheme, signer.sign(large)), credential, large, verifiers)).toBe(scheme);
    }
  });

  test.each([
    ['keys in another order', '{"organizationId":"o","type":"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2","timestampMs":"1763171234567"}'],
    ['an extra space', body.toString().replace(':', ': ')],
    ['a line break at the end', `${body}\n`],
    ['an escape instead of a letter', body.toString().replace('type', '\\u0074ype')],
    ['nothing', ''],
  ])('D01: a body re-serialized by a proxy is refused: %s', (_, altered) => {
    const verifiers = new VerifierCache();
    expect(reasonOf(() => verifyApiKeyStamp(stamp, credential, Buffer.from(altered), verifiers))).toBe('BAD_SIGNATURE');
  });

  test('D09: a scheme that does not fit the registered key is refused, even with a valid signature', () => {
    for (const other of [
      'CREDENTIAL_TYPE_API_KEY_P256',
      'CREDENTIAL_TYPE_API_KEY_SECP256K1',
      'CREDENTIAL_TYPE_API_KEY_ED25519',
      'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
    ]) {
      if (other === type) continue;
      expect(reasonOf(() => verifyApiKeyStamp(stamp, { ...credential, type: other }, body, new VerifierCache()))).toBe(
        'SCHEME_MISMATCH',
      );
    }
  });

  test('a credential with another key is never accepted', () => {
    const other = { ...credential, publicKey: makeSigner(scheme).publicKey };
    expect(reasonOf(() => verifyApiKeyStamp(stamp, other, body, new VerifierCache()))).toBe('WRONG_KEY');
  });

  test('a stamp proves itself by its own key, with and without a scheme, and only over its own body', () => {
    expect(provesItself(stamp, body)).toBe(true);
    const unnamed = { ...stamp, scheme: undefined };
    expect(provesItself(unnamed, body)).toBe(true);
    expect(provesItself(unnamed, Buffer.from('another body'))).toBe(false);
    expect(provesItself({ ...stamp, signature: Buffer.from('00', 'hex') }, body)).toBe(false);
    expect(provesItself({ ...stamp, publicKey: makeSigner(scheme).publicKey }, body)).toBe(false);
  });

  test('D154: a refusal prepares the same schemes for a key that is unknown, registered or in use', () => {
    const verifiers = new VerifierCache();
    const other = Buffer.from('another body');
    const spies = schemeIds.map((id) => vi.spyOn(schemes[id], 'prepare'));
    const prepared = (action: () => unknown) => {
      for (const spy of spies) spy.mockClear();
      action();
      return spies.map((spy) => spy.mock.calls.length);
    };
    for (const named of [stamp, { ...stamp, scheme: undefined }]) {
      // A stamp that names no scheme is checked by the first that fits the registered type.
      if (named.scheme === undefined && schemeOf(type) !== scheme) continue;
      const unknown = prepared(() => provesItself(named, other));
      expect(unknown[schemeIds.indexOf(scheme)]).toBe(1);
      const refuse = () => reasonOf(() => verifyApiKeyStamp(named, credential, other, verifiers));
      expect(prepared(refuse)).toEqual(unknown);
      verifyApiKeyStamp(named, credential, body, verifiers);
      expect(prepared(refuse)).toEqual(unknown);
    }
    for (const spy of spies) spy.mockRestore();
  });
});

describe('the dotted form', () => {
  test.each(schemeIds.filter((id) => schemeOf(schemes[id].credentialTypes[0]) === id))(
    'is checked by the scheme of the registered key: %s',
    (scheme) => {
      const signer = makeSigner(scheme);
      const credential = { publicKey: signer.publicKey, type: schemes[scheme].credentialTypes[0] };
      const stamp = parseStamp({ 'x-stamp': `${signer.publicKey}.${signer.sign(body)}` }) as ApiKeyStamp;
      expect(verifyApiKeyStamp(stamp, credential, body, new VerifierCache())).toBe(scheme);
      expect(reasonOf(() => verifyApiKeyStamp(stamp, credential, Buffer.from('{}'), new VerifierCache()))).toBe('BAD_SIGNATURE');
      expect(
        reasonOf(() =>
          verifyApiKeyStamp(stamp, { ...credential, type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' }, body, new VerifierCache()),
        ),
      ).toBe('SCHEME_MISMATCH');
    },
  );

  test('means SHA-256 for secp256k1, not EIP-191', () => {
    expect(schemeOf('CREDENTIAL_TYPE_API_KEY_SECP256K1')).toBe('SIGNATURE_SCHEME_TK_API_SECP256K1');
  });
});

test('D09: which schemes each credential accepts', () => {
  const types = [
    ...new Set(schemeIds.flatMap((id): readonly string[] => schemes[id].credentialTypes)),
    'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
  ];
  const fits = Object.fromEntries(
    types.map((type) => [
      type,
      schemeIds.filter((id) => schemeFits(id, type)).map((id) => id.replace('SIGNATURE_SCHEME_TK_API_', '')),
    ]),
  );
  expect(fits).toEqual({
    CREDENTIAL_TYPE_API_KEY_P256: ['P256'],
    CREDENTIAL_TYPE_RPC_TOKEN: ['P256'],
    CREDENTIAL_TYPE_RPC_CERTIFICATE: ['P256'],
    CREDENTIAL_TYPE_RECOVER_USER_KEY_P256: ['P256'],
    CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256: ['P256'],
    CREDENTIAL_TYPE_OTP_AUTH_KEY_P256: ['P256'],
    CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256: ['P256'],
    CREDENTIAL_TYPE_OAUTH_KEY_P256: ['P256'],
    CREDENTIAL_TYPE_LOGIN: ['P256'],
    CREDENTIAL_TYPE_API_KEY_SECP256K1: ['SECP256K1', 'SECP256K1_EIP191'],
    CREDENTIAL_TYPE_API_KEY_ED25519: ['ED25519'],
    CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR: [],
  });
});

interface NegativeCase {
  readonly name: string;
  readonly scheme: SchemeId;
  readonly publicKey: string;
  readonly body: string;
  readonly signature: string;
  readonly taken: boolean;
}

const vectors = new URL('../../../../../conformance/stamps/negative.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(vectors, 'utf8')) as { readonly cases: readonly NegativeCase[] };

describe('D07: faulty signatures, and the valid ones they were derived from', () => {
  test.each(cases)('$name', ({ scheme, publicKey, body: text, signature, taken }) => {
    const credential = {
      publicKey: canonicalPublicKey(publicKey, schemes[scheme].curve),
      type: schemes[scheme].credentialTypes[0],
    };
    const check = () =>
      verifyApiKeyStamp(stampOf(publicKey, scheme, signature), credential, Buffer.from(text), new VerifierCache());
    if (taken) expect(check()).toBe(scheme);
    else expect(reasonOf(check)).toBe('BAD_SIGNATURE');
  });
});
