import { finished, type Steps } from '@countersign/collections';
import type { CompiledPolicy, StepBudget } from '@countersign/policy';
import { outcomesOf } from '../authorize-by-policy.ts';
import { policySetOf } from '../compiled-policies.ts';
import type { JudgedOrganization } from '../organization.ts';
import type { Approving } from './approvers.ts';
import type { HostileRequest } from './hostile-request.ts';
import { judge, type Scene, sceneOf } from './scene.ts';
import {
  type AllowedRequest,
  instancesOf,
  isFound,
  requestsInOrder,
  type Search,
  tryRequest,
  type WorstCase,
} from './worst-case.ts';

/** Policies among which ALLOW policies are looked for, and ALLOW policies that are searched for requests that become possible. */
const MAX_COMPARED = 200;
const MAX_ALLOWS = 50;

/**
 * Finds hostile requests that become possible when a policy or a limit that it names is changed or removed: `before` does not allow them,
 * and `after` does, by any other ALLOW policy and to the fewest approvers that suffice.
 * INVARIANT: a request is found only if the service decides so in both organizations. The search proves nothing.
 * SECURITY: D446: the worst of a change is in what it stops denying, which its text does not show. D410: in steps, within the budget.
 */
export function* releasedInSteps(
  before: JudgedOrganization,
  after: JudgedOrganization,
  policyId: string,
  search: Search,
): Steps<WorstCase> {
  const { budget, nowMs } = search;
  const policy = policySetOf(before).get(policyId);
  const nothing: WorstCase = { policyId, allowed: [], tried: 0, isComplete: true };
  if (policy === undefined) return nothing;
  const scene = yield* sceneOf(before, policy, nowMs, budget, { ...search, withPlainHolder: true });
  const approving = scene.groups[0]?.approving;
  // An ALLOW prevents what only other rules show, such as the switch for hashes, so every request is tried.
  const isDeny = policy.effect === 'EFFECT_DENY';
  if (isDeny && approving === undefined) return { ...nothing, untried: 'NO_APPROVERS', isComplete: !budget.isExhausted };
  const { requests, tried } =
    isDeny && approving !== undefined
      ? yield* noLongerDenied(scene, approving, after, search)
      : { requests: requestsInOrder, tried: requestsInOrder.length };
  const all = policySetOf(after);
  const compared = new Set([...all.near(policy.source, MAX_COMPARED), ...all.first(MAX_COMPARED)]);
  const allows = [...compared].filter(
    ({ id, effect, invalid }) => effect === 'EFFECT_ALLOW' && invalid.length === 0 && (isDeny || id !== policyId),
  );
  const allowed: AllowedRequest[] = [];
  for (const allow of allows.slice(0, MAX_ALLOWS)) {
    if (requests.length === 0 || budget.isExhausted) break;
    yield* findReleased(allow, { before, after, denied: scene, requests, allowed }, search);
  }
  return {
    policyId,
    allowed,
    tried,
    isComplete: !budget.isExhausted && allows.length <= MAX_ALLOWS && all.size <= compared.size,
  };
}

/** An organization with the policies and limits of another. */
function withRules(organization: JudgedOrganization, { policies, records: { velocityControl } }: JudgedOrganization) {
  return { ...organization, policies, records: { ...organization.records, velocityControl } };
}

/** The same without pauses. */
export function released(before: JudgedOrganization, after: JudgedOrganization, policyId: string, search: Search): WorstCase {
  return finished(releasedInSteps(before, after, policyId, search));
}

/** The hostile requests that a policy denies, and its changed form does not. Other policies do not count yet. */
function* noLongerDenied(
  scene: Scene,
  approving: Approving,
  after: JudgedOrganization,
  { budget, rules }: Search,
): Steps<{ readonly requests: readonly HostileRequest[]; readonly tried: number }> {
  const { policy } = scene;
  const changed: Scene = { ...scene, organization: withRules(scene.organization, after) };
  const requests: HostileRequest[] = [];
  let tried = 0;
  for (const request of requestsInOrder) {
    tried += 1;
    for (const { instance } of instancesOf(scene, request, budget)) {
      const mayDeny = (where: Scene) => {
        const outcome = outcomesOf(judge(where, approving, instance, rules), [policy.id]).get(policy.id);
        return outcome === 'OUTCOME_DENY_EXPLICIT' || outcome === 'OUTCOME_ERROR';
      };
      spendOn(policy, budget);
      yield undefined;
      if (!mayDeny(scene) || mayDeny(changed)) continue;
      requests.push(request);
      break;
    }
    if (budget.isExhausted) break;
    yield undefined;
  }
  return { requests, tried };
}

function spendOn({ condition, consensus, time }: CompiledPolicy, budget: StepBudget): void {
  budget.spend(2 * (1 + (condition?.cost ?? 0) + (consensus?.cost ?? 0) + (time?.cost ?? 0)));
}

interface Released {
  readonly before: JudgedOrganization;
  readonly after: JudgedOrganization;
  /** The scene of the DENY policy. */
  readonly denied: Scene;
  readonly requests: readonly HostileRequest[];
  /** Those that were found so far. */
  readonly allowed: AllowedRequest[];
}

/** Adds the requests that one ALLOW policy allows as soon as the DENY policy has changed. */
function* findReleased(
  allow: CompiledPolicy,
  { before, after, denied, requests, allowed }: Released,
  search: Search,
): Steps<undefined> {
  const { budget } = search;
  const things = { ...search, beside: denied.policy, withPlainHolder: true };
  const scene = yield* sceneOf(after, allow, denied.nowMs, budget, things);
  const where: Scene = { ...scene, unless: withRules(scene.organization, before) };
  for (const request of requests) {
    if (budget.isExhausted) return undefined;
    if (search.every !== true && isFound(allowed, request)) continue;
    const result = yield* tryRequest(where, request, search);
    if (result.allowed !== undefined) allowed.push(result.allowed);
    yield undefined;
  }
  return undefined;
}
