import { isAudited, type OrganizationRecord } from '../records.ts';
import type { Change, LocalChange } from '../snapshot/changes.ts';

/** The changes of an activity that later decisions depend on. Replaying them allows later activities to be authorized again. */
export interface AuditChanges {
  readonly changes: readonly AuditChange[];
  /** The parameters without their secrets, if the stamped body contains one and is therefore not shown to others. */
  readonly parameters?: unknown;
}

export type AuditChange = LocalAuditChange | { readonly create: string; readonly changes: readonly LocalAuditChange[] };

/** A record or resource that was written or deleted. */
export type LocalAuditChange =
  | { readonly put: string; readonly id: string; readonly body: unknown }
  | { readonly drop: string; readonly id: string };

/** The changes to store with an activity. Undefined if no decision depends on them and the activity has no redacted parameters. */
export function toAuditChanges(changes: readonly Change[], parameters?: unknown): AuditChanges | undefined {
  if (changes.length === 0 && parameters === undefined) return undefined;
  const kept = changes.flatMap(toAuditChangeList);
  if (kept.length === 0 && parameters === undefined) return undefined;
  return { changes: kept, ...(parameters !== undefined && { parameters }) };
}

function toAuditChangeList(change: Change): readonly AuditChange[] {
  if (change.op !== 'createOrganization') return toLocalAuditChanges(change);
  return [{ create: change.organizationId, changes: change.changes.flatMap(toLocalAuditChanges) }];
}

function toLocalAuditChanges(change: LocalChange): readonly LocalAuditChange[] {
  switch (change.op) {
    case 'putRecord': {
      const { kind, id, body } = change;
      return isAudited(kind) ? [{ put: kind, id, body: kind === 'organization' ? withoutBilling(body) : body }] : [];
    }
    case 'deleteRecord':
      return isAudited(change.kind) ? [{ drop: change.kind, id: change.id }] : [];
    case 'putResource':
      return [{ put: change.kind, id: change.id, body: change.body }];
    case 'deleteResource':
      return [{ drop: change.previous.kind, id: change.previous.id }];
    default:
      return [];
  }
}

function withoutBilling({ paymentMethod: _, billingTier: __, ...rest }: OrganizationRecord): unknown {
  return rest;
}
