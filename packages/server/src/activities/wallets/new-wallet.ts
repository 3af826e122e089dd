import { defaults } from '@countersign/contract';
import { requireVisible } from '../../organizations/names.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';
import { limitExceeded, nameTaken } from '../../wire/refuse.ts';
import { type NewAccount, recordAccounts } from './new-accounts.ts';

/** A wallet to create, with validated accounts. */
export interface NewWallet {
  readonly walletName: string;
  readonly mnemonicLength: number;
  readonly accounts: readonly NewAccount[];
}

export function newWallet(walletName: string, mnemonicLength: number | undefined, accounts: readonly NewAccount[]): NewWallet {
  return { walletName, mnemonicLength: mnemonicLength ?? defaults.mnemonicLength, accounts };
}

/** Rejects a wallet if the wallet limit is reached, or if another wallet has the name. */
export async function requireNewWallet({ organization, resources, limits }: PlanContext, walletName: string): Promise<void> {
  const held = organization.keyCounts.wallet ?? 0;
  if (held + 1 > limits.maxWallets) throw limitExceeded('wallets', limits.maxWallets, 'maxWallets');
  requireVisible(walletName, 'walletName');
  const [taken] = await resources.find(organization.id, 'walletName', walletName);
  if (taken !== undefined) throw nameTaken('wallet', 'walletName');
}

/** Generates a wallet. Returns the changes and the result for the caller. */
export async function generateWallet(
  context: Pick<RunContext, 'organization' | 'vault' | 'newId' | 'nowMs'>,
  organizationId: string,
  { walletName, mnemonicLength, accounts }: NewWallet,
) {
  const walletId = context.newId();
  const { keys } = context.vault;
  // SECURITY: D249: owners share the CPU time equally, and a parent can create many sub-organizations concurrently. If each of them were an
  // owner, the parent would get a share for each.
  const owner = context.organization.id;
  const { ciphertext, publicKeys } = await keys.generateWallet(organizationId, walletId, mnemonicLength, accounts, owner);
  return recordWallet(context, { walletId, walletName, accounts, imported: false }, ciphertext, publicKeys);
}

/** Returns the changes that record a generated or imported wallet, and the result for the caller. */
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
