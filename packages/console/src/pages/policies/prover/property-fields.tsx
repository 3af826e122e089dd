import type { NamedTag } from '@countersign/policy';
import { allContacts, useWholeList } from '../../../data/whole-list.ts';
import { type Option, SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { words } from '../../../words/index.ts';
import { type PropertyAnswers, provenKinds, TRANSACTIONS } from './property.ts';

const texts = words.policies.prover;

interface FieldsProps {
  readonly answers: PropertyAnswers;
  readonly tags: readonly NamedTag[];
  set(change: Partial<PropertyAnswers>): void;
}

const optionsOf = (labels: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** The fields of a property. */
export function PropertyFields({ answers, tags, set }: FieldsProps) {
  return (
    <>
      <SelectField
        label={texts.what}
        hint={texts.whatHints[answers.what]}
        value={answers.what}
        onChange={(what) => set({ what: what as PropertyAnswers['what'] })}
        options={optionsOf(texts.whats)}
      />
      <WhatFields {...{ answers, tags, set }} />
      <SelectField
        label={texts.who}
        value={answers.who}
        onChange={(who) => set({ who: who as PropertyAnswers['who'] })}
        options={optionsOf(texts.whos)}
      />
      <WhoFields {...{ answers, tags, set }} />
      <SelectField
        label={texts.activity}
        hint={texts.activityHint}
        value={answers.activity}
        onChange={(activity) => set({ activity })}
        options={[
          { value: TRANSACTIONS, label: texts.transactions },
          ...provenKinds.map((kind) => ({ value: kind, label: kind })),
        ]}
      />
    </>
  );
}

function WhatFields({ answers, set }: FieldsProps) {
  const contacts = useWholeList(allContacts).data ?? [];
  switch (answers.what) {
    case 'amount':
      return (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={texts.amount}
            inputMode="decimal"
            value={answers.amount}
            onChange={(amount) => set({ amount: amount.trim() })}
          />
          <TextField
            label={texts.asset}
            hint={texts.assetHint}
            value={answers.asset}
            onChange={(asset) => set({ asset: asset.trim() })}
          />
        </div>
      );
    case 'outsideTag': {
      const contactTags = [...new Set(contacts.flatMap((contact) => contact.contactTags))].sort();
      return (
        <SelectField
          label={texts.contactTag}
          value={answers.contactTag}
          onChange={(contactTag) => set({ contactTag })}
          options={[{ value: '', label: texts.chooseTag }, ...contactTags.map((tag) => ({ value: tag, label: tag }))]}
        />
      );
    }
    case 'notListed':
      return (
        <TextArea label={texts.addresses} mono value={answers.addresses} onChange={(addresses) => set({ addresses })} rows={3} />
      );
    case 'own':
      return (
        <TextArea
          label={texts.forbid}
          hint={texts.forbidHint}
          mono
          rows={3}
          value={answers.forbid}
          onChange={(forbid) => set({ forbid })}
        />
      );
    default:
      return null;
  }
}

function WhoFields({ answers, tags, set }: FieldsProps) {
  const count = (
    <SelectField
      label={texts.approvals}
      value={String(answers.approvals)}
      onChange={(approvals) => set({ approvals: Number(approvals) })}
      options={['1', '2', '3', '4', '5'].map((value) => ({ value, label: value }))}
    />
  );
  switch (answers.who) {
    case 'nobody':
      return null;
    case 'count':
      return count;
    case 'tag':
      return (
        <div className="grid gap-4 sm:grid-cols-2">
          {count}
          <SelectField
            label={texts.tag}
            value={answers.tagId}
            onChange={(tagId) => set({ tagId })}
            options={[
              { value: '', label: texts.chooseTag },
              ...tags.filter(({ kind }) => kind === 'user tag').map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </div>
      );
    case 'own':
      return <TextArea label={texts.unless} mono rows={2} value={answers.unless} onChange={(unless) => set({ unless })} />;
  }
}
