import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { words } from '../../words/index.ts';
import type { Draft } from './draft.ts';
import { placeholdersIn } from './placeholders.ts';
import { Places } from './places.tsx';
import { hasConsensus, isRestorable, parametersOf, savedDraft, updateOf } from './policy-parameters.ts';
import { withTagIds } from './tag-ids.ts';
import { useNamedTags } from './tags.ts';
import { Trials } from './trials.tsx';

const ExpressionEditor = lazy(async () => {
  await import('./editor/no-jit.ts');
  return import('./editor/expression-editor.tsx');
});

const PolicyForm = lazy(async () => {
  await import('./editor/no-jit.ts');
  return import('./form/policy-form.tsx');
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
  const query = useServiceQuery('getPolicy', { policyId }, { fresh: true });
  // SECURITY: D731: an editor that opens with an older text of the cache would undo a change of another person.
  if (!query.isFetchedAfterMount) return <Loading />;
  return (
    <QueryView query={query}>
      {({ policy: { policyName, effect, condition, consensus, notes, time, language } }) => (
        <Editor policyId={policyId} initial={{ policyName, effect, condition, consensus, notes, time, language }} />
      )}
    </QueryView>
  );
}

/** Creates, updates and deletes a policy, then shows the list. */
function usePolicyChanges(initial: Draft) {
  const navigate = useNavigate();
  const toList = () => void navigate({ to: '/policies' });
  const create = useSubmit('createPolicy', { done: texts.editor.saved, onSent: toList });
  const update = useSubmit('updatePolicy', { done: texts.editor.saved, onSent: toList });
  const restore = useSubmit('createPolicy', { done: words.common.undone });
  const remove = useSubmit('deletePolicy', {
    done: texts.editor.removed,
    onSent: toList,
    ...(isRestorable(initial) && { undo: () => restore.mutate(parametersOf(initial)) }),
  });
  return { create, update, remove };
}

const blank: Draft = { policyName: '', effect: 'EFFECT_ALLOW', condition: '', consensus: '', notes: '' };

function Editor({ policyId, initial = blank }: { policyId?: string; initial?: Draft }) {
  const { time } = initial;
  const [draft, setDraft] = useState(initial);
  const [mode, setMode] = useState(policyId === undefined ? 'form' : 'text');
  const [isRemoving, setRemoving] = useState(false);
  const [problems, setProblems] = useState<Readonly<Record<string, number>>>({});
  const { create, update, remove } = usePolicyChanges(initial);
  const tags = useNamedTags();
  const set = (change: Partial<Draft>) => setDraft((old) => ({ ...old, ...change }));
  // The form shows what the text means only until the text is edited.
  const setText = (change: Partial<Draft>) => {
    setMode('text');
    set(change);
  };
  const errors = fieldErrors(create.error ?? update.error);
  const withConsensus = hasConsensus(draft, initial);
  const places = placeholdersIn(draft.condition, withConsensus ? draft.consensus : '');
  const count = Object.entries(problems).reduce(
    (sum, [field, found]) => (field === 'consensus' && !withConsensus ? sum : sum + found),
    places.length,
  );
  const saves = savedDraft(draft, initial);
  const save = async () => {
    const resolved = await withTagIds(saves, tags);
    if (policyId === undefined) create.mutate(parametersOf(resolved));
    else update.mutate(updateOf(policyId, resolved));
  };
  const report = (field: string) => (found: number) =>
    setProblems((all) => (all[field] === found ? all : { ...all, [field]: found }));
  return (
    <>
      <PageHead title={policyId === undefined ? texts.editor.newTitle : initial.policyName}>
        {policyId !== undefined && (
          <ActionButton submits="deletePolicy" look="dangerPlain" onClick={() => setRemoving(true)}>
            {texts.editor.remove}
          </ActionButton>
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
              onChange={(effect) => set({ effect: effect as Draft['effect'], keepsConsensus: false })}
              options={Object.entries(texts.effects).map(([value, label]) => ({ value, label }))}
            />
          </div>
          <Tabs
            label={texts.title}
            value={mode}
            onChange={setMode}
            tabs={Object.entries(texts.editor.modes).map(([value, label]) => ({ value, label }))}
          />
          {mode === 'form' && (
            <Suspense fallback={<Loading />}>
              <PolicyForm draft={draft} isNew={policyId === undefined} onChange={set} onProblems={report('form')} />
            </Suspense>
          )}
          <Expressions
            draft={draft}
            hasConsensus={withConsensus}
            tags={tags}
            errors={errors}
            onChange={setText}
            onProblems={report}
          />
          {time !== undefined && time !== '' && (
            <p>
              {texts.editor.time}: <code className="font-mono text-sm break-words">{escapeInvisible(time)}</code>
            </p>
          )}
          <TextArea label={texts.editor.notes} optional rows={2} value={draft.notes} onChange={(notes) => set({ notes })} />
          <Places places={places} draft={draft} tags={tags} onChange={setText} />
          <Save
            isNew={policyId === undefined}
            isBusy={create.isPending || update.isPending}
            isNamed={draft.policyName.trim() !== ''}
            problems={count}
          />
        </form>
        <Trials draft={saves} stored={initial} policyId={policyId} tags={tags} hasProblems={count > 0} use={setText} />
      </div>
      {isRemoving && policyId !== undefined && (
        <Confirm
          title={texts.editor.removeTitle}
          text={isRestorable(initial) ? texts.editor.removeText : `${texts.editor.removeText} ${texts.editor.removeFinal}`}
          action={texts.editor.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ policyId })}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

interface SaveProps {
  readonly isNew: boolean;
  readonly isBusy: boolean;
  readonly isNamed: boolean;
  readonly problems: number;
}

function Save({ isNew, isBusy, isNamed, problems }: SaveProps) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <ActionButton
        submits={isNew ? 'createPolicy' : 'updatePolicy'}
        explained
        type="submit"
        look="solid"
        icon="passkey"
        large
        busy={isBusy}
        disabled={!isNamed || problems > 0}
      >
        {texts.editor.save}
      </ActionButton>
      <span className={problems === 0 ? 'text-good' : 'text-bad'}>
        {problems === 0 ? texts.editor.fine : texts.editor.problems(problems)}
      </span>
    </div>
  );
}

interface ExpressionsProps {
  readonly draft: Draft;
  readonly hasConsensus: boolean;
  readonly tags: ReturnType<typeof useNamedTags>;
  readonly errors: ReturnType<typeof fieldErrors>;
  onChange(change: Partial<Draft>): void;
  onProblems(field: string): (found: number) => void;
}

function Expressions({ draft, hasConsensus, tags, errors, onChange, onProblems }: ExpressionsProps) {
  return (
    <Suspense fallback={<Loading />}>
      <ExpressionEditor
        field="condition"
        effect={draft.effect}
        tags={tags}
        label={texts.editor.condition}
        hint={texts.editor.conditionHint}
        value={draft.condition}
        onChange={(condition) => condition !== draft.condition && onChange({ condition })}
        onProblems={onProblems('condition')}
        error={errors.condition ?? errors.policyCondition}
      />
      {hasConsensus && (
        <ExpressionEditor
          field="consensus"
          effect={draft.effect}
          tags={tags}
          label={texts.editor.consensus}
          hint={texts.editor.consensusHint}
          value={draft.consensus}
          onChange={(consensus) => consensus !== draft.consensus && onChange({ consensus })}
          onProblems={onProblems('consensus')}
          error={errors.consensus ?? errors.policyConsensus}
        />
      )}
    </Suspense>
  );
}
