import { CountersignError, type ListedActivity, queryCall, stampedRequest } from '@countersign/client';
import { z } from 'zod';
import type { Agent } from './agent.ts';
import { Problem } from './problem.ts';
import { plainLine, untrusted, untrustedLong, untrustedText } from './untrusted.ts';

/** An effect of a signature, as the service decoded it from the bytes. */
export const effectShape = z.object({
  kind: z.string(),
  asset: z.string().optional().describe('CAIP-19 name'),
  amount: z.string().optional().describe('In base units'),
  units: z.string().optional().describe('In units of the asset'),
  from: z.string().optional(),
  to: z.string().optional(),
  unlimited: z.boolean().optional(),
});

/** The state of a request, with its result. */
export const outcomeShape = z.object({
  outcome: z.enum(['signed', 'sent', 'pending_approval', 'denied', 'rejected', 'failed']),
  activityId: z.string().describe('The request at the service, for get_activity and explain_activity'),
  repeated: z.boolean().optional().describe('An earlier call with this reference made the request'),
  description: untrustedText
    .optional()
    .describe('The request in one sentence of the service, with names that other people chose'),
  effects: z.array(effectShape).optional().describe('Everything that the signature does'),
  approvals: z
    .object({
      given: z.int().describe('The number of approvals so far, with that of the agent'),
      mayApprove: z
        .array(z.object({ userId: z.string(), name: untrustedText.optional() }))
        .describe('Users whose approval would count'),
    })
    .optional(),
  signedTransaction: z.string().optional().describe('Hexadecimal, to broadcast'),
  transactionHash: z.string().optional(),
  signature: z.string().optional().describe('0x, then r, s and v'),
  sending: z
    .object({ status: z.string(), transactionHash: z.string().optional(), error: untrustedText.optional() })
    .optional()
    .describe('The state of a transaction that the service sends. COMPLETED is final'),
  reason: untrustedText.optional().describe('Why it was denied or failed'),
  next: z.string().describe('What to do next'),
});

export type Outcome = z.output<typeof outcomeShape>;

const nextSteps: Readonly<Record<Outcome['outcome'], string>> = {
  signed: 'Signed, not sent. Use the result. Do not make the request again.',
  sent: 'The service sends it and follows it. Call get_activity for its state. Do not make the request again.',
  pending_approval:
    'People have to approve it. Tell your user who may approve it, then call get_activity with the activity id later. Do not make a second request, and do not split it.',
  denied:
    'No policy allows it. explain_activity shows why. Tell your user. Do not try other amounts or receivers to get around the policies.',
  rejected: 'A person rejected it. Do not make it again unless your user asks for it, with a new reference.',
  failed: 'It was not executed. The same call with the same reference makes a new attempt.',
};

/**
 * What a tool shows of an activity.
 * SECURITY: D703: nothing of an activity whose request does not have the fingerprint of the activity.
 */
export async function showOutcome(agent: Agent, activity: ListedActivity, isRepeated?: boolean): Promise<Outcome> {
  if (stampedRequest(activity) === undefined) {
    const message = 'The request of this activity cannot be verified.';
    throw new Problem('NOT_VERIFIED', message, 'Ask a person to look at it in the console.');
  }
  const outcome = outcomeOf(activity);
  const { id: activityId, parsed, failure, transactionHash } = activity;
  return {
    outcome,
    activityId,
    ...(isRepeated !== undefined && { repeated: isRepeated }),
    ...(parsed && { description: untrustedLong(parsed.description), effects: parsed.effects.map(showEffect) }),
    ...(outcome === 'pending_approval' && { approvals: await approvalsOf(agent, activity) }),
    ...(failure && { reason: untrustedLong(failure.message) }),
    ...(transactionHash !== undefined && { transactionHash }),
    ...resultOf(activity),
    ...(outcome === 'sent' && { sending: await sendingOf(agent, activity) }),
    next: nextSteps[outcome],
  };
}

/** gRPC PERMISSION_DENIED. */
const DENIED = 7;

function outcomeOf({ status, type, failure }: ListedActivity): Outcome['outcome'] {
  if (status === 'ACTIVITY_STATUS_COMPLETED')
    return /^ACTIVITY_TYPE_ETH_(SEND|REPLACE)_TRANSACTION/.test(type) ? 'sent' : 'signed';
  if (status === 'ACTIVITY_STATUS_REJECTED') return 'rejected';
  if (status === 'ACTIVITY_STATUS_FAILED') return failure?.code === DENIED ? 'denied' : 'failed';
  return 'pending_approval';
}

type Effect = NonNullable<ListedActivity['parsed']>['effects'][number];

/** The fields of an effect that are not words. */
export function showEffect({ kind, asset, amount, units, from, to, unlimited }: Effect): z.output<typeof effectShape> {
  const fields = { asset: asset?.id, amount, units, from, to, unlimited };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { kind, ...Object.fromEntries(given) };
}

interface Result {
  readonly signedTransaction?: string;
  readonly r?: string;
  readonly s?: string;
  readonly v?: string;
  readonly sendTransactionStatusId?: string;
}

const onlyResult = ({ result }: ListedActivity) => (Object.values(result)[0] ?? {}) as Result;

function resultOf(activity: ListedActivity): Pick<Outcome, 'signedTransaction' | 'signature'> {
  const { signedTransaction, r, s, v } = onlyResult(activity);
  if (signedTransaction !== undefined) return { signedTransaction };
  if (r === undefined || s === undefined || v === undefined) return {};
  return { signature: `0x${r}${s}${(Number.parseInt(v, 16) + 27).toString(16)}` };
}

async function approvalsOf(agent: Agent, { id: activityId, votes }: ListedActivity): Promise<NonNullable<Outcome['approvals']>> {
  const given = votes.filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED').length;
  const { decisions } = await agent.client.explainActivity({ activityId });
  return { given, mayApprove: await showUsers(agent, decisions.at(-1)?.mayApprove ?? []) };
}

const MAX_USERS = 50;

/** Users by their ids, with names if the agent may read them. */
export async function showUsers(
  { client }: Agent,
  ids: readonly string[],
): Promise<NonNullable<Outcome['approvals']>['mayApprove']> {
  const names = new Map<string, string>();
  try {
    const { users } = ids.length === 0 ? { users: [] } : await client.listUsers();
    for (const { userId, userName } of users) names.set(userId, userName);
  } catch (error) {
    // The organization may restrict reading. Ids are enough to find the people.
    if (!(error instanceof CountersignError) || error.status !== 403) throw error;
  }
  return ids.slice(0, MAX_USERS).map((userId) => {
    const name = names.get(userId);
    return { userId, ...(name !== undefined && { name: untrusted(name) }) };
  });
}

async function sendingOf(
  { compatible, organizationId }: Agent,
  activity: ListedActivity,
): Promise<NonNullable<Outcome['sending']>> {
  const { sendTransactionStatusId } = onlyResult(activity);
  const { path, body } = queryCall(
    { path: 'get_send_transaction_status' },
    { sendTransactionStatusId },
    { organizationId, dialect: 'turnkey' },
  );
  const { txStatus, eth, txError } = (await compatible.request(path, body)) as {
    txStatus: string;
    eth?: { txHash: string };
    txError?: string;
  };
  return {
    status: plainLine(txStatus, 40),
    ...(eth && { transactionHash: eth.txHash }),
    ...(txError !== undefined && { error: untrusted(txError) }),
  };
}
