import { memoizeByRef } from '@countersign/collections';
import { type ActivityInput, ServiceError } from '@countersign/contract';
import {
  hashSwitchOf,
  POLICY_LANGUAGE,
  type PolicyContent,
  type PolicyUpdate,
  peopleOf,
  policyContent,
  policyOptions,
  policyOptionsOf,
  policySetOf,
  toPolicySource,
  updatedContent,
} from '@countersign/judgement';
import { type CompiledPolicy, checkPolicy, lintInSteps, renderDiagnostic, selectorsToPolicy } from '@countersign/policy';
import { createSlices, inSlices } from '../admission/index.ts';
import type { Limits } from '../config/limits.ts';
import { invalidField, limitExceeded, nameTaken } from '../wire/refuse.ts';
import { requireTagIds } from './policy-tags.ts';
import type { PolicyRecord } from './records.ts';
import { policiesByName } from './snapshot/indexes.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

export type { PolicyContent } from '@countersign/judgement';

/** Reads a policy to create. `field` is the path of the policy in the parameters, including the dot, or empty. */
export function readPolicy(organization: Snapshot, params: ActivityInput<'createPolicy'>, field: string): PolicyContent {
  const { policyName, effect, notes = '', selectors } = params;
  const expressions = selectors === undefined ? params : fromSelectors(selectors, field);
  const content = policyContent({ ...expressions, policyName, effect, notes, language: POLICY_LANGUAGE });
  requireValid(organization, content, field, { condition: 'condition', consensus: 'consensus', time: 'time' });
  requireTagIds(organization, { [`${field}condition`]: content.condition, [`${field}consensus`]: content.consensus });
  return content;
}

/** The stored policy with an update applied. Its expressions are not checked yet. */
export function updatedPolicy(before: PolicyRecord, params: PolicyUpdate): PolicyContent {
  // SECURITY: an absent expression and an empty one mean the same, so an empty one must not remove anything.
  if (params.policyConsensus === '' && before.consensus !== undefined)
    throw invalidField('policyConsensus', 'is empty: an update cannot remove a consensus. Create another policy instead');
  if (params.policyCondition === '' && before.condition !== undefined)
    throw invalidField('policyCondition', 'is empty: an update cannot remove a condition. Create another policy instead');
  return updatedContent(before, params);
}

/** Throws if an expression does not parse or type-check. Each violation shows the diagnostic below its source text. */
export function requireValid(
  organization: Snapshot,
  content: PolicyContent,
  field: string,
  names: Readonly<Record<'condition' | 'consensus' | 'time', string>>,
): void {
  const contacts = function* () {
    for (const { address } of organization.records.contact.values()) yield address;
  };
  const diagnostics = checkPolicy(content, { ...policyOptionsOf(organization), contacts });
  const [first] = diagnostics;
  if (first === undefined) return;
  const violations = diagnostics.map((diagnostic) => ({
    field: `${field}${names[diagnostic.field]}`,
    description: renderDiagnostic(content[diagnostic.field] ?? '', diagnostic),
  }));
  throw new ServiceError(
    'POLICY_INVALID',
    `invalid policy ${first.field}: ${first.message}${first.help === undefined ? '' : ` (${first.help})`}`,
    { violations },
  );
}

export function requireFreeName(organization: Snapshot, policyName: string, field: string, exceptId?: string): void {
  for (const id of policiesByName(organization.policies).get(policyName)?.keys() ?? [])
    if (id !== exceptId) throw nameTaken('policy', field);
}

/** Maximum number of policies to compare with a new one. If there are more, only related policies are compared. */
const MAX_COMPARED = 200;

/** Longer policies are not checked for probable mistakes: that takes longer than compiling them. */
const MAX_LINTED_STEPS = 1_000;
/** The most steps of all policies that are compared. */
const MAX_COMPARED_STEPS = 20_000;

/**
 * Warnings about these policies in combination with the existing ones.
 * SECURITY: D353: in slices, and bounded in the number and length of the compared policies.
 */
