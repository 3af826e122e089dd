import { chains } from '@countersign/chains';
import { finished, type Steps } from '@countersign/collections';
import type { CompiledPolicy, StepBudget } from '@countersign/policy';
import { authorizeByPolicy, outcomesOf } from '../authorize-by-policy.ts';
import { policySetOf } from '../compiled-policies.ts';
import type { JudgedOrganization } from '../organization.ts';
import type { Group } from './approvers.ts';
import { harms, hostileRequests } from './corpus.ts';
import type { HostileRequest } from './hostile-request.ts';
import { chainOf, type Instance, instantiate, placeholdersOf } from './instantiate.ts';
import type { ReceiverKind } from './receivers.ts';
import { judge, type Scene, sceneOf, type Things } from './scene.ts';

/** A hostile request that a policy allows. */
export interface AllowedRequest {
  readonly request: HostileRequest;
  /** Absent for a request without a receiver. */
  readonly to?: ReceiverKind;
  readonly group: Group;
  /** The parameters as a caller sends them. */
  readonly parameters: unknown;
}

/** The hostile requests that a policy allows, in its organization. */
export interface WorstCase {
  readonly policyId: string;
  /** The worst first. */
  readonly allowed: readonly AllowedRequest[];
  /** How many requests were tried. */
  readonly tried: number;
  /** Why nothing was tried: it does not compile here, or no approvers were found who satisfy its consensus. */
  readonly untried?: 'INVALID' | 'NO_APPROVERS';
  /** False if the budget did not suffice to try all of them. */
  readonly isComplete: boolean;
}

/** A request that was tried. */
export interface TriedRequest extends Pick<AllowedRequest, 'request' | 'parameters'> {
  readonly isAllowed: boolean;
}

/** How to search. */
export interface Search extends Things {
  readonly nowMs: number;
  readonly budget: StepBudget;
  /** Whether to find every request, also those that do nothing worse than one that was found. */
  readonly every?: boolean;
  /** The version of the rules. The current one by default. */
  readonly rules?: number;
  readonly observe?: (tried: TriedRequest) => void;
}

/** The steps of all policies of one request to search. A step takes 20 to 100 ns. */
export const WORST_CASE_STEPS = 1_000_000;
/** Filling in a request takes about as long as this many steps. */
const PARSE_STEPS = 1_000;

const rankOf: ReadonlyMap<string, number> = new Map(harms.map(({ id }, index) => [id, index]));
/** The hostile requests that the service can read, the worst first. */
export const requestsInOrder: readonly HostileRequest[] = hostileRequests
  .filter(({ refused }) => refused !== true)
  .sort((a, b) => (rankOf.get(a.harm) ?? 0) - (rankOf.get(b.harm) ?? 0));

/**
 * Finds hostile requests that a policy allows, with the fewest approvers that suffice, among all policies of the organization.
 * INVARIANT: a request is found only if the service would allow it to such approvers, by this policy: the same guards, rules and DENY
 * policies decide. The search proves nothing: a request that is not in the corpus may be allowed.
 * SECURITY: D410: at the cost of the caller, in steps, and bounded by a budget that all policies of a request share.
 */
export function* worstCaseInSteps(organization: JudgedOrganization, policyId: string, search: Search): Steps<WorstCase> {
  const { budget } = search;
  const policy = policySetOf(organization).get(policyId);
  const nothing = { policyId, allowed: [], tried: 0 };
  if (policy === undefined || policy.effect === 'EFFECT_DENY') return { ...nothing, isComplete: true };
  if (policy.invalid.length > 0) return { ...nothing, untried: 'INVALID', isComplete: true };
  const scene = yield* sceneOf(organization, policy, search.nowMs, budget, search);
  if (scene.groups.length === 0) return { ...nothing, untried: 'NO_APPROVERS', isComplete: !budget.isExhausted };
  const allowed: AllowedRequest[] = [];
  let tried = 0;
  for (const request of requestsInOrder) {
    if (search.every !== true && isFound(allowed, request)) continue;
    const result = yield* tryRequest(scene, request, search);
    tried += result.tried;
    if (result.allowed !== undefined) allowed.push(result.allowed);
    if (budget.isExhausted) return { policyId, allowed, tried, isComplete: false };
    yield undefined;
  }
  return { policyId, allowed, tried, isComplete: true };
}

/** The same without pauses. */
export function worstCase(organization: JudgedOrganization, policyId: string, search: Search): WorstCase {
  return finished(worstCaseInSteps(organization, policyId, search));
}

