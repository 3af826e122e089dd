import { policyAddress } from '@countersign/chains';
import type { ContactShape, PolicyShape } from '@countersign/contract';
import {
  type JudgedOrganization,
  organizationOf,
  preparePolicies,
  recordOf,
  releasedInSteps,
  releasedWords,
  WORST_CASE_STEPS,
  worstCaseInSteps,
  worstCaseWords,
} from '@countersign/judgement';
import { type NamedTag, resolveTags, StepBudget } from '@countersign/policy';
import { words } from '../../../words/index.ts';
import type { Draft } from '../draft.ts';

const texts = words.policies.worstCase;

/** What the console knows of the organization of a draft. */
export interface Around {
  /** The policy that the draft replaces. */
  readonly policyId: string | undefined;
  readonly policies: readonly PolicyShape[];
  readonly contacts: readonly Pick<ContactShape, 'contactId' | 'label' | 'address' | 'contactTags'>[];
  readonly tags: readonly NamedTag[];
}

/** The parts of a draft that decide. */
type Tried = Pick<Draft, 'effect' | 'condition' | 'consensus' | 'time'>;
type Steps = Generator<undefined, string>;

/** The id of a draft of a new policy. */
const DRAFT = 'draft';
/** More policies take too long to compile in a browser. */
const MAX_POLICIES = 1_000;
/** Milliseconds of work between two pauses. */
const SLICE_MS = 8;

/**
 * What a draft allows at worst, as a sentence. Never resolves after an abort. The budget is that of the service.
 * Limits and contract interfaces are not known here: a policy that names a limit is not tried.
 */
export async function findWorstCase(draft: Tried, around: Around, signal: AbortSignal) {
  if (around.policies.length > MAX_POLICIES) return texts.tooMany;
  const steps = search(draft, around);
  for (let endsAt = performance.now() + SLICE_MS; ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < endsAt) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return new Promise<never>(() => {});
    endsAt = performance.now() + SLICE_MS;
  }
}

function* search({ effect, condition, consensus, time }: Tried, around: Around): Steps {
  const { policyId = DRAFT, tags } = around;
  const idsIn = (text: string) => resolveTags(text, tags).text || undefined;
  const stored = around.policies
    // SECURITY: an item of a list without its long texts would be another policy: an empty condition applies to everything.
    .filter(({ shortened }) => shortened === undefined)
    .map((policy) => [policy.policyId, recordOf({ ...policy, id: policy.policyId })] as const);
  const before = organizationWith(new Map(stored), around);
  const changed = recordOf({ id: policyId, effect, condition: idsIn(condition), consensus: idsIn(consensus), time });
  const after = { ...before, policies: new Map([...stored, [policyId, changed]]) };
  yield* preparePolicies(after);
  const how = { nowMs: Date.now(), budget: new StepBudget(WORST_CASE_STEPS) };
  const tagName = (id: string) => tags.find((tag) => tag.id === id)?.name;
  const denied = before.policies.get(policyId)?.effect === 'EFFECT_DENY';
  const sentences: string[] = [];
  if (denied) {
    yield* preparePolicies(before);
    sentences.push(releasedWords(yield* releasedInSteps(before, after, policyId, how), tagName));
  }
  if (effect === 'EFFECT_ALLOW') sentences.push(worstCaseWords(yield* worstCaseInSteps(after, policyId, how), tagName));
  return sentences.length === 0 ? texts.denyNothing : sentences.join('. ');
}

function organizationWith(policies: JudgedOrganization['policies'], { contacts }: Around): JudgedOrganization {
  const empty = organizationOf(policies);
  const dates = { createdAtMs: 0, updatedAtMs: 0 };
  const contact = new Map(
    contacts.map(({ contactId, address, ...each }) => [
      contactId,
      { ...each, address: policyAddress(address), notes: '', ...dates },
    ]),
  );
  return { ...empty, records: { ...empty.records, contact } };
}