export async function policyWarnings(
  organization: Snapshot,
  changed: ReadonlyMap<string, PolicyContent>,
  nowMs: number,
): Promise<string[]> {
  const endSlice = createSlices(organization.id);
  const sources = [...changed].map(([id, content]) => toPolicySource(id, content));
  const before = policySetOf(organization);
  let after = before;
  for (const source of sources) {
    await endSlice();
    after = after.with(source.id, source);
  }
  const some = () => sources.flatMap((source) => after.near(source, Math.ceil(MAX_COMPARED / sources.length)));
  const others = before.size <= MAX_COMPARED ? after.policies : some();
  const added = sources.map(({ id }) => after.get(id)).filter((policy) => policy !== undefined);
  const compared = withinSteps([...new Set([...added, ...others])]);
  const { rootQuorum } = organization.profile;
  const steps = lintInSteps(compared, {
    ...policyOptionsOf(organization),
    focus: [...changed.keys()],
    organization: { users: peopleOf(organization).users, rootQuorum },
    hashes: hashSwitchOf(organization).keys,
    now: nowMs,
  });
  const warnings = (await inSlices(steps, endSlice)).map(({ code, policyId, message, help }) => {
    const name = policyId === undefined ? '' : `policy "${changed.get(policyId)?.policyName}": `;
    return `${code}: ${name}${message}${help === undefined ? '' : ` (${help})`}`;
  });
  const isChecked = new Set(compared);
  const unchecked = added.filter((policy) => !isChecked.has(policy)).length;
  const left = warnings.length - MAX_WARNINGS;
  return [
    ...warnings.slice(0, MAX_WARNINGS),
    ...(left > 0 ? [`NOT_SHOWN: ${left} further warnings (\`countersign policy check\` shows all)`] : []),
    ...(unchecked > 0
      ? [
          `NOT_CHECKED: policies that are too long to check for probable mistakes: ${unchecked} (use \`countersign policy check\`)`,
        ]
      : []),
  ];
}

/** The activity stores the warnings. */
const MAX_WARNINGS = 100;

/** The policies that are compared, the first ones first. Of two equivalent policies, the later one is redundant, so they are sorted by id. */
function withinSteps(policies: readonly CompiledPolicy[]): readonly CompiledPolicy[] {
  let left = MAX_COMPARED_STEPS;
  const compared = policies.filter((policy) => {
    const { condition, consensus, time } = policy;
    const steps = 1 + (condition?.cost ?? 0) + (consensus?.cost ?? 0) + (time?.cost ?? 0);
    if (steps > MAX_LINTED_STEPS || steps > left) return false;
    left -= steps;
    return true;
  });
  return compared.sort((a, b) => (a.id < b.id ? -1 : 1));
}

type PolicyText = { readonly [K in 'condition' | 'consensus' | 'time']?: string | undefined };

/** Characters of the expressions that one request may contain. They are compiled while other requests of the organization wait. */
const MAX_REQUEST_CHARACTERS = 262_144;

/**
 * Throws if a change of policies is too long, or makes all policies of the organization too long together. An organization that is above
 * the limit can still shorten and remove policies.
 */
export function requireRoom(
  organization: Snapshot,
  { maxPolicyKilobytes }: Pick<Limits, 'maxPolicyKilobytes'>,
  contents: readonly PolicyText[],
  replaced?: PolicyText,
): void {
  const added = contents.reduce((sum, content) => sum + charactersOf(content), 0);
  if (added > MAX_REQUEST_CHARACTERS)
    throw new ServiceError(
      'LIMIT_EXCEEDED',
      `The expressions of one request may have at most ${MAX_REQUEST_CHARACTERS} characters together. Create the policies in several requests.`,
    );
  const removed = replaced === undefined ? 0 : charactersOf(replaced);
  const total = charactersOfAll(organization.policies).sum + added - removed;
  if (added > removed && total > maxPolicyKilobytes * 1024)
    throw limitExceeded('kilobytes of policies', maxPolicyKilobytes, 'maxPolicyKilobytes');
}

const charactersOfAll = memoizeByRef((policies: Snapshot['policies']) => {
  let sum = 0;
  for (const policy of policies.values()) sum += charactersOf(policy);
  return { sum };
});

function charactersOf({ condition = '', consensus = '', time = '' }: PolicyText): number {
  return condition.length + consensus.length + time.length;
}

function fromSelectors(selectors: NonNullable<ActivityInput<'createPolicy'>['selectors']>, field: string) {
  const { policy, problems } = selectorsToPolicy(selectors, policyOptions);
  const [first] = problems;
  if (first !== undefined) throw invalidField(`${field}selectors.${first.index}`, first.message);
  return policy;
}
