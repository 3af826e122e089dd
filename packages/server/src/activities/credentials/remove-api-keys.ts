import type { RecordDelete } from '../../organizations/changes.ts';
import { openedWith } from '../../organizations/indexes.ts';
import type { SessionOrigin } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { requireAdmittedBy } from '../organizations/ip-allowlists.ts';

/** The changes that take API keys out of an organization, each with the IP allowlist that governs it alone. */
export function removeApiKeys({ records }: Pick<Snapshot, 'records'>, ids: readonly string[]): RecordDelete[] {
  return ids.flatMap((id): RecordDelete[] => [
    { op: 'deleteRecord', kind: 'apiKey', id },
    ...(records.ipAllowlist.has(id) ? [{ op: 'deleteRecord' as const, kind: 'ipAllowlist' as const, id }] : []),
  ]);
}

/** Sessions by the ids of their records. */
export interface Sessions {
  readonly apiKeyIds: readonly string[];
  readonly readOnlySessionIds: readonly string[];
}

/** The sessions that rest on a credential, directly or through other sessions. The credentials themselves are not among them. */
export function sessionsOpenedWith({ apiKeys, records }: Snapshot, credentialIds: readonly string[]): Sessions {
  const gone = new Set(credentialIds);
  const opened = <T extends { readonly origin?: SessionOrigin }>(sessions: ReadonlyMap<string, T>) =>
    [...new Set(credentialIds.flatMap((by) => [...openedWith(sessions, by).keys()]))].filter((id) => !gone.has(id)).sort();
  return { apiKeyIds: opened(apiKeys), readOnlySessionIds: opened(records.readOnlySession) };
}

/** SECURITY: a session goes with the credential that opened it. Otherwise deleting a stolen key would leave its thief signed in. */
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
 * Refuses to take API keys away where one of them asks for it, from an address that its own list has and the organization's has not: that
 * list goes with the key, and perhaps nobody is left who can call. Asked when it is submitted and when it is carried out.
 */
export function requireNoLockOutWithout(context: Pick<PlanContext, 'organization' | 'requester'>, ids: readonly string[]): void {
  const { ipAllowlist } = context.organization.records;
  const removed = new Set(ids.filter((id) => ipAllowlist.has(id)));
  if (removed.size === 0) return;
  requireAdmittedBy(new Map([...ipAllowlist].filter(([id]) => !removed.has(id))), context);
}
