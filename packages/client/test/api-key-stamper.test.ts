import { createECDH, createPublicKey, verify } from 'node:crypto';
import { inspect } from 'node:util';
import { ApiKeyStamper, generateApiKey, type StampScheme, stampSchemes } from '@countersign/client';
import type { ApiKeyCurve } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

interface StampJson {
  publicKey: string;
  scheme: string;
  signature: string;
}

async function stampOf(stamper: ApiKeyStamper, body: string): Promise<StampJson> {
  const { stampHeaderName, stampHeaderValue } = await stamper.stamp(body);
  expect(stampHeaderName).toBe('X-Stamp');
  expect(stampHeaderValue).toMatch(/^[A-Za-z0-9_-]+$/);
  return JSON.parse(Buffer.from(stampHeaderValue, 'base64url').toString('utf8'));
}

// RFC 5480 and RFC 8410: DER prefixes of public keys.
const spki: Record<ApiKeyCurve, string> = {
  API_KEY_CURVE_P256: '3039301306072a8648ce3d020106082a8648ce3d030107032200',
  API_KEY_CURVE_SECP256K1: '3036301006072a8648ce3d020106052b8104000a032200',
  API_KEY_CURVE_ED25519: '302a300506032b6570032100',
};

/** Verifies a stamp with OpenSSL. */
function verifies(curve: ApiKeyCurve, { publicKey, signature }: StampJson, body: string): boolean {
  const key = createPublicKey({ key: Buffer.from(spki[curve] + publicKey, 'hex'), format: 'der', type: 'spki' });
  const digest = curve === 'API_KEY_CURVE_ED25519' ? null : 'sha256';
  return verify(digest, Buffer.from(body, 'utf8'), key, Buffer.from(signature, 'hex'));
}

const plainSchemes: Record<ApiKeyCurve, StampScheme> = {
  API_KEY_CURVE_P256: 'SIGNATURE_SCHEME_TK_API_P256',
  API_KEY_CURVE_SECP256K1: 'SIGNATURE_SCHEME_TK_API_SECP256K1',
  API_KEY_CURVE_ED25519: 'SIGNATURE_SCHEME_TK_API_ED25519',
};

describe.each(Object.keys(spki) as ApiKeyCurve[])('%s', (curve) => {
  const key = generateApiKey(curve);
  const stamper = new ApiKeyStamper(key);

  test('derives the scheme of a fresh key and stamps any body', async () => {
    expect(stamper.scheme).toBe(plainSchemes[curve]);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (body) => {
        const stamp = await stampOf(stamper, body);
        expect(stamp).toMatchObject({ publicKey: key.apiPublicKey, scheme: plainSchemes[curve] });
        expect(verifies(curve, stamp, body)).toBe(true);
        expect(verifies(curve, stamp, `${body} `)).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  test('generates a new hexadecimal key each time', () => {
    expect(key.apiPublicKey).toMatch(curve === 'API_KEY_CURVE_ED25519' ? /^[0-9a-f]{64}$/ : /^0[23][0-9a-f]{64}$/);
    expect(key.apiPrivateKey).toMatch(/^[0-9a-f]{64}$/);
    expect(generateApiKey(curve).apiPrivateKey).not.toBe(key.apiPrivateKey);
  });

  test('D08: an upper-case public key is the same identity', () => {
    const upper = new ApiKeyStamper({ ...key, apiPublicKey: key.apiPublicKey.toUpperCase() });
    expect(upper.apiPublicKey).toBe(key.apiPublicKey);
  });

  test('rejects halves of different keys', () => {
    const { apiPublicKey } = generateApiKey(curve);
    expect(() => new ApiKeyStamper({ ...key, apiPublicKey })).toThrow('does not belong to the private key');
  });

  test('D61: no rendering of the stamper contains the private key', () => {
    expect(inspect(stamper, { showHidden: true, depth: 9 })).not.toContain(key.apiPrivateKey);
    expect(JSON.stringify({ ...stamper })).not.toContain(key.apiPrivateKey);
  });
});

describe('SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191', () => {
  // The example of accounts.sign in the documentation of web3.js 1.x.
  const apiPrivateKey = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
  const r = 'b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd';
  const s = '6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a029';
  const ecdh = createECDH('secp256k1');
  ecdh.setPrivateKey(apiPrivateKey, 'hex');
  const apiPublicKey = ecdh.getPublicKey('hex', 'compressed');

  test('equals the DER signature of a wallet', async () => {
    const scheme = 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191';
    const stamp = await stampOf(new ApiKeyStamper({ apiPublicKey, apiPrivateKey, scheme }), 'Some data');
    expect(stamp).toEqual({ publicKey: apiPublicKey, scheme, signature: `3045022100${r}0220${s}` });
  });
});

describe('ApiKeyStamper', () => {
  test('rejects a scheme of another curve', () => {
    const key = generateApiKey('API_KEY_CURVE_P256');
    expect(() => new ApiKeyStamper({ ...key, scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1' })).toThrow(
      'on the curve of SIGNATURE_SCHEME_TK_API_SECP256K1',
    );
  });

  test.each(['', 'ff', `0x${'1'.repeat(62)}`, 'g'.repeat(64)])(
    'rejects %j as a private key without repeating it',
    (apiPrivateKey) => {
      const { apiPublicKey } = generateApiKey();
      expect(() => new ApiKeyStamper({ apiPublicKey, apiPrivateKey })).toThrow(
        'The API private key must be 64 hexadecimal digits.',
      );
    },
  );

  test('a number above the order of other curves can be an ed25519 key', () => {
    const apiPrivateKey = 'f'.repeat(64);
    // RFC 8032: any 32 bytes are a private key.
    const apiPublicKey = '76a1592044a6e4f511265bca73a604d90b0529d1df602be30a19a9257660d1f5';
    expect(new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).scheme).toBe('SIGNATURE_SCHEME_TK_API_ED25519');
  });

  test('has four schemes', () => {
    expect(Object.keys(stampSchemes)).toHaveLength(4);
  });
});
