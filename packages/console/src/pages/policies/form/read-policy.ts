import { type Expression, formatExpression, parseExpression } from '@countersign/policy';
import type { Draft } from '../draft.ts';
import { type Answers, blankAnswers } from './answers.ts';
import { assetNamed, chainIdOf, isAssetName, networkOf } from './networks.ts';
import { fixedConditions, writePolicy } from './write-policy.ts';

/** A policy as the form shows it, or the parts that it cannot show. */
export type Reading = { readonly answers: Answers } | { readonly lockedBy: readonly Obstacle[] };

/** Why the form cannot show a policy: a part of its text, or a property of the whole. */
export type Obstacle = { readonly part: string } | { readonly whole: 'invalid' | 'comment' | 'language' | 'deny' | 'form' };

type Part = { readonly [K in keyof Answers]?: Answers[K] };

const nothing: Answers = { ...blankAnswers, network: '', asset: '', receivers: 'any', fee: '', approvals: 1 };

/**
 * The values of the form for a policy.
 * INVARIANT: the text that the form writes for them means the same as the policy, because its clauses are the same. Otherwise the form is
 * locked: it never drops or weakens a clause that it does not know.
 */
export function readPolicy({ effect, condition, consensus, language }: Draft): Reading {
  if (language !== undefined) return { lockedBy: [{ whole: 'language' }] };
  const clauses = [clausesOf(condition), clausesOf(consensus)] as const;
  for (const found of clauses) if (!Array.isArray(found)) return { lockedBy: [found as Obstacle] };
  const [ofCondition, ofConsensus] = clauses as readonly [readonly Expression[], readonly Expression[]];
  if (effect === 'EFFECT_DENY' && ofConsensus.length > 0) return { lockedBy: [{ whole: 'deny' }] };
  const unknown: Obstacle[] = [];
  let answers = nothing;
  const take = (clause: Expression, read: (clause: Expression, answers: Answers) => Part | undefined) => {
    const part = read(clause, answers);
    if (part === undefined) unknown.push({ part: formatExpression(clause) });
    else answers = { ...answers, ...part };
  };
  for (const clause of ofCondition) take(clause, readCondition);
  for (const clause of ofConsensus) take(clause, readConsensus);
  if (unknown.length > 0) return { lockedBy: unknown };
  answers = withNetwork(answers);
  const written = writePolicy(answers);
  const isSame = sameClauses(ofCondition, written.condition) && sameClauses(ofConsensus, written.consensus);
  return isSame ? { answers } : { lockedBy: [{ whole: 'form' }] };
}

/** The operands of the outermost `&&`, or why there are none. */
function clausesOf(text: string): readonly Expression[] | Obstacle {
  if (text.trim() === '') return [];
  const { expression, additions } = parseExpression(text);
  if (expression === undefined) return { whole: 'invalid' };
  if (additions.some(({ what }) => what === 'a comment')) return { whole: 'comment' };
  if (expression.kind === 'boolean' && expression.value) return [];
  return expression.kind === 'and' ? expression.operands : [expression];
}

