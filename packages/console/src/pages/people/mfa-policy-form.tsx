import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PickList } from '../../ui/pick-list.tsx';
import { words } from '../../words/index.ts';
import { type Choice, changesOf, choiceOf, conditions, type MfaPolicy, methodsOf, plainFactors } from './mfa-answers.ts';
import { stepsInWords } from './mfa-steps.ts';

const texts = words.credentials.mfa;
const { names } = words.approvals.factors;

interface Props {
  readonly userId: string;
  /** The policy to change. Without it the form makes a new one. */
  readonly policy?: MfaPolicy;
  /** The order of a new policy. */
  readonly order: number;
  onClose(): void;
}

/** Requires several factors for some requests of a person, or changes such a requirement. */
export function MfaPolicyForm({ userId, policy, order, onClose }: Props) {
  const [mfaPolicyName, setName] = useState<string>(policy?.mfaPolicyName ?? texts.suggestedName);
  const [choice, setChoice] = useState<Choice>(policy === undefined ? 'use' : choiceOf(policy.condition));
  const [other, setOther] = useState(policy?.condition ?? '');
  const kept = policy === undefined ? [] : plainFactors(policy);
  const [chosen, setChosen] = useState<readonly string[]>(kept ?? []);
  const create = useSubmit('createMfaPolicy', { done: texts.added, onSent: onClose });
  const update = useSubmit('updateMfaPolicy', { done: texts.saved, onSent: onClose });
  const sending = policy === undefined ? create : update;
  const errors = fieldErrors(sending.error);
  const condition = choice === 'other' ? other.trim() : conditions[choice];
  const answers = { mfaPolicyName: mfaPolicyName.trim(), condition, factors: kept === undefined ? undefined : chosen };
  const changes = policy && changesOf(policy, answers);
  const isEmpty = answers.mfaPolicyName === '' || condition === '' || answers.factors?.length === 0;
  return (
    <FormDialog
      title={policy === undefined ? texts.add : texts.edit}
      text={texts.addText}
      {...(policy !== undefined && { action: words.common.save })}
      isUnfinished={isEmpty || (changes !== undefined && Object.keys(changes).length === 0)}
      isBusy={sending.isPending}
      onSubmit={() => {
        if (policy !== undefined) return update.mutate({ userId, mfaPolicyId: policy.mfaPolicyId, ...changes });
        const requiredAuthenticationMethods = methodsOf(chosen);
        create.mutate({ userId, order, condition, mfaPolicyName: answers.mfaPolicyName, requiredAuthenticationMethods });
      }}
      onClose={onClose}
    >
      <TextField label={texts.name} value={mfaPolicyName} onChange={setName} error={errors.mfaPolicyName} />
      <SelectField
        label={texts.appliesTo}
        value={choice}
        onChange={(value) => setChoice(value as Choice)}
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
      {kept === undefined ? (
        <p className="text-sm">{texts.keptFactors(stepsInWords(policy?.requiredAuthenticationMethods ?? []))}</p>
      ) : (
        <PickList
          label={texts.factors}
          options={Object.entries(names).map(([value, label]) => ({ value, label }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
      {errors.requiredAuthenticationMethods !== undefined && (
        <p className="text-sm text-bad">{errors.requiredAuthenticationMethods}</p>
      )}
    </FormDialog>
  );
}