/** Whether a request that was found does the same harm to anyone. */
export function isFound(allowed: readonly AllowedRequest[], { harm }: HostileRequest): boolean {
  return allowed.some(({ request, to }) => request.harm === harm && (to === undefined || to === 'ANYONE'));
}

/** A request with a receiver, a token and a key. */
interface Tried {
  readonly to?: ReceiverKind;
  readonly instance: Instance;
}

/** A request with every receiver, token and key, until the budget ends. Those that the service could not read are left out. */
export function* instancesOf(scene: Scene, request: HostileRequest, budget: StepBudget): Generator<Tried> {
  const { seeds, holders, organization, names, receivers } = scene;
  if (!canApply(scene, request)) return;
  const { hasReceiver, hasToken } = placeholdersOf(request);
  for (const { kind: to, hex } of receivers(hasReceiver ? chainOf(request, 'ethereum') : undefined)) {
    for (const token of hasToken ? seeds.tokens : ['']) {
      for (const holder of holders) {
        if (!budget.spend(PARSE_STEPS)) return;
        const instance = instantiate(request, { holder, to: hex, token, chainId: seeds.chainId, names }, organization);
        if (instance !== undefined) yield { instance, ...(hasReceiver && { to }) };
      }
    }
  }
}

/** Tries a request with every receiver, token and key, until one is allowed. */
export function* tryRequest(
  scene: Scene,
  request: HostileRequest,
  { budget, rules, observe }: Search,
): Steps<{ readonly tried: number; readonly allowed?: AllowedRequest }> {
  if (!canApply(scene, request)) return { tried: 1 };
  let tried = 0;
  for (const { instance, to } of instancesOf(scene, request, budget)) {
    yield undefined;
    tried += 1;
    const group = yield* groupThatMay(scene, instance, budget, rules);
    const { parameters } = instance;
    observe?.({ request, parameters, isAllowed: group !== undefined });
    if (group !== undefined) return { tried, allowed: { request, group, parameters, ...(to !== undefined && { to }) } };
  }
  return { tried };
}

/** The beginning of the namespaces of transactions and messages: `eth.` for `eth.tx`. */
const namespaces = Object.entries(chains).map(([name, { namespace }]) => [name, `${namespace.split('.')[0]}.`] as const);

/** False if the condition names the transactions of another chain, which this request has not. */
function canApply({ policy }: Scene, { chain }: HostileRequest): boolean {
  const named = policy.condition?.uses.map(({ namespace }) => namespace.path) ?? [];
  return namespaces.every(([name, prefix]) => name === chain || !named.some((path) => path.startsWith(prefix)));
}

/** The first group to whom the policy allows a request. */
function* groupThatMay(scene: Scene, instance: Instance, budget: StepBudget, rules?: number): Steps<Group | undefined> {
  const { policy, groups } = scene;
  for (const { group, approving } of groups) {
    const judgement = judge(scene, approving, instance, rules);
    // The policy alone is cheap. The others are asked only about what it allows.
    budget.spend(2 * costOf(policy));
    if (outcomesOf(judgement, [policy.id]).get(policy.id) !== 'OUTCOME_ALLOW') return undefined;
    const decision = yield* authorizeByPolicy.decideInSteps(judgement);
    budget.spend(decisionCost(scene, decision.evaluations));
    if (decision.outcome !== 'ALLOW' || decision.by !== 'POLICY' || !decision.policyIds.includes(policy.id)) continue;
    if (scene.unless === undefined) return group;
    const earlier = yield* authorizeByPolicy.decideInSteps(
      judge({ ...scene, organization: scene.unless }, approving, instance, rules),
    );
    budget.spend(decisionCost(scene, earlier.evaluations));
    if (earlier.outcome !== 'ALLOW') return group;
  }
  return undefined;
}

function costOf({ condition, consensus, time }: CompiledPolicy): number {
  return 1 + (condition?.cost ?? 0) + (consensus?.cost ?? 0) + (time?.cost ?? 0);
}

/** A decision that lists no policies took all of its steps. */
function decisionCost({ organization }: Scene, evaluations: readonly { readonly policyId: string }[]): number {
  if (evaluations.length === 0) return WORST_CASE_STEPS / 2;
  const set = policySetOf(organization);
  return evaluations.reduce((sum, { policyId }) => {
    const policy = set.get(policyId);
    return policy === undefined ? sum : sum + 2 * costOf(policy);
  }, 0);
}
