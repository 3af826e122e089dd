import { ServiceError } from '@countersign/contract';
import type { LocalChange } from '../../organizations/changes.ts';
import type { ImportTargetRecord } from '../../organizations/records.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';
import { signedMessage } from '../../vault/signed-message.ts';

/** What is imported to a target. */
type Use = ImportTargetRecord['use'];

/** How long a target waits for its import. */
const TARGET_LIFE_MS = 24 * 60 * 60 * 1000;

/** Nobody imports for somebody else: what a user brings is bound to that user from beginning to end. */
export function requireOwnImport({ submitterId }: PlanContext, userId: string): void {
  if (userId === submitterId) return;
  throw new ServiceError('POLICY_DENIED', 'request not authorized: an import must be for the user who submits it.', {
    violations: [{ field: 'userId', description: 'must be the user who submits the import' }],
  });
}

/** The targets that the submitter may import to now, the newest first. */
export function openTargets({ organization, submitterId, nowMs }: PlanContext, use: Use): string[] {
  return ownTargets(organization.records.importTarget, submitterId, use)
    .filter(([, target]) => target.expiresAtMs > nowMs)
    .map(([id]) => id);
}

/** The submitter's targets that go when another is made: those that are over, and then the oldest beyond the limit. */
export function surplusTargets(context: PlanContext, use: Use): string[] {
  const { organization, submitterId, limits } = context;
  const kept = new Set(openTargets(context, use).slice(0, limits.maxCredentials - 1));
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

/** Makes a target for the submitter, and the signed bundle that tells its public half. */
export async function makeTarget(
  { organization, submitterId: userId, vault, newId, nowMs }: RunContext,
  use: Use,
  surplus: readonly string[],
): Promise<{ readonly importBundle: string; readonly changes: readonly LocalChange[] }> {
  const id = newId();
  const { publicKey, ciphertext } = await vault.transfers.createTarget(organization.id, id, use);
  const importBundle = await signedMessage(vault.service, 'signer', {
    targetPublic: Buffer.from(publicKey).toString('hex'),
    organizationId: organization.id,
    userId,
  });
  const body = { userId, use, expiresAtMs: nowMs + TARGET_LIFE_MS, createdAtMs: nowMs, updatedAtMs: nowMs };
  return {
    importBundle,
    changes: [
      ...surplus.flatMap(removeTarget),
      { op: 'putSecret', id, ciphertext },
      { op: 'putRecord', kind: 'importTarget', id, body },
    ],
  };
}

/** Takes a target away with its private half: it was used, or is over. */
export function removeTarget(id: string): LocalChange[] {
  return [
    { op: 'deleteRecord', kind: 'importTarget', id },
    { op: 'deleteSecret', id },
  ];
}

/** The answer to a bundle that none of the submitter's targets opens. */
export function unreadable(): ServiceError {
  return new ServiceError(
    'BUNDLE_INVALID',
    'The bundle cannot be opened: it was encrypted to another target, to one that was used or is over, or was altered. Begin again with a new target.',
  );
}
