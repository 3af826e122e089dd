import type { ContactShape, PolicyShape } from '@countersign/contract';
import { organizationOf, recordOf, WORST_CASE_STEPS, worstCaseInSteps, worstCaseWords } from '@countersign/judgement';
import { type NamedTag, resolveTags, StepBudget } from '@countersign/policy';
import type { Draft } from '../draft.ts';

/** What the console knows of the organization of a draft. */
export interface Around {
  /** The policy that the draft replaces. */
  readonly policyId: string | undefined;
  readonly policies: readonly PolicyShape[];
  readonly contacts: readonly Pick<ContactShape, 'contactId' | 'label' | 'address' | 'contactTags'>[];
  readonly tags: readonly NamedTag[];
}

const DRAFT = 'draft';
/** Milliseconds of work between two pauses. */
const SLICE_MS = 8;

/**
 * What a draft allows at worst, as a sentence. Never resolves after an abort. The budget is that of the service.
 * Limits and contract interfaces are not known here: a policy that names a limit is not tried.
 */
export async function findWorstCase(
  { effect, condition, consensus }: Pick<Draft, 'effect' | 'condition' | 'consensus'>,
  around: Around,
  signal: AbortSignal,
): Promise<string> {
  const idsIn = (text: string) => resolveTags(text, around.tags).text || undefined;
  const records = new Map(
    around.policies
      // SECURITY: an item of a list without its long texts would be another policy: an empty condition applies to everything.
      .filter(({ policyId, shortened }) => policyId !== around.policyId && shortened === undefined)
      .map(({ policyId, ...policy }) => [policyId, recordOf({ ...policy, id: policyId })]),
  );
  records.set(DRAFT, recordOf({ id: DRAFT, effect, condition: idsIn(condition), consensus: idsIn(consensus) }));
  const dates = { createdAtMs: 0, updatedAtMs: 0 };
  const empty = organizationOf(records);
  const contact = new Map(around.contacts.map(({ contactId, ...each }) => [contactId, { ...each, notes: '', ...dates }]));
  const organization = { ...empty, records: { ...empty.records, contact } };
  const search = { nowMs: Date.now(), budget: new StepBudget(WORST_CASE_STEPS) };
  const steps = worstCaseInSteps(organization, DRAFT, search);
  for (let endsAt = performance.now() + SLICE_MS; ; ) {
    const { done, value } = steps.next();
    if (done) return worstCaseWords(value, (id) => around.tags.find((tag) => tag.id === id)?.name);
    if (performance.now() < endsAt) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return new Promise(() => {});
    endsAt = performance.now() + SLICE_MS;
  }
}
