import { MAX_SECRETS_PER_REQUEST, ServiceError } from '@countersign/contract';
import type { ImportTargetRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';
import { signedMessage } from '../../vault/transfers/signed-message.ts';

/** Kind of import that a target accepts. */
type Use = ImportTargetRecord['use'];

/** Lifetime of a target. */
const TARGET_LIFE_MS = 24 * 60 * 60 * 1000;

/** Denies an import for another user: an import is bound to its submitter from start to end. */
export function requireOwnImport({ submitterId }: PlanContext, userId: string): void {
  if (userId === submitterId) return;
  throw new ServiceError('POLICY_DENIED', 'request not authorized: an import must be for the user who submits it.', {
    violations: [{ field: 'userId', description: 'must be the user who submits the import' }],
  });
}

/** Returns the targets that the submitter can import to now, newest first. */
export function openTargets({ organization, submitterId, nowMs }: PlanContext, use: Use): string[] {
  return ownTargets(organization.records.importTarget, submitterId, use)
    .filter(([, target]) => target.expiresAtMs > nowMs)
    .map(([id]) => id);
}

/** Returns the submitter's open target with this public key, or undefined. */
export function openTargetWith(context: PlanContext, use: Use, publicKey: string): string | undefined {
  const { importTarget } = context.organization.records;
  return openTargets(context, use).find((id) => importTarget.get(id)?.publicKey === publicKey);
}

/** Returns the submitter's targets to remove when new ones are created: expired ones, then the oldest beyond the limit. */
export function surplusTargets(context: PlanContext, use: Use, wanted = 1): string[] {
  const { organization, submitterId, limits } = context;
  const most = use === 'IMPORT_SECRET' ? MAX_SECRETS_PER_REQUEST : limits.maxCredentials;
  const kept = new Set(openTargets(context, use).slice(0, most - wanted));
  return ownTargets(organization.records.importTarget, submitterId, use)
    .map(([id]) => id)
    .filter((id) => !kept.has(id));
}

function ownTargets(
  targets: ReadonlyMap<string, ImportTargetRecord>,
  userId: string,
  use: Use,
): (readonly [string, ImportTargetRecord])[] {
  return [...targets]
    .filter(([, target]) => target.userId === userId && target.use === use)
    .sort(([, a], [, b]) => b.createdAtMs - a.createdAtMs);
}

/** Creates a target for the submitter, and the signed bundle with its public key. */
export async function makeTarget(
  { organization, submitterId: userId, vault, newId, nowMs }: RunContext,
  use: Use,
  surplus: readonly string[],
): Promise<{ readonly importBundle: string; readonly changes: readonly LocalChange[] }> {
  const id = newId();
  const { publicKey, ciphertext } = await vault.transfers.createTarget(organization.id, id, use);
  const targetPublic = Buffer.from(publicKey).toString('hex');
  const importBundle = await signedMessage(vault.service, 'signer', {
    targetPublic,
    organizationId: organization.id,
    userId,
  });
  const named = use === 'IMPORT_SECRET' ? { publicKey: targetPublic } : {};
  const body = { userId, use, ...named, expiresAtMs: nowMs + TARGET_LIFE_MS, createdAtMs: nowMs, updatedAtMs: nowMs };
  return {
    importBundle,
    changes: [
      ...surplus.flatMap(removeTarget),
      { op: 'putSecret', id, ciphertext },
      { op: 'putRecord', kind: 'importTarget', id, body },
    ],
  };
}

/** Removes a used or expired target and its private key. */
export function removeTarget(id: string): LocalChange[] {
  return [
    { op: 'deleteRecord', kind: 'importTarget', id },
    { op: 'deleteSecret', id },
  ];
}

/** Error for a bundle that none of the submitter's targets can decrypt. */
export function unreadable(): ServiceError {
  return new ServiceError(
    'BUNDLE_INVALID',
    'The bundle cannot be decrypted: it was encrypted to another target, the target was used or has expired, or the bundle was altered. Start again with a new target.',
  );
}
