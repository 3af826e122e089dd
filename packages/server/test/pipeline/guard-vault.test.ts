import { ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { guardVault } from '../../src/pipeline/guard-vault.ts';
import { SignatureFault, VaultFault } from '../../src/vault/faults.ts';
import type { Vault } from '../../src/vault/vault.ts';

/** A vault in which every use of a stored secret fails in one way. */
function failingVault(fault: Error): Vault {
  const fail = () => Promise.reject(fault);
  return {
    generatePrivateKey: fail,
    generateWallet: fail,
    deriveAccounts: fail,
    sign: fail,
    close: () => {},
  } as unknown as Vault;
}

const use = {
  sign: (vault: Vault) => vault.sign('o', { kind: 'privateKey', id: 'k', curve: 'CURVE_P256' }, new Uint8Array(33), []),
  deriveAccounts: (vault: Vault) => vault.deriveAccounts('o', 'w', []),
  generatePrivateKey: (vault: Vault) => vault.generatePrivateKey('o', 'k', 'CURVE_P256'),
  generateWallet: (vault: Vault) => vault.generateWallet('o', 'w', 12, []),
};

describe.each(Object.entries(use))('the guarded vault: %s', (_name, call) => {
  test('D62: a secret that does not open is reported as tampered state', async () => {
    const alarms: [string, string][] = [];
    const fault = new VaultFault('the secret of k is not authentic', 'restore it');
    const guarded = guardVault(failingVault(fault), (...heard) => alarms.push(heard));
    const error = await call(guarded).then(
      () => undefined,
      (reason: unknown) => reason as ServiceError,
    );
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'STATE_TAMPERED', cause: fault });
    expect(error?.message).toContain('the secret of k is not authentic');
    expect(alarms).toEqual([['o', 'the secret of k is not authentic']]);
  });

  test('D64: a signature that does not verify raises an alarm, and the error stays the same', async () => {
    const alarms: [string, string][] = [];
    const fault = new SignatureFault('o', 'k', 'a signature by key k did not verify');
    const guarded = guardVault(failingVault(fault), (...heard) => alarms.push(heard));
    await expect(call(guarded)).rejects.toBe(fault);
    expect(alarms).toEqual([['o', 'a signature by key k did not verify']]);
  });

  test('a vault closed during a late request raises no alarm', async () => {
    const fault = new VaultFault('the vault is closed', 'start again');
    const alarms: unknown[] = [];
    const guarded = guardVault(failingVault(fault), (...heard) => alarms.push(heard));
    guarded.close();
    await expect(call(guarded)).rejects.toBe(fault);
    expect(alarms).toEqual([]);
  });
});
