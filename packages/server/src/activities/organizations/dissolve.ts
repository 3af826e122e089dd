import { ServiceError } from '@countersign/contract';
import { type Resource, recordKinds } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { anySuborg } from '../../organizations/snapshot/lookups.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { accountsOfWallet } from '../wallets/wallet-accounts.ts';

/** Resources of an organization that are not in its snapshot. */
export interface Holdings {
  readonly privateKeys: readonly Resource<'privateKey'>[];
  readonly wallets: readonly Resource<'wallet'>[];
  readonly accounts: readonly Resource<'walletAccount'>[];
}

/**
 * Reads the resources to delete with an organization. Throws if it has sub-organizations, or keys that were never exported unless
 * `deleteWithoutExport` is set.
 */
export async function readHoldings({ organization, resources }: PlanContext, deleteWithoutExport: boolean): Promise<Holdings> {
  if ((await resources.find(organization.id, anySuborg.kind, anySuborg.value)).length > 0) {
    throw new ServiceError(
      'PRECONDITION_FAILED',
      'The organization has sub-organizations. The root users of each must delete it first.',
    );
  }
  const privateKeys = await resources.list(organization.id, 'privateKey');
  const wallets = await resources.list(organization.id, 'wallet');
  const lost = [...privateKeys, ...wallets].find(({ body }) => !body.exported);
  if (lost !== undefined && !deleteWithoutExport) {
    const what = lost.kind === 'wallet' ? 'Wallet' : 'Private key';
    throw new ServiceError(
      'PRECONDITION_FAILED',
      `${what} ${lost.id} was never exported: deleting the organization destroys it permanently. Export it first, or set deleteWithoutExport when you delete it.`,
    );
  }
  const kept = [...organization.records.secret].find(([, { exported }]) => !exported);
  if (kept !== undefined && !deleteWithoutExport) {
    throw new ServiceError(
      'PRECONDITION_FAILED',
      `Secret ${kept[0]} was never exported: deleting the organization destroys it permanently. Export or delete it first, or set deleteWithoutExport when you delete the organization.`,
    );
  }
  const accounts: Resource<'walletAccount'>[] = [];
  for (const { id } of wallets) accounts.push(...(await accountsOfWallet(resources, organization.id, id)));
  return { privateKeys, wallets, accounts };
}

/**
 * Deletes everything in an organization except its record, so that its id is never reused and a parent can still read its activities. No
 * users or credentials remain that could act in it.
 */
export function dissolve({ id, records, profile }: Snapshot, { privateKeys, wallets, accounts }: Holdings, nowMs: number) {
  const secretIds = [
    ...[...privateKeys, ...wallets].map((holding) => holding.id),
    ...records.importTarget.keys(),
    ...records.secret.keys(),
  ];
  const { name, parentId, createdAtMs, rootQuorum } = profile;
  const body = {
    name,
    parentId,
    rootQuorum: { ...rootQuorum, userIds: [] },
    features: [],
    createdAtMs,
    updatedAtMs: nowMs,
    deletedAtMs: nowMs,
  };
  const changes: LocalChange[] = [
    ...[...accounts, ...wallets, ...privateKeys].map((previous) => ({ op: 'deleteResource' as const, previous })),
    ...secretIds.map((secretId) => ({ op: 'deleteSecret' as const, id: secretId })),
    ...recordKinds
      .filter((kind) => kind !== 'organization')
      .flatMap((kind) => [...records[kind].keys()].map((recordId) => ({ op: 'deleteRecord' as const, kind, id: recordId }))),
    { op: 'putRecord', kind: 'organization', id, body },
  ];
  return { changes, forget: secretIds };
}
