import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading, PageHead, Section } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { words } from '../../words/index.ts';
import { Backtest } from './backtest.tsx';
import type { Draft } from './draft.ts';
import { Examples } from './examples.tsx';
import { PolicyForm } from './form.tsx';
import { withTagIds } from './tag-ids.ts';
import { useNamedTags } from './tags.ts';

const ExpressionEditor = lazy(async () => {
  await import('./editor/no-jit.ts');
  return import('./editor/expression-editor.tsx');
});

const WorstCase = lazy(async () => {
  await import('./editor/no-jit.ts');
  return import('./editor/worst-case.tsx');
});

const texts = words.policies;

/** Page to view, edit or create a policy. */
export function PolicyPage() {
  const { policyId = 'new' } = useParams({ strict: false });
  return (
    <>
      <Link to="/policies" className="mb-3 inline-flex items-center gap-1 text-quiet hover:text-ink">
        <Icon name="back" size={18} className="rtl:rotate-180" />
        {texts.title}
      </Link>
      {policyId === 'new' ? <Editor key="new" /> : <Existing key={policyId} policyId={policyId} />}
    </>
  );
}

function Existing({ policyId }: { policyId: string }) {
  const query = useServiceQuery('getPolicy', { policyId });
  return (
    <QueryView query={query}>
      {({ policy: { policyName, effect, condition, consensus, notes } }) => (
        <Editor policyId={policyId} initial={{ policyName, effect, condition, consensus, notes }} />
      )}
    </QueryView>
  );
}

/** The parameters that create a policy. */
function parametersOf({ policyName, effect, condition, consensus, notes }: Draft) {
  return { policyName, effect, notes, ...(condition !== '' && { condition }), ...(consensus !== '' && { consensus }) };
}

/** The parameters that update a policy. */
function updateOf(policyId: string, { policyName, effect, condition, consensus, notes }: Draft) {
  return {
    policyId,
    policyName,
    policyEffect: effect,
    policyCondition: condition || 'true',
    policyConsensus: consensus || 'true',
    policyNotes: notes,
  };
}

/** Creates, updates and deletes a policy, then shows the list. A deletion can be undone. */
function usePolicyChanges(initial: Draft) {
  const navigate = useNavigate();
  const toList = () => void navigate({ to: '/policies' });
  const create = useSubmit('createPolicy', { done: texts.editor.saved, onSent: toList });
  const update = useSubmit('updatePolicy', { done: texts.editor.saved, onSent: toList });
  const restore = useSubmit('createPolicy', { done: words.common.undone });
  const remove = useSubmit('deletePolicy', {
    done: texts.editor.removed,
    onSent: toList,
    undo: () => restore.mutate(parametersOf(initial)),
  });
  return { create, update, remove };
}

const blank: Draft = { policyName: '', effect: 'EFFECT_ALLOW', condition: '', consensus: '', notes: '' };

