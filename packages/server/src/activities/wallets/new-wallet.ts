import { defaults } from '@countersign/contract';
import type { LocalChange } from '../../organizations/changes.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';
import { limitExceeded, nameTaken } from '../../wire/refuse.ts';
import { type NewAccount, recordAccounts } from './new-accounts.ts';

/** A wallet whose accounts were read. */
export interface NewWallet {
  readonly walletName: string;
  readonly mnemonicLength: number;
  readonly accounts: readonly NewAccount[];
}

export function newWallet(walletName: string, mnemonicLength: number | undefined, accounts: readonly NewAccount[]): NewWallet {
  return { walletName, mnemonicLength: mnemonicLength ?? defaults.mnemonicLength, accounts };
}

/** Refuses a wallet for which there is no room, or whose name another one has. */
export async function requireNewWallet({ organization, resources, limits }: PlanContext, walletName: string): Promise<void> {
  const held = organization.keyCounts.wallet ?? 0;
  if (held + 1 > limits.maxWallets) throw limitExceeded('wallets', limits.maxWallets, 'maxWallets');
  const [taken] = await resources.find(organization.id, 'walletName', walletName);
  if (taken !== undefined) throw nameTaken('wallet', 'walletName');
}

/** Generates a wallet in an organization: what to write, and what the caller learns of it. */
export async function generateWallet(
  context: Pick<RunContext, 'organization' | 'vault' | 'newId' | 'nowMs'>,
  organizationId: string,
  { walletName, mnemonicLength, accounts }: NewWallet,
) {
  const walletId = context.newId();
  const { keys } = context.vault;
  // SECURITY: D249: a parent may make many sub-organizations at once. Were each an owner, it would have as many turns as all others.
  const owner = context.organization.id;
  const { ciphertext, publicKeys } = await keys.generateWallet(organizationId, walletId, mnemonicLength, accounts, owner);
  return recordWallet(context, { walletId, walletName, accounts, imported: false }, ciphertext, publicKeys);
}

/** The changes that record a wallet that the vault made or took in, and what the caller learns of it. */
export async function recordWallet(
  context: Pick<RunContext, 'organization' | 'newId' | 'nowMs'>,
  { walletId, walletName, accounts, imported }: Omit<NewWallet, 'mnemonicLength'> & { walletId: string; imported: boolean },
  ciphertext: Uint8Array,
  publicKeys: readonly Uint8Array[],
) {
  const { nowMs } = context;
  const recorded = await recordAccounts(context, walletId, accounts, publicKeys);
  const body = { walletName, exported: false, imported, createdAtMs: nowMs, updatedAtMs: nowMs };
  const changes: LocalChange[] = [
    { op: 'putSecret', id: walletId, ciphertext },
    { op: 'putResource', kind: 'wallet', id: walletId, body },
    ...recorded.changes,
  ];
  return { changes, result: { walletId, addresses: recorded.addresses } };
}
