import { conjunctsOf, type Scalar, type Typed } from '../check/typed.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { PolicyUser } from '../request.ts';
import { kindsOf } from '../schema/namespace.ts';
import { credential, user } from '../schema/people.ts';
import { isList, isRecord, type PolicyValue } from '../value.ts';
import { type ConsensusShape, consensusShape, type PeopleShape } from './consensus-shape.ts';
import { activityWords, readsBeyond, type UnplannedActivity, wordOf } from './unplanned.ts';

/** What stands for any activity, or for any user. */
const ANY = '*';
const keyOf = (name: string, value: Scalar) => `${name}=${JSON.stringify(String(value))}`;

/** The most prefixes of one policy. With more people or activities it is found by fewer of its words, or by none. */
const MOST_PREFIXES = 256;
/** The most characters of a literal that a policy is found by, and of its ending. */
const MOST_CHARACTERS = 256;

/**
 * The prefixes that a policy is found by when somebody asks what it could grant: for whom, and for which activities.
 * INVARIANT: where a policy could grant an activity to a user, one of these is a prefix of that activity and user.
 * SECURITY: D240: people times activities times the length of the policy is gigabytes for a policy that its limits allow. So prefixes and
 * endings are few and short.
 */
export function prefixesOf({ effect, invalid, condition, consensus }: CompiledPolicy): readonly string[] {
  if (effect !== 'EFFECT_ALLOW' || invalid.length > 0) return [];
  const people = subjectKeys(consensus && consensusShape(consensus.passing())) ?? [ANY];
  const words = condition === undefined ? [ANY] : wordKeys(condition.passing());
  return fewPrefixes(people, words);
}

/**
 * How else a policy judges an activity that is not planned yet. Two policies with the same ending give the same answers where they have
 * a prefix in common. `place` is the policy's own in its set.
 */
export function endingOf({ condition, consensus }: CompiledPolicy, place: string): string {
  const namespaces = (condition?.uses ?? []).filter(({ namespace }) => kindsOf(namespace) !== undefined);
  const needed = [...new Set(namespaces.map(({ namespace }) => namespace.path))].sort().join(' ');
  const judged = condition === undefined ? '' : outline(condition.passing());
  const ending = `${needed}\n${judged}\n${consensus?.text ?? ''}`;
  // No name of a namespace begins with this sign, so a long policy shares its ending with no other.
  return ending.length <= MOST_CHARACTERS ? ending : `#${place}`;
}

/** The prefixes of people and words. Where these are too many, of the people alone, of the words alone, or the one that stands for all. */
function fewPrefixes(people: readonly string[], words: readonly string[]): readonly string[] {
  const [person = ANY, word = ANY] = [people[0], words[0]];
  if (people.length === 1 && words.length === 1) return [prefix(person, word)];
  const ways = [
    [people, words],
    [people, [ANY]],
    [[ANY], words],
  ] as const;
  const [persons, kinds] = ways.find(([some, others]) => some.length * others.length <= MOST_PREFIXES) ?? [[ANY], [ANY]];
  return persons.flatMap((person) => kinds.map((kind) => prefix(person, kind)));
}

/** The prefixes of all policies that could grant an activity to a user. */
export function grantPrefixes(activity: UnplannedActivity, approver: PolicyUser): readonly string[] {
  const words = [ANY, ...[...activityWords(activity)].map(([path, value]) => keyOf(path, value))];
  const records = [user.toRecord(approver), ...(approver.credentials ?? []).map(credential.toRecord)];
  const people = new Set([ANY, ...records.flatMap((record, at) => keysOfRecord(at === 0 ? 'approver' : 'credential', record))]);
  return [...people].flatMap((person) => words.map((word) => prefix(person, word)));
}

const prefix = (person: string, word: string) => `${person}\n${word}\n`;

function keysOfRecord(source: string, record: PolicyValue): readonly string[] {
  if (!isRecord(record)) return [];
  return Object.entries(record).flatMap(([name, value]) => {
    const values = isList(value) ? value : [value];
    return values.flatMap((each) => (typeof each === 'string' ? [keyOf(`${source}.${name}`, each)] : []));
  });
}

