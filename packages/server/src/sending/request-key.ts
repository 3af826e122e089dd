import { createHash } from 'node:crypto';
import { ServiceError } from '@countersign/contract';
import type { SendRecord } from './send-record.ts';
import type { Sending } from './sending.ts';

/** How long a payment is not made a second time. */
const REPEATED_MS = 24 * 60 * 60 * 1000;

/** A payment as its caller named it. Users do not share names, and neither do accounts. */
export interface NamedPayment {
  readonly userId: string;
  readonly chain: string;
  readonly account: string;
  readonly idempotencyKey: string;
}

/** What is stored for the name of a payment. */
export function requestKeyOf({ userId, chain, account, idempotencyKey }: NamedPayment): string {
  return createHash('sha256')
    .update(JSON.stringify([userId, chain, account.toLowerCase(), idempotencyKey]))
    .digest('hex');
}

/** What is stored for the bytes of a transaction, on a chain where equal bytes are the same transaction. */
export function bytesKeyOf(chain: string, account: string, bytes: string): string {
  return createHash('sha256')
    .update(JSON.stringify(['bytes', chain, account, bytes]))
    .digest('hex');
}

/**
 * The transaction with these bytes that was sent.
 * INVARIANT: call it after the account was read, as for `requireNotSent`.
 */
export async function sentWithBytes(
  sending: Pick<Sending, 'byBytesKey'>,
  organizationId: string,
  { bytes, bytesKey }: { readonly bytes: string; readonly bytesKey: string },
  active: readonly SendRecord[],
): Promise<SendRecord | undefined> {
  return (
    active.find(({ signed }) => signed.toLowerCase().includes(bytes)) ?? (await sending.byBytesKey(organizationId, bytesKey))
  );
}

/** SECURITY: D922: the chain executes the same bytes once, and both requests would seem to be paid. */
export function refuseSameBytes(sent: SendRecord): never {
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `Activity ${sent.activityId} sent the same bytes: ${sent.hash}. The chain executes them once, so nothing was sent again. Send another transaction for another payment.`,
    { activityId: sent.activityId },
  );
}

/** The transaction of a named payment that was sent in the last 24 hours, in any state. */
export async function sentBefore(
  sending: Pick<Sending, 'byRequestKey'>,
  organizationId: string,
  requestKey: string,
  nowMs: number,
): Promise<SendRecord | undefined> {
  const sent = await newest(sending, organizationId, requestKey);
  return isRepeated(sent, nowMs) ? sent : undefined;
}

const newest = async (sending: Pick<Sending, 'byRequestKey'>, organizationId: string, requestKey: string) =>
  requestKey === '' ? undefined : sending.byRequestKey(organizationId, requestKey);

const isRepeated = (sent: SendRecord | undefined, nowMs: number): sent is SendRecord =>
  sent !== undefined && nowMs - sent.createdAtMs < REPEATED_MS;

/**
 * Throws IDEMPOTENCY_KEY_USED if a named payment was sent in the last 24 hours. Returns the last one before that.
 * INVARIANT: D941: call it after the account was read. The commit depends on the revision of the account, so of two equal payments that
 * are planned at the same time, also on two nodes, one is planned again and finds the other here.
 */
export async function requireNotSent(
  sending: Pick<Sending, 'byRequestKey'>,
  organizationId: string,
  requestKey: string,
  nowMs: number,
): Promise<SendRecord | undefined> {
  const sent = await newest(sending, organizationId, requestKey);
  if (!isRepeated(sent, nowMs)) return sent;
  throw new ServiceError(
    'IDEMPOTENCY_KEY_USED',
    `Activity ${sent.activityId} sent a transaction with this idempotencyKey in the last 24 hours: ${sent.hash}. Nothing was sent again. Use another key for another payment.`,
    { activityId: sent.activityId },
  );
}
