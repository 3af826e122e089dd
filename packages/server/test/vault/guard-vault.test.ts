import { ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { sealClientSecret } from '../../../../test/features/sign-in/oauth2-support.ts';
import { SecretMissing, SignatureError, VaultError } from '../../src/vault/errors.ts';
import { guardGroup, guardVault, type VaultErrorHandlers } from '../../src/vault/guard-vault.ts';
import type { VaultOptions } from '../../src/vault/open-vault.ts';
import type { OrganizationId, Vault } from '../../src/vault/vault.ts';
import { Installation } from './support.ts';

type GuardedGroup = 'keys' | 'transfers' | 'outbox';

const key = { kind: 'privateKey', id: 'k', curve: 'CURVE_P256' } as const;
const bytes = new Uint8Array(65);
const message = { encappedPublic: bytes, ciphertext: bytes };

const sealedClientSecret = (receiver: string) => Buffer.from(sealClientSecret(receiver, 'secret'), 'hex');

/** One call of every guarded method. A method without a call does not compile. */
const calls: { [G in GuardedGroup]: { [M in keyof Vault[G]]: (group: Vault[G], vault: Vault) => Promise<unknown> } } = {
  keys: {
    generatePrivateKey: (keys) => keys.generatePrivateKey('o', 'k', 'CURVE_P256'),
    generateWallet: (keys) => keys.generateWallet('o', 'w', 12, []),
    deriveAccounts: (keys) => keys.deriveAccounts('o', 'w', []),
    sign: async (keys) => keys.sign('o', key, bytes, []),
  },
  transfers: {
    createTarget: (transfers) => transfers.createTarget('o', 't', 'MESSAGE'),
    openMessage: (transfers) => transfers.openMessage('o', 't', bytes, message),
    importWallet: (transfers) => transfers.importWallet('o', 'w', ['t'], message, []),
    importPrivateKey: (transfers) => transfers.importPrivateKey('o', 'k', ['t'], message, 'CURVE_P256'),
    importClientSecret: async (transfers, { service }) =>
      transfers.importClientSecret('o', 's', sealedClientSecret(service.publicKeys.clientSecretReceiver)),
    readClientSecret: (transfers) => transfers.readClientSecret('o', 's'),
    importBytes: (transfers) => transfers.importBytes('o', 's', 't', message),
    exportBytes: (transfers) => transfers.exportBytes('o', 's', bytes),
    checkBytes: (transfers) => transfers.checkBytes('o', 's'),
    exportWallet: (transfers) => transfers.exportWallet('o', 'w', bytes),
    exportPrivateKey: (transfers) => transfers.exportPrivateKey('o', key, bytes, bytes),
  },
  outbox: {
    seal: (outbox) => outbox.seal('o', 'm', 'message'),
    open: (outbox) => outbox.open('o', 'm', bytes),
  },
};

const everyCall: readonly (readonly [string, (vault: Vault) => Promise<unknown>])[] = [
  ...Object.entries(calls.keys).map(([name, call]) => [`keys.${name}`, (vault: Vault) => call(vault.keys, vault)] as const),
  ...Object.entries(calls.transfers).map(
    ([name, call]) => [`transfers.${name}`, (vault: Vault) => call(vault.transfers, vault)] as const,
  ),
  ...Object.entries(calls.outbox).map(([name, call]) => [`outbox.${name}`, (vault: Vault) => call(vault.outbox, vault)] as const),
];

/** A guarded vault and the alarms that it raises. The organization `o` has no data key, so every call about it fails. */
async function start(options: Partial<VaultOptions> = {}) {
  const installation = await Installation.create();
  const opened = await installation.open(options);
  const alarms: [string, string][] = [];
  const answers: VaultErrorHandlers = {
    alarm: (...heard) => alarms.push(heard),
    tampered(organizationId, what, cause) {
      alarms.push([organizationId, what]);
      return new ServiceError('STATE_TAMPERED', what, { cause });
    },
  };
  return { installation, opened, vault: guardVault(opened, answers), alarms };
}

const errorOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );

