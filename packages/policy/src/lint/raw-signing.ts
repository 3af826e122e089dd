import { conjunctsOf } from '../check/typed.ts';
import { equalityOf, pathOf } from '../decide/index-key.ts';
import type { NamespaceUse } from '../expression.ts';
import type { Namespace } from '../schema/namespace.ts';
import { isPayment, payments } from '../schema/payments.ts';
import { demandsPayment } from './effect-bounds.ts';
import { admits, factsOf } from './facts.ts';
import type { ComparablePolicy } from './implication.ts';
import type { PolicyWarning } from './warning.ts';

/** The activities that sign bytes that policies cannot parse. */
const rawSignings = [
  { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD', kind: 'SIGN_RAW_PAYLOAD' },
  { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', kind: 'SIGN_RAW_PAYLOAD' },
  { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS', kind: 'SIGN_RAW_PAYLOADS' },
].map((each) => ({ ...each, resource: 'PRIVATE_KEY', action: 'SIGN' }));

type RawSigning = (typeof rawSignings)[number];

const typedData = new Set(['eth.eip_712', 'eth.eip_7702_authorization']);
const visibleEncodings = new Set(['PAYLOAD_ENCODING_EIP712', 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION']);

/** The policies that restrict transactions, and those that allow raw payloads. */
export interface RawSigningPolicies {
  readonly rules: readonly ComparablePolicy[];
  readonly doors: readonly ComparablePolicy[];
}

/** Finds them once for all checks of a set. */
export function rawSigningPolicies(all: readonly ComparablePolicy[]): RawSigningPolicies {
  const matching = rawSignings.map((raw) => new Set(all.filter((each) => matchesRaw(each, raw))));
  const closing = rawSignings.map((raw, at) => all.filter((each) => matching[at]?.has(each) && canCloseRaw(each, raw)));
  const isDoor = (each: ComparablePolicy) =>
    each.policy.effect === 'EFFECT_ALLOW' &&
    rawSignings.some((_, at) => matching[at]?.has(each) && closing[at]?.some((deny) => closes(deny, each)) === false);
  return { rules: all.filter(isRule), doors: all.filter(isDoor) };
}

/** Which keys of the organization sign no bare hashes. Undefined if it is not known. */
export type KeysWithoutHashes = 'covered' | 'all' | 'none' | undefined;

/**
 * Warns if a rule on transactions can be bypassed: an ALLOW lets one of the same people sign raw payloads, and the digest of a forbidden
 * transaction is a valid raw payload. The warning names the rule. If the rule is not in focus, it names the ALLOW. If the keys that a DENY
 * covers sign no bare hashes, the warning tells its author that.
 */
export function rawSigningSidestep(
  subject: ComparablePolicy,
  { rules: allRules, doors: allDoors }: RawSigningPolicies,
  inFocus: (policyId: string) => boolean,
  hashes: KeysWithoutHashes,
): readonly PolicyWarning[] {
  const isHeld = ({ policy }: ComparablePolicy) => isDeny(policy) && (hashes === 'covered' || hashes === 'all');
  if (isRule(subject)) {
    const doors = allDoors.filter((other) => mayShareApprovers(subject, other)).map(({ policy }) => policy.id);
    if (doors.length === 0) return [];
    if (isHeld(subject)) return [hashesDenied(subject, doors)];
    const message = `the same people may sign raw payloads under policy ${listed(doors)}, so a transaction that this policy rules out can still be signed ${way(subject)}`;
    return [warn(subject, message, `limit that policy, for example ${LIMIT}${turnOn(subject)}`, doors)];
  }
  if (!allDoors.includes(subject)) return [];
  const rules = allRules.filter((other) => !inFocus(other.policy.id) && mayShareApprovers(subject, other) && !isHeld(other));
  const [first] = rules;
  if (first === undefined) return [];
  const ids = rules.map(({ policy }) => policy.id);
  const worst = rules.find(({ policy }) => !isDeny(policy)) ?? first;
  const message = `it lets the same people sign raw payloads, so a transaction that policy ${listed(ids)} rules out can be signed ${way(worst)}`;
  return [warn(subject, message, `limit it, for example ${LIMIT}${turnOn(worst)}`, ids)];
}

const LIMIT = "with `activity.kind == 'SIGN_TRANSACTION'`";

const isDeny = ({ effect }: ComparablePolicy['policy']) => effect === 'EFFECT_DENY';

/** A DENY sees the bytes of a transaction in a raw payload. An ALLOW that rules a transaction out does not stop another ALLOW. */
function way({ policy }: ComparablePolicy): string {
  return isDeny(policy) ? 'by its digest' : 'as a raw payload';
}

function turnOn({ policy }: ComparablePolicy): string {
  return isDeny(policy) ? ', or turn on FEATURE_NAME_NO_BLIND_HASHES' : '';
}

function hashesDenied({ policy }: ComparablePolicy, doors: readonly string[]): PolicyWarning {
  return {
    code: 'HASHES_DENIED',
    policyId: policy.id,
    message: `keys that it covers sign no bare hashes, which policy ${listed(doors)} allows otherwise, because a hash hides the transaction (FEATURE_NAME_NO_BLIND_HASHES)`,
    help: 'callers send the transaction with sign_transaction, typed data as PAYLOAD_ENCODING_EIP712 and messages as bytes with their hash function',
    related: doors,
  };
}

/** The most policies that a message names. */
const MAX_NAMED = 8;

function listed(ids: readonly string[]): string {
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} others` : '';
  return `${ids.slice(0, MAX_NAMED).join(', ')}${more}`;
}

function warn({ policy }: ComparablePolicy, message: string, help: string, related: readonly string[]): PolicyWarning {
  const example = { 'activity.kind': 'SIGN_RAW_PAYLOAD', 'activity.params.payload': 'the digest of the transaction' };
  return { code: 'RAW_SIGNING_SIDESTEP', policyId: policy.id, message, help, example, related };
}

function isRule({ policy }: ComparablePolicy): boolean {
  return policy.condition?.uses.some(({ namespace }) => namespace.transaction === true) === true;
}

/** Whether a raw payload that policies cannot parse can satisfy a policy. */
function matchesRaw({ policy }: ComparablePolicy, raw: RawSigning): boolean {
  if (policy.condition === undefined) return policy.invalid.length === 0;
  // Raw payloads have the payment view too, and are no payments.
  const isPaymentView = (namespace: Namespace) => namespace === isPayment || namespace === payments;
  const hides = ({ namespace }: NamespaceUse) =>
    (namespace.transaction === true && !isPaymentView(namespace)) || typedData.has(namespace.path);
  if (policy.condition.uses.some(hides) || demandsPayment(policy.condition.typed)) return false;
  const facts = factsOf(policy.condition.typed);
  const encodings = facts.among.get('activity.params.encoding');
  if (encodings !== undefined && [...encodings].every((encoding) => visibleEncodings.has(String(encoding)))) return false;
  // The policy fixes the payload, so the caller cannot choose it.
  if (facts.constantFalse || facts.among.has('activity.params.payload')) return false;
  return Object.entries(raw).every(([name, value]) => admits(facts, `activity.${name}`, value));
}

/** Whether a DENY that matches raw signings of this kind blocks all of them, for the people that it applies to. */
function canCloseRaw({ policy, time }: ComparablePolicy, raw: RawSigning): boolean {
  if (policy.effect !== 'EFFECT_DENY' || time !== undefined) return false;
  const activityOnly = new Set(Object.keys(raw).map((name) => `activity.${name}`));
  return (
    policy.condition === undefined ||
    conjunctsOf(policy.condition.typed).every((clause) => activityOnly.has(pathOfClause(clause)))
  );
}

function closes(deny: ComparablePolicy, door: ComparablePolicy): boolean {
  return deny.consensus === undefined || deny.consensus === door.consensus;
}

function pathOfClause(clause: Parameters<typeof equalityOf>[0]): string {
  const equality = equalityOf(clause);
  return equality === undefined ? '' : pathOf(equality.read);
}

function mayShareApprovers(a: ComparablePolicy, b: ComparablePolicy): boolean {
  if (a.approvers === undefined || b.approvers === undefined) return true;
  return [...a.approvers].some((id) => b.approvers?.has(id));
}
