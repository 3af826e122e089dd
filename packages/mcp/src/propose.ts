import { createHash } from 'node:crypto';
import { CountersignError, type ListedActivity } from '@countersign/client';
import type { Agent } from './agent.ts';
import type { Attempt } from './journal.ts';
import { Problem } from './problem.ts';

/** A request of an agent, before it has a time. */
export interface Proposal {
  /** Named by the agent: one reference is one payment or signature. */
  readonly reference: string;
  /** What the agent asked for. Fields that may differ in a repetition, such as fees, are not part of it. */
  readonly intent: object;
  /** The request, made once. Its path and body are stored. */
  make(nowMs: number): { readonly path: string; readonly body: object };
}

/** What the service has for a proposal. */
export interface Proposed {
  readonly activity: ListedActivity;
  /** Whether an earlier call made the request. */
  readonly isRepeated: boolean;
}

/** The service accepts a body for an hour. A minute is for the clocks. */
const SENDABLE_MS = 59 * 60_000;
/** Activities may leave for archive files later. */
const SEARCHED_MS = 24 * 3_600_000;
const MAX_ATTEMPTS = 50;

/**
 * Submits a proposal, or returns its activity if the reference is known. A proposal that was denied or failed is made again, because
 * nothing was signed for it; one that people rejected is not.
 */
export function propose(agent: Agent, proposal: Proposal): Promise<Proposed> {
  return agent.journal.exclusive(proposal.reference, () => proposeNext(agent, proposal));
}

async function proposeNext(agent: Agent, proposal: Proposal): Promise<Proposed> {
  const { journal } = agent;
  const { reference } = proposal;
  const intent = hashOf(JSON.stringify(proposal.intent));
  for (let number = 1; number <= MAX_ATTEMPTS; number++) {
    const known = await journal.read(reference, number);
    const attempt = known ?? (await create(agent, proposal, intent, number));
    if (attempt.intent !== intent) {
      const message = 'This reference was used for a request with other contents.';
      throw new Problem(
        'REFERENCE_USED',
        message,
        'Repeat the earlier request unchanged, or choose a new reference for a new one.',
      );
    }
    const activity = await settle(agent, attempt, number, known !== undefined);
    if (activity === undefined) continue;
    const isOver = activity.status === 'ACTIVITY_STATUS_FAILED' && known !== undefined;
    if (!isOver) return { activity, isRepeated: known !== undefined };
  }
  throw new Problem(
    'TOO_MANY_ATTEMPTS',
    `This reference has failed ${MAX_ATTEMPTS} times.`,
    'Ask a person to look at its activities.',
  );
}

function create({ journal }: Agent, { reference, make }: Proposal, intent: string, number: number): Promise<Attempt> {
  const createdAtMs = Date.now();
  const { path, body } = make(createdAtMs);
  return journal.create({ reference, intent, path, body: JSON.stringify(body), createdAtMs }, number);
}

/** The activity of an attempt. Undefined if the service never executes this attempt. */
async function settle(agent: Agent, attempt: Attempt, number: number, isKnown: boolean): Promise<ListedActivity | undefined> {
  const ending = isKnown ? await agent.journal.ending(attempt.reference, number) : undefined;
  if (ending !== undefined) return 'rejected' in ending ? undefined : activityOf(agent, attempt, ending.activityId);
  const age = Date.now() - attempt.createdAtMs;
  const activityId = age < SENDABLE_MS ? await submit(agent, attempt, number) : await search(agent, attempt, age);
  if (activityId === undefined) return undefined;
  await agent.journal.end(attempt.reference, number, { activityId });
  return activityOf(agent, attempt, activityId);
}

/** Sends the stored body and returns the id of its activity. Sent again, it has the same one. */
async function submit(agent: Agent, attempt: Attempt, number: number): Promise<string> {
  try {
    const response = (await agent.compatible.request(attempt.path, attempt.body)) as { activity?: { id?: unknown } };
    if (typeof response.activity?.id === 'string') return response.activity.id;
    throw new CountersignError(200, 'RESPONSE_INVALID', 'The response of the service has no activity.');
  } catch (error) {
    const denied = deniedActivity(error);
    if (denied !== undefined) return denied;
    if (!(error instanceof CountersignError) || ![400, 404, 501].includes(error.status)) throw error;
    // SECURITY: D700: an earlier copy of this body may have been executed, and its response lost. Without an activity, a new request may be
    // made for the reference, for example with other fees.
    const found = await search(agent, attempt, 0);
    if (found !== undefined) return found;
    await agent.journal.end(attempt.reference, number, { rejected: error.code });
    throw error;
  }
}

/** The activity that recorded a denied or failed attempt. */
function deniedActivity(error: unknown): string | undefined {
  if (!(error instanceof CountersignError)) return undefined;
  for (const detail of error.details as readonly { readonly '@type'?: string; readonly activityId?: unknown }[]) {
    if (detail?.['@type'] === 'countersign/Activity' && typeof detail.activityId === 'string') return detail.activityId;
  }
  return undefined;
}

/** Looks for the activity of a body that is too old to be sent again. */
async function search({ client }: Agent, { body, createdAtMs }: Attempt, age: number): Promise<string | undefined> {
  const fingerprint = fingerprintOf(body);
  let after: string | undefined;
  do {
    const { activities } = await client.listActivities({ paginationOptions: { limit: '100', ...(after && { after }) } });
    const found = activities.find((activity) => activity.fingerprint === fingerprint);
    if (found !== undefined) return found.id;
    const last = activities.at(-1);
    const isPast = last === undefined || Number(last.createdAt.seconds) * 1_000 < createdAtMs - 600_000;
    after = isPast ? undefined : last.id;
  } while (after !== undefined);
  if (age < SEARCHED_MS) return undefined;
  const message = 'It is not known what became of the earlier request with this reference.';
  throw new Problem('OUTCOME_UNKNOWN', message, 'Ask a person whether it was executed. Use a new reference if it was not.');
}

/** The activity with all details. SECURITY: D703: only under the fingerprint of the body that was sent. */
async function activityOf({ client }: Agent, { body }: Attempt, activityId: string): Promise<ListedActivity> {
  const { activity } = await client.getActivity({ activityId });
  if (activity.fingerprint !== fingerprintOf(body)) {
    const message = 'The service shows another request under this id.';
    throw new Problem('RESPONSE_MISMATCH', message, 'Use nothing of it, and report it to the operator of the service.');
  }
  return activity;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const fingerprintOf = (body: string) => `sha256:${hashOf(body)}`;
