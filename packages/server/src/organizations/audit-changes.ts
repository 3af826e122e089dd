import type { Change, LocalChange } from './changes.ts';
import { isAudited, type OrganizationRecord } from './records.ts';

/** What an activity changed of what decisions rest on. Whoever replays this can judge later activities again. */
export interface AuditChanges {
  readonly changes: readonly AuditChange[];
  /** The parameters without their secrets, where the stamped body holds one and is therefore not shown to others. */
  readonly parameters?: unknown;
}

export type AuditChange = LocalAuditChange | { readonly create: string; readonly changes: readonly LocalAuditChange[] };

/** A record or resource that was written, or that is gone. */
export type LocalAuditChange =
  | { readonly put: string; readonly id: string; readonly body: unknown }
  | { readonly drop: string; readonly id: string };

/** What is kept of the changes of an activity. Undefined where it changed nothing that decisions rest on, and holds no secret. */
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
