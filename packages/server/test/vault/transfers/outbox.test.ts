import { describe, expect, test } from 'vitest';
import { importApiKey } from '../../../../../test/support/api-key.ts';
import { VaultError } from '../../../src/vault/errors.ts';
import { Installation, toHex } from '../support.ts';

const message = 'a code: 7K3M9QX2A · ünïcode';

async function vaultWith(...organizationIds: string[]) {
  const installation = await Installation.create();
  const vault = await installation.open();
  for (const id of organizationIds) await installation.addOrganization(vault, id);
  return { installation, vault };
}

describe('outbox messages', () => {
  test('open unchanged, also after the vault is opened again', async () => {
    const { installation, vault } = await vaultWith('o1');
    const sealed = await vault.outbox.seal('o1', 'm1', message);
    expect(await vault.outbox.open('o1', 'm1', sealed)).toBe(message);
    vault.close();
    expect(await (await installation.open()).outbox.open('o1', 'm1', sealed)).toBe(message);
  });

  test('reveal nothing of their content, and are never sealed to the same bytes', async () => {
    const { vault } = await vaultWith('o1');
    const [first, second] = [await vault.outbox.seal('o1', 'm1', message), await vault.outbox.seal('o1', 'm1', message)];
    expect(Buffer.from(first).includes('7K3M9QX2A')).toBe(false);
    expect(toHex(first)).not.toBe(toHex(second));
  });

  test('open only for their own row, and not if one bit is wrong', async () => {
    const { vault } = await vaultWith('o1', 'o2');
    const sealed = await vault.outbox.seal('o1', 'm1', message);
    const altered = Uint8Array.from(sealed);
    altered[20] = (altered[20] as number) ^ 1;
    for (const [organizationId, id, ciphertext] of [
      ['o1', 'm2', sealed],
      ['o2', 'm1', sealed],
      ['o1', 'm1', altered],
      ['o1', 'm1', new Uint8Array(0)],
    ] as const)
      await expect(vault.outbox.open(organizationId, id, ciphertext)).rejects.toThrow(VaultError);
  });

  test('are refused by a closed vault', async () => {
    const { vault } = await vaultWith('o1');
    vault.close();
    await expect(vault.outbox.seal('o1', 'm1', message)).rejects.toThrow(VaultError);
    await expect(vault.service.issueOneTimeKey()).rejects.toThrow(VaultError);
  });
});

test('a one-time key has two halves that belong together', async () => {
  const { vault } = await vaultWith();
  const { publicKey, privateKeyHex } = await vault.service.issueOneTimeKey();
  expect(() => importApiKey({ apiPublicKey: toHex(publicKey), apiPrivateKey: privateKeyHex })).not.toThrow();
  expect((await vault.service.issueOneTimeKey()).privateKeyHex).not.toBe(privateKeyHex);
});

test('the stored hash of a code depends on installation, organization, id and code', async () => {
  const { vault: first } = await vaultWith();
  const { vault: second } = await vaultWith();
  const kept = [
    first.integrity.code('o1', 'c1', 'AAAAAA'),
    second.integrity.code('o1', 'c1', 'AAAAAA'),
    first.integrity.code('o2', 'c1', 'AAAAAA'),
    first.integrity.code('o1', 'c2', 'AAAAAA'),
    first.integrity.code('o1', 'c1', 'AAAAAB'),
  ];
  expect(new Set(kept.map(toHex)).size).toBe(kept.length);
  expect(first.integrity.mailboxToken).not.toBe(second.integrity.mailboxToken);
});
