import { errorCodes, ServiceError } from '@countersign/contract';
import type { GasSponsor } from '../config/gas-sponsors.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { SendRecord, WaitingSend } from './send-record.ts';
import type { Sending } from './sending.ts';
import { isLate, type TopUpRequest, topUpKey, topUpRequest } from './top-up.ts';

/** Where a top-up is. `reason` is for users of the account's organization. */
export type TopUpProgress =
  | { readonly step: 'PAID' }
  | { readonly step: 'WAITING'; readonly reason: string }
  | { readonly step: 'ENDED'; readonly reason: string };

/** Requests top-ups in the name of the sponsor's user. */
export interface TopUpRequests {
  /** The fingerprint of the activity. */
  fingerprintOf(organizationId: string, request: TopUpRequest): string;
  /** Submits the activity. Throws its error. */
  submit(sponsor: Pick<GasSponsor, 'organizationId' | 'userId'>, request: TopUpRequest): Promise<void>;
}

export interface TopUpServices {
  readonly sending: Pick<Sending, 'byRequestKey' | 'get' | 'sponsors'>;
  activity(organizationId: string, fingerprint: string): Promise<Pick<ActivityRecord, 'id' | 'status'> | undefined>;
  readonly requests: TopUpRequests;
  nowMs(): number;
  /** Tells the operator why a top-up was not made. */
  onRefused(send: WaitingSend, error: ServiceError): void;
}

const ended = (why: string): TopUpProgress => ({
  step: 'ENDED',
  reason: `The sponsor did not pay for the fee, so nothing was sent: ${why}`,
});
const waiting = (why: string): TopUpProgress => ({ step: 'WAITING', reason: `Waits for the sponsor to pay for the fee: ${why}` });

/**
 * Brings the top-up of a transaction one step forward.
 * INVARIANT: D911: the top-up is looked up before it is requested, by a name that the log proves, and it is requested with the same body each time.
 * So there is one at most, whichever processes stop between two steps. What was sent is followed until the chain decides.
 */
export async function advanceTopUp(services: TopUpServices, send: WaitingSend): Promise<TopUpProgress> {
  const { sending, requests, activity, nowMs } = services;
  const { organizationId } = send.topUp;
  const sent = await sending.byRequestKey(organizationId, topUpKey(send));
  if (sent !== undefined) return progressOf(await winnerOf(sending, sent));
  const request = topUpRequest(send);
  const known = await activity(organizationId, requests.fingerprintOf(organizationId, request));
  const late = isLate(send, nowMs());
  if (known !== undefined) return pendingProgress(known, late);
  if (late) return ended(`it could not be requested in time. ${send.lastError ?? ''}`.trim());
  if (!isSponsored(sending.sponsors, send)) return ended('the operator changed the sponsor of the chain. Send it again.');
  try {
    await requests.submit(send.topUp, request);
    return waiting('the top-up was requested.');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return refused(services, send, error);
  }
}

/**
 * SECURITY: D917: users of a sub-organization do not read the errors of its parent, which name policies and balances. The operator's log has
 * them.
 */
function refused({ onRefused }: TopUpServices, send: WaitingSend, error: ServiceError): TopUpProgress {
  const { code } = error;
  // Another process requested it.
  if (code === 'IDEMPOTENCY_KEY_USED') return waiting('the top-up was requested.');
  onRefused(send, error);
  if (errorCodes[code].retry || code === 'INTERNAL') return waiting(`its request failed for now (${code}).`);
  return ended(`its organization rejected the request (${code}). Its users and the operator find the cause.`);
}

function pendingProgress({ id, status }: Pick<ActivityRecord, 'id' | 'status'>, late: boolean): TopUpProgress {
  switch (status) {
    case 'ACTIVITY_STATUS_CONSENSUS_NEEDED':
      return late
        ? ended(`nobody approved activity ${id} of its organization in time.`)
        : waiting(`activity ${id} of its organization needs approvals.`);
    case 'ACTIVITY_STATUS_COMPLETED':
      return waiting(`activity ${id} of its organization was executed.`);
    default:
      return ended(`activity ${id} of its organization was denied or rejected, or failed.`);
  }
}

/** What was sent may have been sped up, or cancelled. Transactions that replace each other become final together. */
async function winnerOf(sending: Pick<Sending, 'get'>, sent: SendRecord): Promise<SendRecord> {
  const { state, replacedById, organizationId } = sent;
  const winner =
    state === 'CANCELLED' && replacedById !== undefined ? await sending.get(organizationId, replacedById) : undefined;
  return winner === undefined || winner.isCancellation === true ? sent : winner;
}

function progressOf({ state, hash, activityId }: SendRecord): TopUpProgress {
  if (state === 'COMPLETED') return { step: 'PAID' };
  if (state === 'FAILED' || state === 'CANCELLED' || state === 'UNKNOWN')
    return ended(`its transaction ${hash} of activity ${activityId} is ${state}.`);
  return waiting(`its transaction ${hash} of activity ${activityId} is not confirmed yet.`);
}

/** Whether the sponsor is still the one that the operator names. */
function isSponsored(sponsors: readonly GasSponsor[], { chain, topUp }: WaitingSend): boolean {
  return sponsors.some(
    ({ chain: named, organizationId, userId, signWith, gasLimit, maxWeiPerSend }) =>
      named === chain &&
      organizationId === topUp.organizationId &&
      userId === topUp.userId &&
      signWith === topUp.signWith &&
      gasLimit === topUp.gasLimit &&
      BigInt(topUp.amount) <= BigInt(maxWeiPerSend),
  );
}
