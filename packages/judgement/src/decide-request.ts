import type { ParseContext } from '@countersign/chains';
import { memoizeByRef } from '@countersign/collections';
import { type ActivityInput, activityByType, activityKind, givenParameters, parameterReader } from '@countersign/contract';
import {
  type Decision,
  type DecisionRequest,
  decide,
  type Explanation,
  explain,
  isRecord,
  type PolicySet,
} from '@countersign/policy';
import { counting } from './authorize-by-policy.ts';
import { type Guarded, type MustBeNamed, mustBeNamedIn } from './named-in-policy.ts';
import { spelling } from './normalizers.ts';
import { contentOf } from './raw-content.ts';
import { CURRENT_RULES, rulesOf } from './rules.ts';
import { signedNamespaces } from './signed-namespaces.ts';
import type { TrustTouch } from './subject.ts';
import { trustsOf } from './trusted-attributes.ts';

/**
 * Decides a request of the policy language by the current rules: with what policies must name, and with the step limit of a decision. For
 * requests without an organization, such as counterexamples of proofs. Freezes, MFA policies and the profiles of sessions are not part of it.
 * INVARIANT: a request that is allowed here is allowed to the same approvers by the service, if the activity does what the request says.
 */
export function decideRequest(set: PolicySet, request: DecisionRequest): Decision {
  const { decisionLimits } = rulesOf({ rules: CURRENT_RULES });
  return decide(counting(set, requiredOf(set, request), decisionLimits), request, decisionLimits);
}

/** The same decision with the value of every sub-expression, and what would have changed it. */
export function explainRequest(set: PolicySet, request: DecisionRequest): Explanation {
  const { decisionLimits } = rulesOf({ rules: CURRENT_RULES });
  const required = requiredOf(set, request);
  const explanation = explain(counting(set, required, decisionLimits), request, decisionLimits);
  if (explanation.decision.outcome === 'ALLOW') return explanation;
  return { ...explanation, changes: [...required.map(({ why }) => why), ...explanation.changes] };
}

/** The parameters of a raw signing request, apart from its payloads. */
type RawParams = Pick<ActivityInput<'signRawPayload'>, 'signWith' | 'encoding' | 'hashFunction'>;

/**
 * A raw signing request with what DENYs see of its payloads. `isHeld`: the key signs no payloads that hide their content.
 * INVARIANT: the service sees the same, as for the requests that `decideRequest` decides.
 */
export function withRawContent(
  request: DecisionRequest,
  payloads: readonly string[],
  params: RawParams,
  context: ParseContext,
  isHeld: boolean,
): DecisionRequest {
  const { raw } = contentOf(payloads, params, context);
  if (raw === undefined) return request;
  const shown = raw.readings.map((reading) => {
    const { definition, parsed } = reading;
    const sent = reading.params as Readonly<Record<string, unknown>>;
    const read = parameterReader(definition, { sent, understood: undefined }, spelling);
    const { type, policy } = definition;
    const activity = { type, kind: activityKind(type), ...policy, params: read, given: () => givenParameters(definition, sent) };
    return { ...request, activity, namespaces: { ...request.namespaces, ...signedNamespaces(parsed) } };
  });
  return {
    ...request,
    ...(shown.length > 0 && { toDenials: [request, ...shown] }),
    ...(raw.hidden !== undefined && isHeld && { denied: 'HIDDEN_CONTENT' as const }),
  };
}

function requiredOf(set: PolicySet, request: DecisionRequest): readonly MustBeNamed[] {
  const guarded = guardedOf(set, request);
  return guarded === undefined ? [] : mustBeNamedIn(guarded);
}

function guardedOf(set: PolicySet, request: DecisionRequest): Guarded | undefined {
  const { type = '', added, removed } = request.activity;
  const definition = activityByType.get(type)?.definition;
  if (definition === undefined) return undefined;
  const parsed = transactionOf(request);
  const touches = [...touchesOf(added?.() ?? [], {}), ...touchesOf(removed?.() ?? [], { lost: true })];
  const trusts = () => trustsOf(textsOf(set), set);
  return { definition, type, subject: { parsed, touches }, request: () => request, trusts };
}

const textsOf = memoizeByRef((set: PolicySet) => new Map(set.policies.map(({ source }, index) => [String(index), source])));

/** The Ethereum transaction. Without a receiver it creates a contract, also if the request does not say so. */
function transactionOf({ namespaces }: DecisionRequest): Guarded['subject']['parsed'] {
  const value = namespaces['eth.tx'];
  const policy = typeof value === 'function' ? value() : value;
  if (policy === undefined || !isRecord(policy)) return undefined;
  return { namespace: 'eth.tx', policy: { ...policy, is_deployment: policy.is_deployment ?? policy.to === '' } };
}

/** The changes of attributes that a request lists. The kind of an attribute is unknown, so each counts as every kind. */
function touchesOf(texts: readonly string[], lost: { readonly lost?: true }): readonly TrustTouch[] {
  return texts.flatMap((text): readonly TrustTouch[] => [
    { what: 'TAGS', tagIds: [text], ...lost },
    { what: 'NAME', userName: text, ...lost },
    { what: 'EMAIL', userEmail: text, ...lost },
    { what: 'KEY_TAGS', tagIds: [text], ...lost },
    { what: 'WALLET_NAME', walletName: text, ...lost },
  ]);
}
