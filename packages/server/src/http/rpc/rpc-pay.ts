import { createHash } from 'node:crypto';
import { ServiceError } from '@countersign/contract';
import type { PipelineServices } from '../../pipeline/services.ts';
import { requestKeyOf, sentBefore } from '../../sending/request-key.ts';
import type { SendRecord } from '../../sending/send-record.ts';
import type { RpcCaller } from './rpc-caller.ts';
import { RpcError } from './rpc-error.ts';
import type { RpcSigning } from './rpc-methods.ts';
import type { RpcPayment } from './rpc-payment.ts';

type Payment = RpcPayment & { readonly from: string };

export interface Payer {
  readonly services: Pick<PipelineServices, 'sending' | 'clock'>;
  readonly caller: Pick<RpcCaller, 'organizationId' | 'userId'>;
  /** The header `Idempotency-Key`. Empty without one. */
  readonly keyHeader: string;
  /** Executes the activity, and returns what `show` makes of its result. */
  sign(signing: RpcSigning): Promise<unknown>;
}

/**
 * What makes a payment the same as another one of its user. Gas and fees do not: tools estimate them again for a retry. A nonce does, because
 * tools that choose nonces mean another payment by another nonce, unless the caller names the payment.
 */
function nameOf({ userId }: Pick<RpcCaller, 'userId'>, keyHeader: string, payment: Payment): string {
  const { caip2, from, to, value = '0', data = '0x', nonce } = payment;
  const distinction = keyHeader === '' ? ['nonce', nonce] : ['key', keyHeader];
  const content = [userId, caip2, from, to.toLowerCase(), value, data.toLowerCase(), distinction];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/**
 * Sends a payment by an activity, and returns its hash.
 * INVARIANT: D941: equal payments of a user within 24 hours are one payment, unless nonces or key headers differ. The activity has the name of the
 * payment, so this holds for copies that are planned at the same time, also on two nodes, and when the body of the activity is forgotten.
 */
export async function pay({ services, caller, keyHeader, sign }: Payer, payment: Payment): Promise<string> {
  const { sending, clock } = services;
  const { organizationId, userId } = caller;
  const idempotencyKey = nameOf(caller, keyHeader, payment);
  const requestKey = requestKeyOf({ userId, chain: payment.caip2, account: payment.from, idempotencyKey });
  const earlier = () => sentBefore(sending, organizationId, requestKey, clock.nowMs());
  const known = await earlier();
  if (known !== undefined) return hashOf(sending, known);
  try {
    const id = await sign({
      activity: 'ethSendTransaction',
      parameters: { ...payment, idempotencyKey },
      show: ({ sendTransactionStatusId }) => sendTransactionStatusId,
    });
    const sent = await sending.get(organizationId, id as string);
    if (sent === undefined) throw new Error('an activity names a transaction that is not stored');
    return hashOf(sending, sent);
  } catch (error) {
    const isUsed = error instanceof ServiceError && error.code === 'IDEMPOTENCY_KEY_USED';
    const sent = isUsed ? await earlier() : undefined;
    if (sent === undefined) throw error;
    return hashOf(sending, sent);
  }
}

/**
 * The hash of a payment, or of the transaction that sped it up and was executed instead. Throws for one that was not made and will not be: a
 * tool would wait for its receipt forever.
 */
async function hashOf(sending: Pick<PipelineServices['sending'], 'get'>, sent: SendRecord): Promise<string> {
  const { organizationId, state, isOut, hash, activityId, failure, replacedBy, replacedById } = sent;
  const winner = replacedById === undefined ? undefined : await sending.get(organizationId, replacedById);
  if (winner !== undefined && winner.isCancellation !== true) return winner.hash;
  const isUnsent = state === 'FAILED' && !isOut;
  if (!isUnsent && state !== 'CANCELLED') return hash;
  const data = { activityId, transactionHash: hash, ...(replacedBy !== undefined && { replacedBy }) };
  throw new RpcError(
    'transactionRejected',
    `Activity ${activityId} sent this payment, and it is not in a block: ${failure ?? 'no reason is known'} Another Idempotency-Key header asks for the payment again.`,
    data,
  );
}

/**
 * The nonce that the service assigns next to an account, from the number that a node gives for its waiting transactions. Tools that choose nonces
 * ask for it, and a node does not have yet what was signed just now.
 */
export async function nextNonceOf(
  { sending }: Pick<PipelineServices, 'sending'>,
  { organizationId }: Pick<RpcCaller, 'organizationId'>,
  { chain, address }: { readonly chain: string; readonly address: string },
  waiting: number,
): Promise<number> {
  const { active } = await sending.account({ organizationId, chain, account: address.toLowerCase() });
  const used = new Set(active.map(({ nonce }) => nonce));
  let next = waiting;
  while (used.has(next)) next += 1;
  return next;
}