function Editor({ policyId, initial = blank }: { policyId?: string; initial?: Draft }) {
  const [draft, setDraft] = useState(initial);
  const [mode, setMode] = useState(policyId === undefined ? 'form' : 'text');
  const [isRemoving, setRemoving] = useState(false);
  const [problems, setProblems] = useState<Readonly<Record<string, number>>>({});
  const { create, update, remove } = usePolicyChanges(initial);
  const tags = useNamedTags();
  const set = (change: Partial<Draft>) => setDraft((old) => ({ ...old, ...change }));
  const errors = fieldErrors(create.error ?? update.error);
  const count = Object.values(problems).reduce((sum, each) => sum + each, 0);
  const save = async () => {
    const resolved = await withTagIds(draft, tags);
    if (policyId === undefined) create.mutate(parametersOf(resolved));
    else update.mutate(updateOf(policyId, resolved));
  };
  const report = (field: string) => (found: number) =>
    setProblems((all) => (all[field] === found ? all : { ...all, [field]: found }));
  return (
    <>
      <PageHead title={policyId === undefined ? texts.editor.newTitle : initial.policyName}>
        {policyId !== undefined && (
          <Button look="dangerPlain" onClick={() => setRemoving(true)}>
            {texts.editor.remove}
          </Button>
        )}
      </PageHead>
      <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_20rem] xl:items-start">
        <form
          className="grid grid-cols-[minmax(0,1fr)] gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <div className="grid gap-4 sm:grid-cols-[1fr_10rem]">
            <TextField
              label={texts.editor.name}
              value={draft.policyName}
              onChange={(policyName) => set({ policyName })}
              error={errors.policyName}
            />
            <SelectField
              label={texts.editor.effect}
              value={draft.effect}
              onChange={(effect) => set({ effect: effect as Draft['effect'] })}
              options={Object.entries(texts.effects).map(([value, label]) => ({ value, label }))}
            />
          </div>
          <Tabs
            label={texts.title}
            value={mode}
            onChange={setMode}
            tabs={Object.entries(texts.editor.modes).map(([value, label]) => ({ value, label }))}
          />
          {mode === 'form' && <PolicyForm onChange={set} />}
          <Expressions draft={draft} tags={tags} errors={errors} onChange={set} onProblems={report} />
          <TextArea label={texts.editor.notes} optional rows={2} value={draft.notes} onChange={(notes) => set({ notes })} />
          <div className="flex flex-wrap items-center gap-3">
            <Button
              type="submit"
              look="solid"
              icon="passkey"
              large
              busy={create.isPending || update.isPending}
              disabled={draft.policyName.trim() === '' || count > 0}
            >
              {texts.editor.save}
            </Button>
            <span className={count === 0 ? 'text-good' : 'text-bad'}>
              {count === 0 ? texts.editor.fine : texts.editor.problems(count)}
            </span>
          </div>
        </form>
        <aside className="grid gap-6">
          <Section title={texts.worstCase.title} lead={texts.worstCase.lead}>
            <Suspense fallback={<Loading />}>
              <WorstCase draft={draft} policyId={policyId} tags={tags} disabled={count > 0} />
            </Suspense>
          </Section>
          <Section title={texts.backtest.title} lead={texts.backtest.lead}>
            <Backtest draft={draft} tags={tags} policyId={policyId} disabled={count > 0 || draft.policyName.trim() === ''} />
          </Section>
          {policyId === undefined && (
            <Examples
              use={(example) => {
                set(example);
                setMode('text');
              }}
            />
          )}
        </aside>
      </div>
      {isRemoving && policyId !== undefined && (
        <Confirm
          title={texts.editor.removeTitle}
          text={texts.editor.removeText}
          action={texts.editor.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ policyId })}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

interface ExpressionsProps {
  readonly draft: Draft;
  readonly tags: ReturnType<typeof useNamedTags>;
  readonly errors: ReturnType<typeof fieldErrors>;
  onChange(change: Partial<Draft>): void;
  onProblems(field: string): (found: number) => void;
}

function Expressions({ draft, tags, errors, onChange, onProblems }: ExpressionsProps) {
  return (
    <Suspense fallback={<Loading />}>
      <ExpressionEditor
        field="condition"
        effect={draft.effect}
        tags={tags}
        label={texts.editor.condition}
        hint={texts.editor.conditionHint}
        value={draft.condition}
        onChange={(condition) => onChange({ condition })}
        onProblems={onProblems('condition')}
        error={errors.condition ?? errors.policyCondition}
      />
      <ExpressionEditor
        field="consensus"
        effect={draft.effect}
        tags={tags}
        label={texts.editor.consensus}
        hint={texts.editor.consensusHint}
        value={draft.consensus}
        onChange={(consensus) => onChange({ consensus })}
        onProblems={onProblems('consensus')}
        error={errors.consensus ?? errors.policyConsensus}
      />
    </Suspense>
  );
}
