import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { readParameters } from '../../wire/read-parameters.ts';
import { denyEarly } from '../authorize/early-denial.ts';
import type { Prepared, Proposed } from '../context.ts';
import type { SubmitRequest } from '../request.ts';
import type { PipelineServices } from '../services.ts';
import { requesterOf, toVote, usageChange } from '../vote/vote-record.ts';
import type { Identities } from './executor.ts';
import { identitiesIn, noIdentities } from './identities.ts';

/**
 * Stage: an activity with its submitter's vote, on the version of the organization that the caller was authenticated against.
 * SECURITY: D160: checks for an early denial in every attempt, because rights change.
 */
export async function proposeActivity(services: PipelineServices, prepared: Prepared): Promise<Proposed> {
  const { request, authenticated, warnings } = prepared;
  const { caller, target, home } = authenticated;
  const { definition, version, bodyText, stamped } = request;
  const nowMs = services.clock.nowMs();
  const votes = [toVote(request, caller, 'VOTE_SELECTION_APPROVED', services.newId(), nowMs)];
  const earlyDenial = denyEarly({ definition, version, home, votes }, bodyText.length);
  const { params, identities } = await readLate(services, prepared, earlyDenial !== undefined);
  const requester = requesterOf(caller, stamped);
  const changes = usageChange(caller, nowMs);
  return {
    request,
    authenticated,
    proposal: { definition, version, params, target, home, votes, nowMs, identities, requester, changes },
    record: newRecord(request, services.newId(), home, warnings, nowMs),
    stored: undefined,
    earlyDenial,
  };
}

/** Parameters that were skipped for an early denial are read if the request is no longer denied. */
async function readLate(
  services: PipelineServices,
  { request, params, identities }: Prepared,
  isDenied: boolean,
): Promise<{ readonly params: unknown; readonly identities: Identities }> {
  if (params !== undefined || isDenied) return { params, identities: identities ?? noIdentities };
  const read = readParameters(request.reader, request.parameters);
  return { params: read, identities: await identitiesIn(services, request.definition, read) };
}

function newRecord(
  { organizationId, version, fingerprint, timestampMs }: SubmitRequest,
  id: string,
  home: Snapshot,
  warnings: readonly string[],
  nowMs: number,
): ActivityRecord {
  return {
    id,
    organizationId,
    type: version.type,
    status: 'ACTIVITY_STATUS_CREATED',
    fingerprint,
    timestampMs,
    intent: null,
    result: null,
    failure: null,
    tracked: true,
    votes: [],
    decisions: [],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    ...(home.id !== organizationId && { judgedBy: home.id }),
    ...(warnings.length > 0 && { warnings }),
  };
}
