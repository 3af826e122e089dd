import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PickList } from '../../ui/pick-list.tsx';
import { words } from '../../words/index.ts';

const texts = words.credentials.mfa;
const { names } = words.approvals.factors;
type Factor = keyof typeof names;

/** Conditions that people choose by name. None covers signing in, so that no choice locks a person out of the console. */
const conditions: Readonly<Record<keyof typeof texts.choices, string>> = {
  use: "activity.action in ['SIGN', 'EXPORT'] && activity.resource != 'USER'",
  export: "activity.action == 'EXPORT'",
  keys: "activity.resource in ['WALLET', 'PRIVATE_KEY']",
  other: '',
};

/** Requires several factors for some requests of a person. */
export function AddMfaPolicy({ userId, order, onClose }: { userId: string; order: number; onClose(): void }) {
  const [mfaPolicyName, setName] = useState<string>(texts.suggestedName);
  const [choice, setChoice] = useState<keyof typeof texts.choices>('use');
  const [other, setOther] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const create = useSubmit('createMfaPolicy', { done: texts.added, onSent: onClose });
  const errors = fieldErrors(create.error);
  const condition = choice === 'other' ? other.trim() : conditions[choice];
  return (
    <FormDialog
      title={texts.add}
      text={texts.addText}
      isUnfinished={mfaPolicyName.trim() === '' || chosen.length === 0 || condition === ''}
      isBusy={create.isPending}
      onSubmit={() =>
        create.mutate({
          ...{ userId, order, condition, mfaPolicyName: mfaPolicyName.trim() },
          requiredAuthenticationMethods: chosen.map((type) => ({ any: [{ type: type as Factor }] })),
        })
      }
      onClose={onClose}
    >
      <TextField label={texts.name} value={mfaPolicyName} onChange={setName} error={errors.mfaPolicyName} />
      <SelectField
        label={texts.appliesTo}
        value={choice}
        onChange={(value) => setChoice(value as typeof choice)}
        options={Object.entries(texts.choices).map(([value, label]) => ({ value, label }))}
      />
      {choice === 'other' && (
        <TextArea
          label={texts.condition}
          hint={texts.conditionHint}
          rows={2}
          mono
          value={other}
          onChange={setOther}
          error={errors.condition}
        />
      )}
      <PickList
        label={texts.factors}
        options={Object.entries(names).map(([value, label]) => ({ value, label }))}
        chosen={chosen}
        onChange={setChosen}
      />
      {errors.requiredAuthenticationMethods !== undefined && (
        <p className="text-sm text-bad">{errors.requiredAuthenticationMethods}</p>
      )}
    </FormDialog>
  );
}