function sameClauses(clauses: readonly Expression[], text: string): boolean {
  const others = clausesOf(text);
  if (!Array.isArray(others)) return false;
  const [a, b] = [clauses, others as readonly Expression[]].map((list) => list.map(canonical).sort());
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The text of a clause, the same for every order of what a rule for all payments demands, and for every spelling of a number. */
function canonical(clause: Expression): string {
  const rule = ruleForAll(clause);
  if (rule !== undefined) return `all ${rule.map(formatExpression).sort().join(' && ')}`;
  if (clause.kind === 'compare' && clause.right.kind === 'quantity') {
    const { digits, places, unit } = clause.right;
    return `${formatExpression(clause.left)} ${clause.operator} ${plainNumber(digits, places)} ${unit}`;
  }
  return formatExpression(clause);
}

/** The demands of `tx.payments.all(p, …)`. */
function ruleForAll(clause: Expression): readonly Expression[] | undefined {
  if (clause.kind !== 'method' || clause.name !== 'all' || formatExpression(clause.base) !== 'tx.payments') return undefined;
  const [variable, body] = clause.args;
  if (variable === undefined || body === undefined || formatExpression(variable) !== 'p') return undefined;
  return body.kind === 'and' ? body.operands : [body];
}

/** A decimal number without superfluous zeros. */
function plainNumber(digits: bigint, places: number): string {
  const text = digits.toString().padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  const fraction = text.slice(text.length - places).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

const subjectOf = new Map(
  Object.entries(fixedConditions).map(([what, text]) => [text, what as keyof typeof fixedConditions] as const),
);

function readCondition(clause: Expression, answers: Answers): Part | undefined {
  const text = formatExpression(clause);
  if (text === 'tx.is_payment') return { what: 'payments' };
  const what = subjectOf.get(text);
  if (what !== undefined) return { what };
  const rule = ruleForAll(clause);
  if (rule !== undefined) return readRule(rule);
  if (clause.kind === 'field' && formatExpression(clause.base) === 'controls')
    return { limits: [...answers.limits, clause.name] };
  return clause.kind === 'compare' ? readComparison(clause) : undefined;
}

function readComparison({ left, right, operator }: Expression & { kind: 'compare' }): Part | undefined {
  const path = formatExpression(left);
  if (operator === '==' && path === 'wallet.id') return right.kind === 'string' ? { walletId: right.value } : undefined;
  if (operator === '==' && path === 'eth.tx.chain_id')
    return right.kind === 'integer' ? { network: `eip155:${right.value}` } : undefined;
  if (operator !== '<=') return undefined;
  if (path === 'tx.max_fee') return right.kind === 'quantity' ? { fee: plainNumber(right.digits, right.places) } : undefined;
  if (left.kind !== 'method' || left.name !== 'total' || formatExpression(left.base) !== 'tx.payments') return undefined;
  if (right.kind === 'quantity') return { most: plainNumber(right.digits, right.places) };
  return right.kind === 'integer' ? { most: right.value.toString() } : undefined;
}

/** What `tx.payments.all(p, …)` demands of every payment. */
function readRule(rule: readonly Expression[]): Part | undefined {
  let found: Part = {};
  for (const demand of rule) {
    const part = readAsset(demand) ?? readReceivers(demand);
    if (part === undefined) return undefined;
    found = { ...found, ...part };
  }
  return found;
}

function readAsset(demand: Expression): Part | undefined {
  if (demand.kind !== 'compare' || demand.operator !== '==' || formatExpression(demand.left) !== 'p.asset') return undefined;
  const { right } = demand;
  if (right.kind === 'name') return isAssetName(right.name) ? { asset: right.name } : undefined;
  return right.kind === 'string' ? { asset: right.value } : undefined;
}

function readReceivers(demand: Expression): Part | undefined {
  if (demand.kind !== 'in' || formatExpression(demand.item) !== 'p.to') return undefined;
  const { list } = demand;
  if (formatExpression(list) === 'contacts.all') return { receivers: 'contacts' };
  if (list.kind === 'list') {
    const addresses = list.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
    return addresses.length === list.items.length ? { receivers: 'addresses', addresses } : undefined;
  }
  const isTag = list.kind === 'method' && list.name === 'tagged' && formatExpression(list.base) === 'contacts';
  const tag = isTag ? list.args[0] : undefined;
  return tag?.kind === 'string' ? { receivers: 'tag', contactTag: tag.value } : undefined;
}

/** The network that the asset states, on chains whose transactions have no chain id. */
function withNetwork(answers: Answers): Answers {
  const named = assetNamed(answers.asset);
  const known = named === undefined || chainIdOf(named.network) !== undefined ? answers : { ...answers, asset: named.name };
  const network = named?.network ?? networkOf(answers);
  return answers.asset === '' || chainIdOf(network) !== undefined ? answers : { ...known, network };
}

function readConsensus(clause: Expression): Part | undefined {
  const isCount = clause.kind === 'compare' && clause.operator === '>=' && clause.right.kind === 'integer';
  if (!isCount) return readTag(clause, 'any', 1);
  const approvals = clause.right.kind === 'integer' && clause.right.value <= 100n ? Number(clause.right.value) : 0;
  if (approvals < 2 || clause.left.kind !== 'method' || clause.left.name !== 'count') return undefined;
  const { base } = clause.left;
  return formatExpression(base) === 'approvers' ? { approvals } : readTag(base, 'filter', approvals);
}

/** `approvers.any(user, user.tags.contains('…'))`, or the same with `filter`. */
function readTag(call: Expression, method: string, approvals: number): Part | undefined {
  if (call.kind !== 'method' || call.name !== method || formatExpression(call.base) !== 'approvers') return undefined;
  const [variable, has] = call.args;
  if (variable === undefined || has?.kind !== 'method' || formatExpression(variable) !== 'user') return undefined;
  const tag = has.name === 'contains' && formatExpression(has.base) === 'user.tags' ? has.args[0] : undefined;
  return tag?.kind === 'string' ? { approvals, tagId: tag.value } : undefined;
}
