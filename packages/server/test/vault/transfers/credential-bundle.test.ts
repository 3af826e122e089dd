import { p256 } from '@noble/curves/nist.js';
import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { newKeyPair, openCredentialBundle } from '../bundle-client.ts';
import { Installation, toHex } from '../support.ts';

describe('issueCredential', () => {
  test('the bundle holds the private half of the key, for the target only', async () => {
    const vault = await (await Installation.create()).open();
    const target = newKeyPair();
    const { publicKey, credentialBundle } = await vault.service.issueCredential(target.publicKey);
    const privateKey = openCredentialBundle(credentialBundle, target);
    expect(privateKey).toHaveLength(32);
    expect(toHex(p256.getPublicKey(privateKey, true))).toBe(toHex(publicKey));
    expect(() => openCredentialBundle(credentialBundle, newKeyPair())).toThrow();
  });

  test('81 bytes in Base58Check without a version byte: a compressed key, 32 bytes and a tag', async () => {
    const vault = await (await Installation.create()).open();
    const { credentialBundle } = await vault.service.issueCredential(newKeyPair().publicKey);
    const bytes = base58.decode(credentialBundle);
    expect(bytes).toHaveLength(81 + 4);
    expect([2, 3]).toContain(bytes[0]);
  });

  test('no two bundles are equal', async () => {
    const vault = await (await Installation.create()).open();
    const { publicKey: target } = newKeyPair();
    const issued = await Promise.all(Array.from({ length: 5 }, () => vault.service.issueCredential(target)));
    expect(new Set(issued.map(({ publicKey }) => toHex(publicKey))).size).toBe(5);
    expect(new Set(issued.map(({ credentialBundle }) => credentialBundle.slice(0, 40))).size).toBe(5);
  });

  test('a closed vault issues nothing', async () => {
    const vault = await (await Installation.create()).open();
    vault.close();
    await expect(vault.service.issueCredential(newKeyPair().publicKey)).rejects.toThrow('closed');
  });
});
