import { createHash } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { describe, expect, test } from 'vitest';
import { type SigningServiceKey, serviceKeyUses } from '../../../src/vault/keys/service-keys.ts';
import { fileRootKey, nextFileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import { rotateRootKey } from '../../../src/vault/root-key/rotate-root-key.ts';
import { signedMessage } from '../../../src/vault/transfers/signed-message.ts';
import { readSignedMessage } from '../bundle-client.ts';
import { fromHex, Installation } from '../support.ts';

const names = Object.keys(serviceKeyUses) as (keyof typeof serviceKeyUses)[];
const signing = names.filter((name): name is SigningServiceKey => name !== 'clientSecretReceiver');
const message = Buffer.from('a message');

describe('service keys', () => {
  test('different points of P-256, uncompressed in hexadecimal', async () => {
    const { publicKeys } = (await (await Installation.create()).open()).service;
    expect(Object.keys(publicKeys)).toEqual(names);
    expect(new Set(Object.values(publicKeys)).size).toBe(6);
    for (const key of Object.values(publicKeys)) {
      expect(key).toMatch(/^04[0-9a-f]{128}$/);
      expect(() => p256.Point.fromHex(key).assertValidity()).not.toThrow();
    }
  });

  test('are the same in every vault of an installation, and differ between installations', async () => {
    const [here, elsewhere] = [await Installation.create(), await Installation.create()];
    const { publicKeys } = (await here.open()).service;
    expect((await here.open()).service.publicKeys).toEqual(publicKeys);
    const others = Object.values((await elsewhere.open()).service.publicKeys);
    for (const key of Object.values(publicKeys)) expect(others).not.toContain(key);
  });

  test('a root key rotation does not change them', async () => {
    const installation = await Installation.create();
    const vault = await installation.open();
    await installation.addOrganization(vault, 'org');
    const { publicKeys } = vault.service;
    vault.close();
    const { store, rootKeyFile } = installation;
    await rotateRootKey({ store, from: fileRootKey(rootKeyFile), to: nextFileRootKey(rootKeyFile) });
    expect((await installation.open()).service.publicKeys).toEqual(publicKeys);
  });

  test.each(signing)('%s signs SHA-256 of the message, and no other key verifies it', async (name) => {
    const vault = await (await Installation.create()).open();
    const signature = await vault.service.attest(name, message);
    expect(signature).toHaveLength(64);
    const digest = createHash('sha256').update(message).digest();
    for (const each of names) {
      expect(p256.verify(signature, digest, fromHex(vault.service.publicKeys[each]), { prehash: false })).toBe(each === name);
    }
  });

  test('a closed vault signs nothing', async () => {
    const vault = await (await Installation.create()).open();
    vault.close();
    await expect(vault.service.attest('signer', message)).rejects.toThrow('closed');
  });
});

describe('signedMessage', () => {
  test('verifies with the key named in it, and for these bytes only', async () => {
    const vault = await (await Installation.create()).open();
    const text = await signedMessage(vault.service, 'signer', { organizationId: 'org', targetPublic: '04ab' });
    const { signer, sessionNotarizer } = vault.service.publicKeys;
    expect(readSignedMessage(text, signer)).toEqual({ organizationId: 'org', targetPublic: '04ab' });
    expect(() => readSignedMessage(text, sessionNotarizer)).toThrow('expected key');
    const { data, ...rest } = JSON.parse(text);
    const altered = JSON.stringify({ data: `${data.slice(0, -2)}20`, ...rest });
    expect(() => readSignedMessage(altered, signer)).toThrow('does not hold');
    expect(Object.keys(JSON.parse(text))).toEqual(['version', 'data', 'dataSignature', 'enclaveQuorumPublic']);
  });
});
