import { useEffect, useState } from 'react';
import { networks } from '../../../data/networks.ts';
import { useServiceQuery } from '../../../data/service-query.ts';
import { allContacts, allWallets, useWholeList } from '../../../data/whole-list.ts';
import { escapeInvisible } from '../../../review/escape-invisible.ts';
import { SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { PickList } from '../../../ui/pick-list.tsx';
import { words } from '../../../words/index.ts';
import type { Draft } from '../draft.ts';
import { type Answers, blankAnswers, type Subject, subjects } from './answers.ts';
import { problemsIn } from './check-answers.ts';
import { LockedForm } from './locked-form.tsx';
import { assetsOn, feeUnit, networkOf } from './networks.ts';
import { type Reading, readPolicy } from './read-policy.ts';
import { policySentence } from './sentence.ts';
import { namesWallet, writePolicy } from './write-policy.ts';

const texts = words.policies.form;

interface FormProps {
  readonly draft: Draft;
  /** A new policy starts with the values of a blank form. */
  readonly isNew: boolean;
  onChange(change: Partial<Draft>): void;
  onProblems(found: number): void;
}

/**
 * Form for common policies. It opens with the values that the text means.
 * SECURITY: D730: a text that says more than the form can show locks it, so that opening the form changes nothing.
 */
export default function PolicyForm({ draft, isNew, onChange, onProblems }: FormProps) {
  const [startsBlank] = useState(isNew && isBlank(draft));
  const [reading] = useState<Reading>(() => (startsBlank ? { answers: blankAnswers } : readPolicy(draft)));
  // A blank form writes its first text when it opens. A form of a text waits for a change.
  const [answers, setAnswers] = useState<Answers | undefined>(startsBlank ? blankAnswers : undefined);
  const shown = answers ?? ('answers' in reading ? reading.answers : undefined);
  const isDeny = draft.effect === 'EFFECT_DENY';
  const isHidden = shown === undefined || (isDeny && shown.what === 'payments');
  const problems = shown === undefined ? {} : problemsIn(shown);
  const count = Object.keys(problems).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text depends only on the answers
  useEffect(() => {
    onProblems(count);
    if (answers !== undefined && count === 0) onChange(writePolicy(answers));
    return () => onProblems(0);
  }, [answers, count]);
  if (isHidden) return <LockedForm obstacles={'lockedBy' in reading ? reading.lockedBy : [{ whole: 'deny' }]} />;
  return <Fields answers={shown} problems={problems} isDeny={isDeny} set={(change) => setAnswers({ ...shown, ...change })} />;
}

const isBlank = ({ condition, consensus }: Draft) => condition.trim() === '' && consensus.trim() === '';

interface FieldsProps {
  readonly answers: Answers;
  readonly problems: ReturnType<typeof problemsIn>;
  readonly isDeny: boolean;
  set(change: Partial<Answers>): void;
}

function Fields({ answers, problems, isDeny, set }: FieldsProps) {
  const tags = useServiceQuery('listUserTags', {}).data?.userTags ?? [];
  const wallets = useWholeList(allWallets).data ?? [];
  const names = {
    tag: tags.find(({ tagId }) => tagId === answers.tagId)?.tagName,
    wallet: wallets.find(({ walletId }) => walletId === answers.walletId)?.walletName,
  };
  return (
    <div className="card grid gap-4 p-4 sm:grid-cols-2">
      <SelectField
        label={texts.what}
        value={answers.what}
        onChange={(what) => set({ what: what as Subject })}
        options={subjects.filter((each) => !isDeny || each !== 'payments').map((value) => option(value, texts.whats[value]))}
      />
      {namesWallet(answers.what) && (
        <SelectField
          label={texts.wallet}
          value={answers.walletId}
          onChange={(walletId) => set({ walletId })}
          options={withValue(answers.walletId, [
            option('', texts.anyWallet),
            ...wallets.map(({ walletId, walletName }) => option(walletId, walletName)),
          ])}
        />
      )}
      {answers.what === 'payments' && <PaymentFields {...{ answers, problems, set }} />}
      {!isDeny && (
        <>
          <SelectField
            label={texts.approvals}
            value={String(answers.approvals)}
            onChange={(approvals) => set({ approvals: Number(approvals) })}
            options={withValue(
              String(answers.approvals),
              ['1', '2', '3', '4', '5'].map((value) => option(value)),
            )}
          />
          <SelectField
            label={texts.ofTag}
            value={answers.tagId}
            onChange={(tagId) => set({ tagId })}
            options={withValue(answers.tagId, [
              option('', texts.anyTag),
              ...tags.map(({ tagId, tagName }) => option(tagId, tagName)),
            ])}
          />
        </>
      )}
      <p className="break-words sm:col-span-2" aria-live="polite">
        {escapeInvisible(policySentence(answers, isDeny, names))}
      </p>
    </div>
  );
}

function PaymentFields({ answers, problems, set }: Omit<FieldsProps, 'isDeny'>) {
  const contacts = useWholeList(allContacts).data ?? [];
  const limits = useServiceQuery('listVelocityControls', { paginationOptions: { limit: '100' } }).data?.velocityControls ?? [];
  const contactTags = [...new Set(contacts.flatMap((contact) => contact.contactTags))].sort();
  const identifiers = [...new Set([...answers.limits, ...limits.map(({ identifier }) => identifier)])];
  return (
    <>
      <SelectField
        label={texts.network}
        value={answers.network}
        onChange={(network) => set({ network })}
        options={withValue(answers.network, [
          option('', texts.networkOfAsset),
          ...Object.entries(networks).map(([value, { label }]) => option(value, label)),
        ])}
      />
      <TextField
        label={texts.asset}
        hint={texts.assetHint(assetsOn(networkOf(answers)).slice(0, 6))}
        value={answers.asset}
        onChange={(asset) => set({ asset: asset.trim() })}
        error={problems.asset}
      />
      <SelectField
        label={texts.receivers}
        value={answers.receivers === 'tag' ? `tag ${answers.contactTag}` : answers.receivers}
        onChange={(value) =>
          set(value.startsWith('tag ') ? { receivers: 'tag', contactTag: value.slice(4) } : { receivers: value as 'any' })
        }
        options={withValue(answers.receivers === 'tag' ? `tag ${answers.contactTag}` : answers.receivers, [
          option('contacts', texts.receiversContacts),
          ...contactTags.map((tag) => option(`tag ${tag}`, texts.receiversTag(tag))),
          option('addresses', texts.receiversAddresses),
          option('any', texts.receiversAny),
        ])}
      />
      {answers.receivers === 'addresses' && (
        <TextArea
          label={texts.addresses}
          mono
          rows={3}
          value={answers.addresses.join('\n')}
          onChange={(text) =>
            set({ addresses: text.split(/\s+/).filter((part, at, all) => part !== '' || at === all.length - 1) })
          }
          error={problems.addresses}
        />
      )}
      <TextField
        label={texts.most}
        hint={texts.mostHint}
        inputMode="decimal"
        value={answers.most}
        onChange={(most) => set({ most: most.trim() })}
        error={problems.most}
      />
      <TextField
        label={texts.fee(feeUnit(answers))}
        hint={texts.mostHint}
        inputMode="decimal"
        value={answers.fee}
        onChange={(fee) => set({ fee: fee.trim() })}
        error={problems.fee}
      />
      {identifiers.length > 0 && (
        <PickList
          label={texts.limits}
          options={identifiers.map((name) => option(name))}
          chosen={answers.limits}
          onChange={(chosen) => set({ limits: chosen })}
        />
      )}
    </>
  );
}

const option = (value: string, label: string = value) => ({ value, label });

/** Adds the current value to a list that lacks it, so that the list never shows another one. */
const withValue = (value: string, options: readonly { value: string; label: string }[]) =>
  options.some((each) => each.value === value) ? options : [option(value), ...options];
