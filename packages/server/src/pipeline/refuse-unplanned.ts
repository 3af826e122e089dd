import { hopeless } from '@countersign/judgement';
import type { Authenticated } from './authenticate.ts';
import type { Judged, Proposal } from './judge.ts';
import type { SubmitRequest } from './request.ts';

type Unplanned = Pick<Proposal, 'definition' | 'version' | 'params' | 'home' | 'target' | 'votes' | 'nowMs'>;

/**
 * The plan of an activity that was refused before its executor looked at it.
 * SECURITY: D173: each has a subject of its own. What is counted for a request is remembered by its subject, with the request, for as long
 * as the subject is there.
 */
const unplanned = () => ({ intent: null, subject: {}, prepared: undefined });

/**
 * What a request of this many characters can make planning do is little, and its refusal is worth all that policies say about it.
 */
export const SHORT_REQUEST = 4096;

/**
 * The refusal of an activity that nothing could allow to its submitter. Undefined where something might, and for a short request: it is planned and judged.
 * SECURITY: D160: planning checks everything that the parameters hold, and that may be a thousand public keys. Nobody who may not do
 * such an activity at all makes the service do that work.
 */
export function refuseUnplanned(
  { definition, version: { type }, params, home, target, votes, nowMs }: Unplanned,
  length: number,
): Judged | undefined {
  const decision = length <= SHORT_REQUEST ? undefined : hopeless({ organization: home, votes, definition, type });
  if (decision === undefined) return undefined;
  const plan = unplanned();
  // Parameters that were not read are none: what policies say of them decides nothing.
  const judgement = { organization: home, target, votes, definition, type, params: params ?? {}, subject: plan.subject, nowMs };
  return { plan, decision, judgement, reading: undefined };
}

/** Whether a request will be refused without a plan, as far as this version of the organization tells. */
export function isRefusedUnplanned(
  { definition, version: { type }, bodyText }: SubmitRequest,
  { home, caller }: Authenticated,
): boolean {
  return bodyText.length > SHORT_REQUEST && hopeless({ organization: home, votes: [caller], definition, type }) !== undefined;
}
