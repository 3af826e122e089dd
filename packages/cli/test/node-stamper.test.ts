import { ApiKeyStamper, generateApiKey } from '@countersign/client';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { describe, expect, test } from 'vitest';
import { nodeStamper } from '../src/node-stamper.ts';

const body = '{"organizationId":"x","text":"grüße €"}';
const read = (header: string) => JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
const verify = {
  API_KEY_CURVE_P256: (signature: Uint8Array, key: Uint8Array) =>
    p256.verify(signature, Buffer.from(body), key, { format: 'der', lowS: false }),
  API_KEY_CURVE_ED25519: (signature: Uint8Array, key: Uint8Array) => ed25519.verify(signature, Buffer.from(body), key),
};

describe('stamps with the cryptography of Node', () => {
  test.each(['API_KEY_CURVE_P256', 'API_KEY_CURVE_ED25519'] as const)('%s: as the portable stamper does', async (curve) => {
    for (let round = 0; round < 20; round++) {
      const { apiPublicKey, apiPrivateKey } = generateApiKey(curve);
      const own = await nodeStamper(apiPublicKey.toUpperCase(), apiPrivateKey)?.stamp(body);
      const portable = await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(body);
      expect(own?.stampHeaderName).toBe(portable.stampHeaderName);
      const { signature, ...rest } = read(own?.stampHeaderValue ?? '');
      const { signature: _, ...expected } = read(portable.stampHeaderValue);
      expect(rest).toEqual(expected);
      expect(verify[curve](Buffer.from(signature, 'hex'), Buffer.from(apiPublicKey, 'hex'))).toBe(true);
    }
  });

  test('leaves other keys, halves of two keys and invalid keys to the portable stamper', () => {
    const one = generateApiKey();
    const { apiPublicKey, apiPrivateKey } = generateApiKey('API_KEY_CURVE_SECP256K1');
    expect(nodeStamper(apiPublicKey, apiPrivateKey)).toBeUndefined();
    for (const secret of [generateApiKey().apiPrivateKey, '00'.repeat(32), 'ff'.repeat(32), 'zz', ''])
      expect(nodeStamper(one.apiPublicKey, secret)).toBeUndefined();
  });
});
