import type { SessionOrigin } from '../../organizations/records.ts';
import type { RecordDelete } from '../../organizations/snapshot/changes.ts';
import { openedWith } from '../../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { requireAdmittedBy } from '../organizations/ip-allowlists.ts';

/** Returns the changes that remove API keys, each with its own IP allowlist. */
export function removeApiKeys({ records }: Pick<Snapshot, 'records'>, ids: readonly string[]): RecordDelete[] {
  return ids.flatMap((id): RecordDelete[] => [
    { op: 'deleteRecord', kind: 'apiKey', id },
    ...(records.ipAllowlist.has(id) ? [{ op: 'deleteRecord' as const, kind: 'ipAllowlist' as const, id }] : []),
  ]);
}

/** Ids of sessions. */
export interface Sessions {
  readonly apiKeyIds: readonly string[];
  readonly readOnlySessionIds: readonly string[];
}

/** Returns the sessions that were opened with the credentials, directly or through other sessions. Excludes the credentials themselves. */
export function sessionsOpenedWith({ apiKeys, records }: Snapshot, credentialIds: readonly string[]): Sessions {
  const gone = new Set(credentialIds);
  const opened = <T extends { readonly origin?: SessionOrigin }>(sessions: ReadonlyMap<string, T>) =>
    [...new Set(credentialIds.flatMap((by) => [...openedWith(sessions, by).keys()]))].filter((id) => !gone.has(id)).sort();
  return { apiKeyIds: opened(apiKeys), readOnlySessionIds: opened(records.readOnlySession) };
}

/** SECURITY: a session ends with the credential that opened it. Otherwise deleting a stolen key would leave the thief signed in. */
export function endOpenedSessions(
  organization: Pick<Snapshot, 'records'>,
  { apiKeyIds, readOnlySessionIds }: Sessions,
): RecordDelete[] {
  return [
    ...removeApiKeys(organization, apiKeyIds),
    ...readOnlySessionIds.map((id): RecordDelete => ({ op: 'deleteRecord', kind: 'readOnlySession', id })),
  ];
}

/**
 * Rejects the removal of API keys if one of them makes the request and only its own IP allowlist admits the address: the list is removed
 * with the key, and perhaps no caller could reach the organization any more. Checked at submission and at execution.
 */
export function requireNoLockOutWithout(context: Pick<PlanContext, 'organization' | 'requester'>, ids: readonly string[]): void {
  const { ipAllowlist } = context.organization.records;
  const removed = new Set(ids.filter((id) => ipAllowlist.has(id)));
  if (removed.size === 0) return;
  requireAdmittedBy(new Map([...ipAllowlist].filter(([id]) => !removed.has(id))), context);
}
