import { activities } from '../activities/index.ts';
import type { ActivityDefinition } from '../define.ts';
import { deriveFields, membersOf, readField, takeWords } from './derive.ts';
import { type Spelling, snakeCase, unwrap, type ViewField } from './field.ts';
import { joinTypes, type ViewType, type ViewValue } from './view-type.ts';

/*
 * What policies see of an activity's parameters.
 *
 * INVARIANT: policies see every parameter of every activity under `activity.params`, but for secrets. Names and types come from
 * the schemas of the contract; nothing is listed by hand.
 * INVARIANT: policies see the parameters that will be executed: the current form, with the executor's own defaults. So a
 * request cannot hide a value by leaving it out, nor by using another version of the activity:
 *   1. what the executor decides from the organization's state, it says in its plan (`resolved`);
 *   2. otherwise the documented default stands in (`.meta({ default })`), which executors take from the contract too;
 *   3. otherwise text is empty, but for ids, and a record follows these rules member by member;
 *   4. anything else has no value. A policy that names it is in error: an ALLOW grants nothing and a DENY denies.
 * Policies tell what was left out from `activity.given`, the names of the parameters that the request itself gives.
 * SECURITY: no number, flag, word or id stands for "left out". A zero would get past `expiration_seconds > 86400`, and a key that
 * never expires is what leaving the lifetime out means.
 */

const PATH = 'activity.params';

/** A parameter as policies name it, and the kinds of activity that have it. */
export interface PolicyParameter {
  readonly name: string;
  readonly type: ViewType;
  readonly doc: string;
  readonly kinds: readonly string[];
}

/** An activity type that policies judge, by the words that a condition can compare. */
export interface JudgedActivity {
  readonly type: string;
  readonly kind: string;
  readonly resource: string;
  readonly action: string;
}

/** Everything that the contract tells the policy language. */
export interface PolicyView {
  readonly parameters: readonly PolicyParameter[];
  /** The words of parameters that hold one of a closed set, by path; under `activity.given` the names of all parameters. */
  readonly vocabularies: Readonly<Record<string, readonly string[]>>;
  /** Names of parameters that are secret wherever they occur. */
  readonly secretParameters: ReadonlySet<string>;
  readonly activities: readonly JudgedActivity[];
}

/** Kinds by type. There are some hundred types; a bound, because a caller may have read any text as one. */
const kinds = new Map<string, string>();
const MAX_KINDS = 1_000;

/** Kinds that some clients write in another way. SECURITY: D1000: a rule that names the kind is for both. */
const otherSpellings: ReadonlyMap<string, string> = new Map([['ETH_UNDELEGATE7702', 'ETH_UNDELEGATE_7702']]);

/** The type without its prefix and version: `SIGN_TRANSACTION` for both versions of it. */
export function activityKind(type: string): string {
  const known = kinds.get(type);
  if (known !== undefined) return known;
  const written = type.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, '');
  const kind = otherSpellings.get(written) ?? written;
  if (kinds.size < MAX_KINDS) kinds.set(type, kind);
  return kind;
}

/** Whether policies judge an activity. They judge neither votes nor what only the root quorum may do. */
export function judgedByPolicies({ rootQuorumOnly, subject }: ActivityDefinition): boolean {
  return !rootQuorumOnly && subject !== 'consensus';
}

const fieldsOf = new WeakMap<ActivityDefinition, ReadonlyMap<string, ViewField>>();

/** The parameters of one activity as policies see them, by their names there. Derived once for each activity. */
export function policyFields(definition: ActivityDefinition): ReadonlyMap<string, ViewField> {
  const known = fieldsOf.get(definition);
  if (known !== undefined) return known;
  const fields = new Map(deriveFields(definition.input, PATH).map((field) => [field.name, field]));
  fieldsOf.set(definition, fields);
  return fields;
}

/** The parameters of one request, by their names on the wire. */
export interface RequestParameters {
  /** As they were sent, in their current form. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** What the executor made of them. Absent before it has planned the activity. */
  readonly understood?: (() => Readonly<Record<string, unknown>>) | undefined;
}

/**
 * Reads single parameters of one request, as a policy asks for them. Undefined for a parameter that the activity does not have, and
 * for one without a value.
 * SECURITY: where only the executor can tell (`resolved`), what was sent does not count: a key answers to several names, and a session
 * profile changes a lifetime.
 */
export function parameterReader(
  definition: ActivityDefinition,
  { sent, understood }: RequestParameters,
  spelling: Spelling,
): (name: string) => ViewValue | undefined {
  let made: Readonly<Record<string, unknown>> | undefined;
  return (name) => {
    const field = policyFields(definition).get(name);
    if (field === undefined) return undefined;
    made ??= understood?.() ?? {};
    const { wire, resolved } = field;
    return readField(field, resolved !== undefined || wire in made ? made[wire] : sent[wire], spelling);
  };
}

/** The names of the parameters that a request gives, secrets included: the name of a secret tells nothing of it. */
export function givenParameters(definition: ActivityDefinition, params: Readonly<Record<string, unknown>>): readonly string[] {
  const given = membersOf(definition.input).filter(([wire]) => params[wire] !== undefined && params[wire] !== null);
  return [...new Set(given.map(([wire]) => snakeCase(wire)))];
}

let made: PolicyView | undefined;

/** Everything that the contract tells the policy language. Made once. */
export function policyView(): PolicyView {
  made ??= makeView();
  return made;
}

function makeView(): PolicyView {
  const all = Object.values<ActivityDefinition>(activities);
  const joined = new Map<string, { type: ViewType; doc: string; kinds: string[] }>();
  for (const definition of all) {
    for (const { name, type, doc } of policyFields(definition).values()) {
      const known = joined.get(name);
      joined.set(name, {
        type: known === undefined ? type : joinTypes(known.type, type, `${PATH}.${name}`),
        doc: known?.doc || doc,
        kinds: [...(known?.kinds ?? []), activityKind(definition.type)],
      });
    }
  }
  const words = new Map<string, readonly string[]>();
  const parameters = [...joined]
    .map(([name, { type, doc, kinds }]) => ({ name, type: takeWords(type, words), doc, kinds }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const secrets = all.flatMap(secretNames).filter((name) => !joined.has(name));
  return {
    parameters,
    vocabularies: { ...Object.fromEntries(words), 'activity.given': [...new Set([...joined.keys(), ...secrets])].sort() },
    secretParameters: new Set(secrets),
    activities: all
      .filter(judgedByPolicies)
      .flatMap(({ versions, policy }) => versions.map(({ type }) => ({ type, kind: activityKind(type), ...policy }))),
  };
}

/** The names of an activity's parameters that policies do not see. */
export function secretNames({ input }: ActivityDefinition): readonly string[] {
  return membersOf(input).flatMap(([wire, schema]) => (unwrap(schema).secret ? [snakeCase(wire)] : []));
}