describe('the guarded vault', () => {
  test.each(everyCall)('D62: %s reports a secret that does not open as tampered state', async (_name, call) => {
    const { installation, opened, vault, alarms } = await start();
    for (const id of ['k', 'w', 't', 's'])
      installation.tamper("INSERT INTO secrets (organization_id, id, ciphertext) VALUES ('o', ?, ?)", id, bytes);
    const fault = await errorOf(call(opened));
    expect(fault).toBeInstanceOf(VaultError);
    expect(fault).not.toBeInstanceOf(SecretMissing);
    const { message } = fault as VaultError;
    expect(await errorOf(call(vault))).toMatchObject({ name: 'ServiceError', code: 'STATE_TAMPERED', message, cause: fault });
    expect(alarms).toEqual([['o', message]]);
  });

  test('D732: leaves a missing secret to the pipeline, which knows whether the key was deleted', async () => {
    const { vault, alarms } = await start();
    expect(await errorOf(vault.keys.sign('o', key, bytes, []))).toBeInstanceOf(SecretMissing);
    expect(alarms).toEqual([]);
  });

  test.each(everyCall)('%s raises no alarm once the vault is closed', async (_name, call) => {
    const { vault, alarms } = await start();
    vault.close();
    await expect(call(vault)).rejects.toMatchObject({ name: 'VaultError', message: 'the vault is closed' });
    expect(alarms).toEqual([]);
  });

  test('D64: a signature that does not verify raises an alarm, and the error stays the same', async () => {
    const { installation, vault, alarms } = await start({
      onSigned({ bytes }) {
        bytes[40] = (bytes[40] as number) ^ 1;
      },
    });
    await installation.addOrganization(vault, 'o');
    const { publicKey, ciphertext } = await vault.keys.generatePrivateKey('o', 'k', 'CURVE_P256');
    await installation.putSecret('o', 'k', ciphertext);
    const requests = [{ kind: 'ecdsa', digest: new Uint8Array(32) }] as const;
    const fault = await errorOf(Promise.resolve(vault.keys.sign('o', key, publicKey, requests)));
    expect(fault).toBeInstanceOf(SignatureError);
    expect(alarms).toEqual([['o', (fault as SignatureError).message]]);
  });

  test('results and other errors pass through unchanged', async () => {
    const { installation, opened, vault, alarms } = await start();
    await installation.addOrganization(vault, 'o');
    const sealed = await vault.outbox.seal('o', 'm', 'message');
    expect(await opened.outbox.open('o', 'm', sealed)).toBe('message');
    await expect(vault.keys.generateWallet('o', 'w', 13, [])).rejects.toThrow(RangeError);
    expect(vault.service).toBe(opened.service);
    expect(vault.integrity).toBe(opened.integrity);
    expect(alarms).toEqual([]);
  });
});

describe('a guarded group', () => {
  const answer = (organizationId: string, error: unknown) => new Error(`${organizationId}: ${(error as Error).message}`);

  test('passes every argument on, and answers errors that are thrown at once or later', async () => {
    const group = guardGroup(
      {
        add: async (organizationId: OrganizationId, a: number, b: number) => `${organizationId} ${a + b}`,
        later: async (_organizationId: OrganizationId) => Promise.reject(new Error('later')),
        atOnce: (_organizationId: OrganizationId): Promise<void> => {
          throw new Error('at once');
        },
      },
      answer,
    );
    expect(await group.add('o', 1, 2)).toBe('o 3');
    await expect(group.later('o')).rejects.toThrow('o: later');
    await expect(group.atOnce('o')).rejects.toThrow('o: at once');
  });

  test('does not compile unless every member takes the id of an organization first', () => {
    // @ts-expect-error: the first argument is one of a few names.
    guardGroup({ attest: async (_key: 'signer' | 'notarizer') => 1 }, answer);
    // @ts-expect-error: the first argument is some other id.
    guardGroup({ sign: async (_keyId: string, _organizationId: OrganizationId) => 1 }, answer);
    // @ts-expect-error: the first argument is bytes.
    guardGroup({ issue: async (_target: Uint8Array) => 1 }, answer);
    // @ts-expect-error: there is no first argument.
    guardGroup({ issue: async () => 1 }, answer);
    // @ts-expect-error: the first argument may be left out.
    guardGroup({ issue: async (_organizationId?: OrganizationId) => 1 }, answer);
    // @ts-expect-error: the guard does not see the errors of a synchronous method.
    guardGroup({ forget: (_organizationId: OrganizationId) => {} }, answer);
    // @ts-expect-error: not a method.
    guardGroup({ publicKey: new Uint8Array(32) }, answer);
    // @ts-expect-error: one wrong member among right ones.
    guardGroup({ sign: async (_organizationId: OrganizationId, _id: string) => 1, attest: async (_key: 'signer') => 1 }, answer);
    expect(Object.keys(guardGroup({ sign: async (_organizationId: OrganizationId, _id: string) => 1 }, answer))).toEqual([
      'sign',
    ]);
  });
});
