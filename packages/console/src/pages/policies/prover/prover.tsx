import type { NamedTag } from '@countersign/policy';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/page.tsx';
import { ErrorMessage } from '../../../ui/query-view.tsx';
import { words } from '../../../words/index.ts';
import type { Draft } from '../draft.ts';
import { ProofView, titleOf } from './proof-view.tsx';
import { forbidOf, isComplete, type PropertyAnswers, problemOf, TRANSACTIONS, unlessOf } from './property.ts';
import { PropertyFields } from './property-fields.tsx';
import { PolicyGoneError } from './read-organization.ts';
import { type ProofState, useProof } from './use-proof.ts';
import { verdictOf } from './verdict.ts';

const texts = words.policies.prover;

const blank: PropertyAnswers = {
  what: 'amount',
  asset: 'ETH',
  amount: '',
  contactTag: '',
  addresses: '',
  who: 'nobody',
  approvals: 2,
  tagId: '',
  forbid: '',
  unless: '',
  activity: TRANSACTIONS,
};

interface ProverProps {
  /** The draft as it would be saved. */
  readonly draft: Draft;
  readonly policyId: string | undefined;
  readonly tags: readonly NamedTag[] | undefined;
  readonly disabled: boolean;
}

const noTags: readonly NamedTag[] = [];

/** The button that proves a property of the draft and the other policies, and the last verdict. Loads the solver only when it is used. */
export default function Prover({ draft, policyId, tags, disabled }: ProverProps) {
  const [isOpen, setOpen] = useState(false);
  const [answers, setAnswers] = useState(blank);
  const { state, start, reset } = useProof(draft, policyId, tags ?? noTags);
  return (
    <div className="grid gap-3">
      <div>
        <Button icon="check" disabled={disabled || tags === undefined} onClick={() => setOpen(true)}>
          {texts.open}
        </Button>
      </div>
      {state.kind === 'DONE' && (
        <p className="text-sm wrap-anywhere">
          <span className="font-medium">{titleOf(verdictOf(state.proof.outcome), state.proof)}</span>{' '}
          <code className="font-mono text-xs">{state.proof.forbid}</code>
        </p>
      )}
      {isOpen && (
        <ProveDialog
          answers={answers}
          tags={tags ?? noTags}
          state={state}
          onChange={(change) => {
            setAnswers((old) => ({ ...old, ...change }));
            reset();
          }}
          onStart={start}
          onStop={reset}
          onClose={() => {
            if (state.kind !== 'DONE') reset();
            setOpen(false);
          }}
        />
      )}
    </div>
  );
}

interface DialogProps {
  readonly answers: PropertyAnswers;
  readonly tags: readonly NamedTag[];
  readonly state: ProofState;
  onChange(change: Partial<PropertyAnswers>): void;
  onStart(answers: PropertyAnswers, limits: { readonly timeoutMs: number; readonly listSize: number }): Promise<void>;
  onStop(): void;
  onClose(): void;
}

function ProveDialog({ answers, tags, state, onChange, onStart, onStop, onClose }: DialogProps) {
  const [seconds, setSeconds] = useState('10');
  const [listSize, setListSize] = useState('3');
  const problem = problemOf(answers, tags);
  const isRunning = state.kind === 'RUNNING';
  return (
    <Dialog open wide onOpenChange={(open) => !open && onClose()} title={texts.dialogTitle} text={texts.dialogText}>
      <form
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void onStart(answers, { timeoutMs: Number(seconds) * 1000, listSize: Number(listSize) });
        }}
      >
        <PropertyFields answers={answers} tags={tags} set={onChange} />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={texts.timeLimit}
            value={seconds}
            onChange={setSeconds}
            options={Object.entries(texts.timeLimits).map(([value, label]) => ({ value, label }))}
          />
          <SelectField
            label={texts.listSize}
            value={listSize}
            onChange={setListSize}
            options={['3', '6', '12'].map((value) => ({ value, label: value }))}
          />
        </div>
        {isComplete(answers) && (
          <p className="font-mono text-xs wrap-anywhere text-quiet">
            {texts.forbidIs}: {forbidOf(answers)}
            {unlessOf(answers) !== '' && ` · ${texts.unlessIs}: ${unlessOf(answers)}`}
          </p>
        )}
        {problem !== undefined && <pre className="overflow-x-auto font-mono text-xs text-bad">{problem}</pre>}
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" look="solid" busy={isRunning} disabled={!isComplete(answers) || problem !== undefined}>
            {texts.run}
          </Button>
          {isRunning && (
            <>
              <Button onClick={onStop}>{texts.stop}</Button>
              <span aria-live="polite" className="text-quiet">
                {texts.steps[state.step]}
              </span>
            </>
          )}
        </div>
      </form>
      <div className="mt-4">
        {state.kind === 'ERROR' &&
          (state.error instanceof PolicyGoneError ? (
            <Notice tone="bad" role="alert" title={texts.gone} />
          ) : (
            <ErrorMessage error={state.error} />
          ))}
        {state.kind === 'DONE' && <ProofView proof={state.proof} />}
      </div>
    </Dialog>
  );
}
