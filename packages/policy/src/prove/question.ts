import type { PolicySet } from '../decide/policy-set.ts';
import type { CompiledExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import { Encoder } from './encode.ts';
import { SymbolicRequest, type World } from './symbolic-request.ts';
import { Symbols } from './symbols.ts';
import { and, not, or, type Term } from './term.ts';

/** A property: a request that must not be allowed, unless enough people approved. */
export interface Property {
  readonly name: string;
  /** A condition. The property covers the requests for which it is true. */
  readonly forbid: CompiledExpression;
  /** A consensus. A request whose approvers satisfy it does not violate the property. */
  readonly unless?: CompiledExpression | undefined;
}

/** A question to a solver: is there a request that the policies allow although it violates the property? */
export interface Question {
  readonly script: string;
  readonly request: SymbolicRequest;
  /** Parts of the policies or the property that the question does not model. */
  readonly abstractions: readonly string[];
}

export interface AskOptions {
  /** The maximum length of each list. */
  readonly listSize: number;
  readonly includeRoot: boolean;
  /** Every part that the question does not model fails. The result then does not depend on such parts. */
  readonly describedOnly?: boolean;
  /** Only requests that no rule of the service restricts beyond policies: no contract creation, no delegation, no change of attributes. */
  readonly plainOnly?: boolean;
  /** Policies whose ALLOW does not count. */
  readonly without?: readonly string[];
}

/** Asks for a counter-example. */
export function ask(set: PolicySet, property: Property, world: World, options: AskOptions): Question {
  const { listSize, includeRoot, describedOnly = false, plainOnly = false, without = [] } = options;
  const symbols = new Symbols();
  const request = new SymbolicRequest(world, symbols, listSize);
  const encoder = new Encoder(request, symbols);
  const { rootQuorumMet } = request.people;
  symbols.assert(encoder.expression(property.forbid).isTrue);
  if (property.unless !== undefined) symbols.assert(not(encoder.expression(property.unless).isTrue));
  if (!includeRoot) symbols.assert(not(rootQuorumMet));
  const applies = (effect: CompiledPolicy['effect']) =>
    set.policies
      .filter((policy) => policy.effect === effect && (effect === 'EFFECT_DENY' || !without.includes(policy.id)))
      .map((policy) => policyApplies(policy, encoder));
  const denied = or(...applies('EFFECT_DENY'));
  const granted = or(...applies('EFFECT_ALLOW'), request.rootUser, request.selfService);
  symbols.assert(or(includeRoot ? rootQuorumMet : 'false', and(granted, not(denied))));
  if (describedOnly) symbols.assert(and(...encoder.opaqueErrors));
  if (plainOnly) request.assertPlain();
  request.finish();
  return { script: symbols.script, request, abstractions: encoder.abstractions };
}

/**
 * Whether a policy grants or denies, like `evaluatePolicy`. An ALLOW needs all three expressions to be true. A DENY denies unless one of
 * them is false or applies to another kind of request, so an error denies.
 */
function policyApplies(policy: CompiledPolicy, encoder: Encoder): Term {
  const broken = policy.invalid.length > 0;
  const outcomes = [policy.time, policy.condition, policy.consensus].map((each) => encoder.expression(each));
  if (policy.effect === 'EFFECT_ALLOW') return broken ? 'false' : and(...outcomes.map(({ isTrue }) => isTrue));
  return and(...outcomes.flatMap(({ isFalse, absent }) => [not(isFalse), not(absent)]));
}

/** Asks whether any request satisfies `forbid`. */
export function askWhetherPossible(property: Property, world: World, listSize: number): Question {
  const symbols = new Symbols();
  const request = new SymbolicRequest(world, symbols, listSize);
  const encoder = new Encoder(request, symbols);
  symbols.assert(encoder.expression(property.forbid).isTrue);
  request.finish();
  return { script: symbols.script, request, abstractions: encoder.abstractions };
}
