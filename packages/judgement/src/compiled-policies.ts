import { finished, MappedView, memoizeByRef, PersistentMap, type Steps } from '@countersign/collections';
import { type CheckOptions, compileInSteps, type GrowingPolicySet } from '@countersign/policy';
import { controlByIdentifier, controlNames } from './controls/control-identifiers.ts';
import type { JudgedOrganization } from './organization.ts';
import { toPolicySource } from './policy-language-1.ts';
import { policyOptions, policyOptionsOf } from './policy-options.ts';

type Policies = JudgedOrganization['policies'];
type Controls = JudgedOrganization['records']['velocityControl'];

/** The compiled policies of an organization under its controls. */
interface Compiled {
  readonly policies: Policies;
  readonly controls: Controls;
  readonly set: GrowingPolicySet;
}

const noControls: Controls = new Map();
const optionsWith = memoizeByRef((velocityControl: Controls) => policyOptionsOf({ records: { velocityControl } }));
const setsOf = memoizeByRef((_: Policies) => new WeakMap<Controls, GrowingPolicySet>());
/** The last compiled set of each map of policies, by the lineage that all versions of the map share. */
const latest = new WeakMap<object, Compiled>();

/** The compiled policies of an organization. A change recompiles only the changed policy, or the policies that name a changed control. */
export function policySetOf(organization: JudgedOrganization): GrowingPolicySet {
  return knownSet(organization) ?? finished(setInSteps(organization));
}

/** The ids of the controls that policies of an organization name. */
export function controlsInPolicies(organization: JudgedOrganization): readonly string[] {
  const { velocityControl } = organization.records;
  return policySetOf(organization)
    .namedControls()
    .flatMap((name) => controlByIdentifier(velocityControl, name) ?? []);
}

/** Compiles the policies of an organization in steps, so that the first decision does not compile all of them in one go. */
export function* preparePolicies(organization: JudgedOrganization): Steps<undefined> {
  const set = knownSet(organization) ?? (yield* setInSteps(organization));
  yield* set.prepareIndexes();
  return undefined;
}

const controlsOf = ({ records: { velocityControl } }: JudgedOrganization) =>
  velocityControl.size === 0 ? noControls : velocityControl;

function knownSet(organization: JudgedOrganization): GrowingPolicySet | undefined {
  return setsOf(organization.policies).get(controlsOf(organization));
}

function* setInSteps(organization: JudgedOrganization): Steps<GrowingPolicySet> {
  const { policies } = organization;
  const controls = controlsOf(organization);
  const near = policies instanceof PersistentMap ? latest.get(policies.lineage) : undefined;
  const set =
    near === undefined ? yield* compileInSteps(sourcesOf(policies), optionsOf(controls)) : changed(near, policies, controls);
  setsOf(policies).set(controls, set);
  if (policies instanceof PersistentMap) latest.set(policies.lineage, { policies, controls, set });
  return set;
}

/** The policies as sources, each created when it is compiled. */
const sourcesOf = (policies: Policies) => new MappedView(policies, (record, id) => toPolicySource(id, record));

function optionsOf(controls: Controls): CheckOptions {
  return controls.size === 0 ? policyOptions : optionsWith(controls);
}

function changed(near: Compiled, policies: Policies, controls: Controls): GrowingPolicySet {
  const sameControls = near.controls === controls;
  let set = sameControls ? near.set : near.set.withControls(optionsOf(controls), changedNames(near.controls, controls));
  for (const { key, after } of (policies as PersistentMap<never>).differencesFrom(near.policies as PersistentMap<never>))
    set = after === undefined ? set.without(key) : set.with(key, toPolicySource(key, after));
  return set;
}

/** The names of controls that exist on one side only, or whose activity kinds differ. */
function changedNames(before: Controls, after: Controls): ReadonlySet<string> {
  const texts = (controls: Controls) =>
    new Map(controlNames(controls).map(({ name, kinds }) => [name, [...kinds].sort().join(' ')]));
  const [was, is] = [texts(before), texts(after)];
  return new Set([...was.keys(), ...is.keys()].filter((name) => was.get(name) !== is.get(name)));
}
