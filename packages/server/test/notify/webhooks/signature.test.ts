import { createPrivateKey, createPublicKey, hkdfSync, verify } from 'node:crypto';
import fc from 'fast-check';
import { calculateJwkThumbprint, importJWK, type JWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { eventKeyId, eventKeySet, signedHeaders } from '../../../src/notify/webhooks/signature.ts';
import { openMessageKey } from '../../../src/vault/keys/message-key.ts';
import { Secret } from '../../../src/vault/keys/secret.ts';
import { fileRootKey, nextFileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import { rotateRootKey } from '../../../src/vault/root-key/rotate-root-key.ts';
import { Installation, toHex } from '../../vault/support.ts';

/** RFC 8032 section 7.1, test 2. */
const knownKey = Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex');
/** The beginning of every Ed25519 private key in DER (RFC 8410 section 7). */
const pkcs8 = '302e020100300506032b657004220420';
const event = { id: '01890000-0000-8000-8000-000000000001', organizationId: 'org', body: '{"name":"Ω \u2028"}' };

/** The part of a vault that signs deliveries. Its key comes from an integrity key of 32 equal bytes. */
function serviceOf(fill: number) {
  const key = openMessageKey(new Secret(new Uint8Array(32).fill(fill)), 'webhooks');
  return { eventKey: key.publicKey, signEvent: async (message: Uint8Array) => key.sign(message) };
}

/** Verifies as a receiver does, without our code: from the raw body, the headers and the key set. */
function isAuthentic(headers: Record<string, string>, body: string, { keys }: { keys: readonly JWK[] }): boolean {
  const key = keys.find(({ kid }) => kid === headers['x-turnkey-signature-key-id']);
  if (key === undefined) return false;
  const parts = ['signature-version', 'signature-algorithm', 'signature-key-id', 'timestamp', 'event-id'];
  const signed = `${parts.map((part) => headers[`x-turnkey-${part}`]).join('.')}.${body}`;
  const publicKey = createPublicKey({ key: key as never, format: 'jwk' });
  return verify(null, Buffer.from(signed, 'utf8'), publicKey, Buffer.from(headers['x-turnkey-signature'] ?? '', 'hex'));
}

describe('the signature of a delivery', () => {
  test('the key is Ed25519, derived by HKDF from the integrity key as in node:crypto', () => {
    const integrityKey = Buffer.alloc(32, 7);
    const seed = Buffer.from(hkdfSync('sha256', integrityKey, '', 'countersign/service-key/v1/webhooks', 32));
    const der = Buffer.concat([Buffer.from(pkcs8, 'hex'), seed]);
    const { x } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({ format: 'jwk' });
    expect(Buffer.from(serviceOf(7).eventKey).toString('base64url')).toBe(x);
  });

  test('the key set follows RFC 7517, with the RFC 7638 id that other implementations compute', async () => {
    const { keys } = eventKeySet(knownKey);
    expect(keys).toEqual([
      {
        kid: expect.any(String),
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        x: knownKey.toString('base64url'),
        turnkey_signature_algorithm: 'ed25519',
        turnkey_signature_version: 'v1',
      },
    ]);
    expect(keys[0]?.kid).toBe(await calculateJwkThumbprint(keys[0] as JWK, 'sha256'));
    await expect(importJWK(keys[0] as JWK, 'EdDSA')).resolves.toBeDefined();
  });

  test('RFC 8037 appendix A.3: the thumbprint of the standard’s key', () => {
    const publicKey = Buffer.from('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'base64url');
    expect(eventKeyId(publicKey)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  test('the headers are those of the protocol, and verify over the exact bytes', async () => {
    const service = serviceOf(1);
    const headers = await signedHeaders(service, event, 1_700_000_000_123);
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'countersign',
      'x-turnkey-organization-id': 'org',
      'x-turnkey-event-type': 'ACTIVITY_UPDATES',
      'x-turnkey-timestamp': '1700000000123',
      'x-turnkey-webhook-version': '1',
      'x-turnkey-event-id': event.id,
      'x-turnkey-signature-key-id': eventKeyId(service.eventKey),
      'x-turnkey-signature-algorithm': 'ed25519',
      'x-turnkey-signature-version': 'v1',
      'x-turnkey-signature': expect.stringMatching(/^[0-9a-f]{128}$/),
    });
    expect(isAuthentic(headers, event.body, eventKeySet(service.eventKey))).toBe(true);
  });

  test('D60: another time, id, body, key or signature does not verify', async () => {
    const service = serviceOf(1);
    const keySet = eventKeySet(service.eventKey);
    const headers = await signedHeaders(service, event, 1_700_000_000_123);
    const forged = (change: Record<string, string>) => ({ ...headers, ...change });
    expect(isAuthentic(forged({ 'x-turnkey-timestamp': '1700000000124' }), event.body, keySet)).toBe(false);
    expect(isAuthentic(forged({ 'x-turnkey-event-id': '01890000-0000-8000-8000-000000000002' }), event.body, keySet)).toBe(false);
    expect(isAuthentic(headers, `${event.body} `, keySet)).toBe(false);
    expect(isAuthentic(headers, event.body, eventKeySet(serviceOf(2).eventKey))).toBe(false);
    const elsewhere = await signedHeaders(serviceOf(2), event, 1_700_000_000_123);
    const signature = elsewhere['x-turnkey-signature'] as string;
    expect(isAuthentic(forged({ 'x-turnkey-signature': signature }), event.body, keySet)).toBe(false);
    // The boundaries of the parts cannot move: the time and the id contain no dot.
    const moved = { 'x-turnkey-timestamp': `1700000000123.${event.id}`, 'x-turnkey-event-id': '' };
    expect(isAuthentic(forged(moved), event.body, keySet)).toBe(false);
  });

  test('every attempt is signed for its own time, and every body verifies', async () => {
    const service = serviceOf(1);
    const times = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), times, times, async (body, firstMs, secondMs) => {
        const [first, second] = [
          await signedHeaders(service, { ...event, body }, firstMs),
          await signedHeaders(service, { ...event, body }, secondMs),
        ];
        expect(isAuthentic(second, body, eventKeySet(service.eventKey))).toBe(true);
        expect(first['x-turnkey-event-id']).toBe(second['x-turnkey-event-id']);
        expect(first['x-turnkey-signature'] === second['x-turnkey-signature']).toBe(firstMs === secondMs);
      }),
      { numRuns: 20 },
    );
  });
});

describe('the key of an installation', () => {
  test('it is the same for every vault and after a root key rotation, and differs between installations', async () => {
    const [here, elsewhere] = [await Installation.create(), await Installation.create()];
    const vault = await here.open();
    await here.addOrganization(vault, 'org');
    const publicKey = toHex(vault.service.eventKey);
    expect(toHex((await elsewhere.open()).service.eventKey)).not.toBe(publicKey);
    vault.close();
    const { store, rootKeyFile } = here;
    await rotateRootKey({ store, from: fileRootKey(rootKeyFile), to: nextFileRootKey(rootKeyFile) });
    expect(toHex((await here.open()).service.eventKey)).toBe(publicKey);
  });

  test('a vault signs with the key it names, and not after it is closed', async () => {
    const vault = await (await Installation.create()).open();
    const headers = await signedHeaders(vault.service, event, 1);
    expect(isAuthentic(headers, event.body, eventKeySet(vault.service.eventKey))).toBe(true);
    vault.close();
    await expect(vault.service.signEvent(Buffer.from('message'))).rejects.toThrow('closed');
  });
});