/** The words of an activity that a condition needs one of: the first of its conjuncts that names any, the most exact first. */
function wordKeys(typed: Typed): readonly string[] {
  const found = new Map<string, readonly string[]>();
  for (const node of conjunctsOf(typed)) {
    const path = wordOf(node);
    if (path !== undefined && node.kind === 'oneOf' && !node.negated && [...node.values].every(isShort))
      found.set(
        path,
        [...node.values].map((value) => keyOf(path, value)),
      );
  }
  for (const path of ['activity.type', 'activity.kind', 'activity.resource', 'activity.action']) {
    const keys = found.get(path);
    if (keys !== undefined) return keys;
  }
  return [ANY];
}

const isShort = (value: Scalar) => String(value).length <= MOST_CHARACTERS;

/** What a condition says of the words of an activity. Whatever else it says is a question mark. */
function outline(node: Typed): string {
  switch (node.kind) {
    case 'constant':
      return node.value === true ? 'T' : 'F';
    case 'not':
      return `!${outline(node.operand)}`;
    case 'and':
    case 'or':
      return `${node.kind}(${[...new Set(node.operands.map(outline))].join(' ')})`;
    case 'oneOf': {
      const path = wordOf(node);
      return path === undefined ? '?' : `${node.negated ? '!' : ''}${path}${JSON.stringify([...node.values].map(String))}`;
    }
    default:
      return '?';
  }
}

/** What a user must have for an approval of theirs to count: one of these keys. Undefined where the text does not tell. */
function subjectKeys(part: ConsensusShape | undefined): readonly string[] | undefined {
  if (part === undefined || part.kind === 'fixed') return undefined;
  if (part.kind === 'people') return part.atLeast <= 0n ? undefined : keysOfPeople(part);
  const people = part.all ? part.parts.filter(({ kind }) => kind !== 'fixed') : part.parts;
  return people.length === 0 ? undefined : union(people.map(subjectKeys));
}

/** A user must meet all predicates, so the keys of one of them are enough. */
function keysOfPeople({ source, predicates }: PeopleShape): readonly string[] | undefined {
  const name = source === 'approvers' ? 'approver' : 'credential';
  for (const { slot, body } of predicates) {
    const keys = readsBeyond(body) ? undefined : keysOfPredicate(body, slot, name);
    if (keys !== undefined) return keys;
  }
  return undefined;
}

function keysOfPredicate(body: Typed, slot: number, source: string): readonly string[] | undefined {
  if (body.kind === 'or') return union(body.operands.map((operand) => keysOfPredicate(operand, slot, source)));
  if (body.kind === 'and') {
    for (const conjunct of conjunctsOf(body)) {
      const keys = keysOfPredicate(conjunct, slot, source);
      if (keys !== undefined) return keys;
    }
    return undefined;
  }
  const asked = askedField(body);
  const isOfElement = asked?.field.kind === 'field' && asked.field.base.kind === 'variable' && asked.field.base.slot === slot;
  if (asked === undefined || asked.field.kind !== 'field' || !isOfElement) return undefined;
  const { name } = asked.field;
  return asked.values.every((value) => typeof value === 'string' && isShort(value))
    ? asked.values.map((value) => keyOf(`${source}.${name}`, value))
    : undefined;
}

/** The field that must hold one of some literals, or whose list must. */
function askedField(node: Typed): { readonly field: Typed; readonly values: readonly Scalar[] } | undefined {
  if (node.kind === 'oneOf') return node.negated ? undefined : { field: node.operand, values: [...node.values] };
  if (node.kind === 'hasOneOf') return { field: node.list, values: [...node.values] };
  if (node.kind !== 'member' || node.item.kind !== 'constant') return undefined;
  const { value } = node.item;
  return typeof value === 'object' ? undefined : { field: node.list, values: [value] };
}

function union(all: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  return all.every((keys) => keys !== undefined) ? [...new Set(all.flat())] : undefined;
}
