import { type Client, CountersignError, type ListedActivity, type StampedRequest, stampedRequest } from '@countersign/client';
import type { Prover } from './proof/prove-record.ts';
import { callOf, replacementOf, type Values } from './sent-request.ts';

const SENDS = /^ACTIVITY_TYPE_ETH_SEND_TRANSACTION(_V2)?$/;
const REPLACES = /^ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION$/;
/** The service lets as many transactions wait with one nonce. */
const MOST = 16;

/** A sent transaction that a request replaces. */
export interface Replaced {
  /** Its activity, and those of the transactions that it replaced itself, newest first. */
  readonly activities: readonly [ListedActivity, ...ListedActivity[]];
  readonly request: StampedRequest;
  /** Its receiver, amount and data, and what else its requester stamped. */
  readonly content: Values;
  /** The same of the transaction before it, if it is a replacement itself. */
  readonly before: Values | undefined;
}

export const isReplacement = ({ type }: Pick<StampedRequest, 'type'>): boolean => REPLACES.test(type);

/**
 * Finds the transaction that a request replaces. Undefined unless the log proves it, down to the payment that was requested first.
 * SECURITY: D976: the request only has an id. A response that attributes the id to another activity would make approvers speed up, or cancel, a
 * payment that they do not see.
 */
export async function findReplaced(
  client: Pick<Client, 'getSendTransactionStatus' | 'getActivity'>,
  request: StampedRequest,
  prover: Pick<Prover, 'result'>,
): Promise<Replaced | undefined> {
  const found: { activity: ListedActivity; request: StampedRequest }[] = [];
  for (let next = request; isReplacement(next); ) {
    if (found.length === MOST) return undefined;
    const earlier = await provenSend(client, String(next.parameters.sendTransactionStatusId), prover).catch(unlessHidden);
    if (earlier === undefined || !isOfSameAccount(earlier.request.parameters, next.parameters)) return undefined;
    found.push(earlier);
    next = earlier.request;
  }
  const [newest, ...older] = found;
  if (newest === undefined) return undefined;
  let content: Values | undefined;
  let before: Values | undefined;
  for (const { request: each } of found.toReversed()) {
    before = content;
    content = isReplacement(each) ? replacementOf(each.parameters, content) : callOf(each.parameters);
  }
  if (content === undefined) return undefined;
  return { activities: [newest.activity, ...older.map(({ activity }) => activity)], request: newest.request, content, before };
}

/** The activity that sent a transaction: the log proves that its result names the transaction. */
async function provenSend(
  client: Pick<Client, 'getSendTransactionStatus' | 'getActivity'>,
  sendTransactionStatusId: string,
  prover: Pick<Prover, 'result'>,
) {
  const { transaction } = await client.getSendTransactionStatus({ sendTransactionStatusId });
  const { activity } = await client.getActivity({ activityId: transaction.activityId });
  const request = stampedRequest(activity);
  if (request === undefined || request.type !== activity.type) return undefined;
  if (!SENDS.test(request.type) && !isReplacement(request)) return undefined;
  const result = await prover.result(activity);
  return result?.sendTransactionStatusId === sendTransactionStatusId ? { activity, request } : undefined;
}

const isOfSameAccount = (one: Values, other: Values) =>
  one.caip2 === other.caip2 && String(one.from).toLowerCase() === String(other.from).toLowerCase();

/** What a person may not read, and what does not exist, is not proven. */
function unlessHidden(error: unknown): undefined {
  if (error instanceof CountersignError && [403, 404].includes(error.status)) return undefined;
  throw error;
}
