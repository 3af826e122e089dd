import type { LocalChange } from '../../organizations/changes.ts';
import type { RunContext } from '../../pipeline/executor.ts';
import { type NewAccount, recordAccounts } from './new-accounts.ts';

/** A wallet whose accounts were read. */
export interface NewWallet {
  readonly walletName: string;
  readonly mnemonicLength: number;
  readonly accounts: readonly NewAccount[];
}

const DEFAULT_MNEMONIC_LENGTH = 12;

export function newWallet(walletName: string, mnemonicLength: number | undefined, accounts: readonly NewAccount[]): NewWallet {
  return { walletName, mnemonicLength: mnemonicLength ?? DEFAULT_MNEMONIC_LENGTH, accounts };
}

/** Generates a wallet in an organization: what to write, and what the caller learns of it. */
export async function generateWallet(
  { vault, newId, nowMs }: Pick<RunContext, 'vault' | 'newId' | 'nowMs'>,
  organizationId: string,
  wallet: NewWallet,
) {
  const walletId = newId();
  const { ciphertext, publicKeys } = await vault.generateWallet(organizationId, walletId, wallet.mnemonicLength, wallet.accounts);
  const accounts = recordAccounts(walletId, wallet.accounts, publicKeys, newId, nowMs);
  const body = { walletName: wallet.walletName, exported: false, imported: false, createdAtMs: nowMs, updatedAtMs: nowMs };
  const changes: LocalChange[] = [
    { op: 'putSecret', id: walletId, ciphertext },
    { op: 'putResource', kind: 'wallet', id: walletId, body },
    ...accounts.changes,
  ];
  return { changes, result: { walletId, addresses: accounts.addresses } };
}
