import { conjunctsOf, type Scalar } from '../check/typed.ts';
import { equalityOf, pathOf, soleApprovers } from '../decide/index-key.ts';
import type { CompiledExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import { formatExpression } from '../syntax/format.ts';
import { parseExpression } from '../syntax/parser.ts';
import { factsOf } from './facts.ts';

/** A top-level clause of a condition: its canonical text, and its equality with a fixed path, if it has that form. */
interface Clause {
  readonly text: string;
  readonly equality?: { readonly path: string; readonly values: ReadonlySet<Scalar> };
}

/** A policy prepared for comparison with others. */
export interface ComparablePolicy {
  readonly policy: CompiledPolicy;
  readonly clauses: readonly Clause[];
  readonly clauseTexts: ReadonlySet<string>;
  readonly among: ReadonlyMap<string, ReadonlySet<Scalar>>;
  readonly consensus: string | undefined;
  readonly approvers: ReadonlySet<Scalar> | undefined;
  readonly time: string | undefined;
}

/** Prepares a policy for comparison. An expression that is `true` counts as absent. */
export function toComparable(policy: CompiledPolicy): ComparablePolicy {
  const { condition, consensus, time } = policy;
  const clauses = condition === undefined ? [] : clausesOf(condition);
  return {
    policy,
    clauses,
    clauseTexts: new Set(clauses.map(({ text }) => text)),
    among: condition === undefined ? new Map() : factsOf(condition.typed).among,
    consensus: consensus === undefined ? undefined : consensusText(consensus),
    approvers: consensus === undefined ? undefined : soleApprovers(consensus.typed, consensus.limits),
    time: time === undefined ? undefined : canonicalText(time.text),
  };
}

/** Whether every request that satisfies `narrow` also satisfies `wide`, according to their texts. Never wrongly true. */
export function implies(narrow: ComparablePolicy, wide: ComparablePolicy): boolean {
  const condition = wide.clauses.every(({ text, equality }) => {
    const own = equality === undefined ? undefined : narrow.among.get(equality.path);
    return narrow.clauseTexts.has(text) || (own !== undefined && isSubset(own, equality?.values));
  });
  const approvers = narrow.approvers !== undefined && isSubset(narrow.approvers, wide.approvers);
  const consensus = wide.consensus === undefined || wide.consensus === narrow.consensus || approvers;
  const time = wide.time === undefined || wide.time === narrow.time;
  return condition && consensus && time && (isDenial(wide, narrow) || nameSameControls(narrow, wide));
}

/** A DENY also applies if it has no value. */
const isDenial = (wide: ComparablePolicy, narrow: ComparablePolicy) =>
  wide.policy.effect === 'EFFECT_DENY' && narrow.policy.effect === 'EFFECT_ALLOW';

/** SECURITY: D480: together with another limit, a limit has a value for more requests. So `controls.a` does not cover `controls.a && controls.b`. */
function nameSameControls(narrow: ComparablePolicy, wide: ComparablePolicy): boolean {
  const [own, its] = [narrow, wide].map(({ policy }) => [...new Set(policy.condition?.controls ?? [])].sort().join(' '));
  return own === its;
}

/** Memoized per expression. Policies with the same content share compiled expressions. */
const knownClauses = new WeakMap<CompiledExpression, readonly Clause[]>();

function clausesOf(expression: CompiledExpression): readonly Clause[] {
  const clauses = knownClauses.get(expression) ?? readClauses(expression);
  knownClauses.set(expression, clauses);
  return clauses;
}

/** The same text has another meaning in an ALLOW and a DENY, if it counts only those who agree. */
function consensusText({ text, amongAgreeing }: CompiledExpression): string | undefined {
  const canonical = canonicalText(text);
  return canonical === undefined || amongAgreeing === undefined ? canonical : `${canonical} among agreeing`;
}

function readClauses({ text, typed }: CompiledExpression): readonly Clause[] {
  const constants = constantsText(text);
  return conjunctsOf(typed).flatMap((node): readonly Clause[] => {
    const own = canonicalText(text.slice(node.span.start, node.span.end));
    const equality = equalityOf(node);
    if (own === undefined) return [];
    const clause = `${constants}${own}`;
    return [
      equality === undefined
        ? { text: clause }
        : { text: clause, equality: { path: pathOf(equality.read), values: equality.values } },
    ];
  });
}

/** The constants of an expression. Without them, two clauses with the same text can differ. */
function constantsText(text: string): string {
  const tree = /\blet\b/.test(text) ? parseExpression(text).recovered : undefined;
  if (tree?.kind !== 'let') return '';
  return formatExpression({ ...tree, body: { kind: 'invalid', span: tree.span } });
}

function canonicalText(text: string): string | undefined {
  const formatted = formatExpression(parseExpression(text).recovered);
  return formatted === 'true' ? undefined : formatted;
}

function isSubset(a: ReadonlySet<Scalar>, b: ReadonlySet<Scalar> | undefined): boolean {
  return b !== undefined && [...a].every((value) => b.has(value));
}
