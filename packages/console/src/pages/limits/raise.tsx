import type { Client } from '@countersign/client';
import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { dateTimeText } from '../../data/time.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { words } from '../../words/index.ts';

const texts = words.limits;

export type Control = Awaited<ReturnType<Client['listVelocityControls']>>['velocityControls'][number];

/** Raises a limit temporarily. Only the root quorum may do this. */
export function RaiseLimit({ control, onClose }: { control: Control; onClose(): void }) {
  const { velocityControlId, aggregation } = control;
  const [threshold, setThreshold] = useState('');
  const [hours, setHours] = useState('24');
  const raise = useSubmit('raiseVelocityControl', { done: texts.raiseDone, onSent: onClose });
  const errors = fieldErrors(raise.error);
  // Round to minutes, so that the displayed end is stable.
  const untilMs = (Math.ceil(Date.now() / 60_000) + Number(hours) * 60) * 60_000;
  return (
    <FormDialog
      title={texts.raiseTitle}
      text={texts.raiseText(aggregation.threshold ?? '')}
      action={texts.raise}
      isUnfinished={threshold.trim() === ''}
      isBusy={raise.isPending}
      onSubmit={() =>
        raise.mutate({ velocityControlId, newThreshold: threshold.replaceAll(',', '').trim(), until: String(untilMs) })
      }
      onClose={onClose}
    >
      <TextField
        label={texts.threshold}
        inputMode="decimal"
        value={threshold}
        onChange={setThreshold}
        error={errors.newThreshold}
      />
      <SelectField
        label={texts.raiseFor}
        value={hours}
        onChange={setHours}
        options={Object.entries(texts.raiseSpans).map(([value, label]) => ({ value, label }))}
        hint={texts.raiseUntil(dateTimeText(untilMs))}
        error={errors.until}
      />
    </FormDialog>
  );
}
