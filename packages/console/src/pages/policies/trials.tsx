import { lazy, Suspense } from 'react';
import { Loading, Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import { Backtest } from './backtest.tsx';
import { Difference } from './difference.tsx';
import type { Draft } from './draft.ts';
import { Examples } from './examples.tsx';
import type { useNamedTags } from './tags.ts';

const Prover = lazy(async () => {
  await import('./editor/no-jit.ts');
  return import('./prover/prover.tsx');
});

const WorstCase = lazy(async () => {
  await import('./editor/no-jit.ts');
  return import('./editor/worst-case.tsx');
});

const texts = words.policies;

interface TrialsProps {
  /** The draft as it would be saved. */
  readonly draft: Draft;
  readonly stored: Draft;
  readonly policyId: string | undefined;
  readonly tags: ReturnType<typeof useNamedTags>;
  readonly hasProblems: boolean;
  /** Takes an example as the draft. */
  use(example: Partial<Draft>): void;
}

/** What the draft changes, what it would allow, and what it would have decided. A new policy has templates too. */
export function Trials({ draft, stored, policyId, tags, hasProblems, use }: TrialsProps) {
  return (
    <aside className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {policyId !== undefined && <Difference saved={stored} draft={draft} />}
      <Section title={texts.worstCase.title} lead={texts.worstCase.lead}>
        <Suspense fallback={<Loading />}>
          <WorstCase draft={draft} policyId={policyId} tags={tags} disabled={hasProblems} />
        </Suspense>
      </Section>
      <Section title={texts.prover.title} lead={texts.prover.lead}>
        <Suspense fallback={<Loading />}>
          <Prover draft={draft} policyId={policyId} tags={tags} disabled={hasProblems} />
        </Suspense>
      </Section>
      <Section title={texts.backtest.title} lead={texts.backtest.lead}>
        <Backtest draft={draft} tags={tags} policyId={policyId} disabled={hasProblems || draft.policyName.trim() === ''} />
      </Section>
      {policyId === undefined && <Examples use={use} />}
    </aside>
  );
}
