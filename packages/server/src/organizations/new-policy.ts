import { type ActivityInput, ServiceError } from '@countersign/contract';
import { POLICY_LANGUAGE, peopleOf, policyOptions, policyOptionsOf, policySetOf, toPolicySource } from '@countersign/judgement';
import { checkPolicy, lintCompiled, renderDiagnostic, selectorsToPolicy } from '@countersign/policy';
import { invalidField, nameTaken } from '../wire/refuse.ts';
import type { PolicyRecord } from './records.ts';
import { policiesByName } from './snapshot/indexes.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** The content of a policy, without its dates. */
export type PolicyContent = Omit<PolicyRecord, 'createdAtMs' | 'updatedAtMs'>;

/** Reads a policy to create. `field` is the path of the policy in the parameters, including the dot, or empty. */
export function readPolicy(organization: Snapshot, params: ActivityInput<'createPolicy'>, field: string): PolicyContent {
  const { policyName, effect, notes = '', selectors } = params;
  const expressions = selectors === undefined ? params : fromSelectors(selectors, field);
  const content = policyContent({ ...expressions, policyName, effect, notes, language: POLICY_LANGUAGE });
  requireValid(organization, content, field, { condition: 'condition', consensus: 'consensus', time: 'time' });
  return content;
}

/** The fields of a policy update. */
export type PolicyUpdate = Omit<ActivityInput<'updatePolicy'>, 'policyId'>;

/** The stored policy with an update applied. Its expressions are not checked yet. */
export function updatedPolicy({ createdAtMs: _, updatedAtMs: __, ...before }: PolicyRecord, params: PolicyUpdate): PolicyContent {
  // SECURITY: an absent expression and an empty one mean the same, so an empty one must not remove anything.
  if (params.policyConsensus === '' && before.consensus !== undefined)
    throw invalidField('policyConsensus', 'is empty: an update cannot remove a consensus. Create another policy instead');
  if (params.policyCondition === '' && before.condition !== undefined)
    throw invalidField('policyCondition', 'is empty: an update cannot remove a condition. Create another policy instead');
  return policyContent({
    policyName: params.policyName ?? before.policyName,
    effect: params.policyEffect ?? before.effect,
    condition: params.policyCondition || before.condition,
    consensus: params.policyConsensus || before.consensus,
    time: params.time ?? before.time,
    notes: params.policyNotes ?? before.notes,
    // An unchanged condition keeps its language version; a new one uses the current version.
    language: params.policyCondition ? POLICY_LANGUAGE : before.language,
  });
}

/** The optional expressions of a policy. */
type Expressions = { readonly [K in 'condition' | 'consensus' | 'time' | 'language']?: PolicyContent[K] | undefined };

/** The content of a policy without absent expressions. An empty one counts as absent, which matches how queries show them. */
function policyContent(given: Omit<PolicyContent, keyof Expressions> & Expressions): PolicyContent {
  const { policyName, effect, notes, condition = '', consensus = '', time = '', language } = given;
  return {
    policyName,
    effect,
    notes,
    ...(condition !== '' && { condition }),
    ...(consensus !== '' && { consensus }),
    ...(time !== '' && { time }),
    ...(language !== undefined && { language }),
  };
}

/** Throws if an expression does not parse or type-check. Each violation shows the diagnostic below its source text. */
export function requireValid(
  organization: Snapshot,
  content: PolicyContent,
  field: string,
  names: Readonly<Record<'condition' | 'consensus' | 'time', string>>,
): void {
  const diagnostics = checkPolicy(content, policyOptionsOf(organization));
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

/** Warnings about these policies in combination with the existing ones. */
export function policyWarnings(organization: Snapshot, changed: ReadonlyMap<string, PolicyContent>, nowMs: number): string[] {
  const sources = [...changed].map(([id, content]) => toPolicySource(id, content));
  const before = policySetOf(organization);
  const after = sources.reduce((set, source) => set.with(source.id, source), before);
  const some = () => sources.flatMap((source) => after.near(source, Math.ceil(MAX_COMPARED / sources.length)));
  const others = before.size <= MAX_COMPARED ? after.policies : some();
  const added = sources.map(({ id }) => after.get(id)).filter((policy) => policy !== undefined);
  // Of two equivalent policies, the later one is redundant, so sort by id.
  const compared = [...new Set([...others, ...added])].sort((a, b) => (a.id < b.id ? -1 : 1));
  const { rootQuorum } = organization.profile;
  const warnings = lintCompiled(compared, {
    ...policyOptionsOf(organization),
    focus: [...changed.keys()],
    organization: { users: peopleOf(organization).users, rootQuorum },
    now: nowMs,
  });
  return warnings.map(({ code, policyId, message, help }) => {
    const name = policyId === undefined ? '' : `policy "${changed.get(policyId)?.policyName}": `;
    return `${code}: ${name}${message}${help === undefined ? '' : ` (${help})`}`;
  });
}

function fromSelectors(selectors: NonNullable<ActivityInput<'createPolicy'>['selectors']>, field: string) {
  const { policy, problems } = selectorsToPolicy(selectors, policyOptions);
  const [first] = problems;
  if (first !== undefined) throw invalidField(`${field}selectors.${first.index}`, first.message);
  return policy;
}
