import { useState } from 'react';
import { groupDigits } from '../../review/group-digits.ts';
import { transfersOf } from '../../review/past.ts';
import type { Review } from '../../review/use-review.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { words } from '../../words/index.ts';
import { FindingList } from './findings.tsx';

const texts = words.approvals;

interface ApproveStepProps {
  review: Review;
  isBusy: boolean;
  onConfirm(): void;
  onClose(): void;
}

/** What a person types to approve: the amount of a payment, or a word. */
function wordOf({ check }: Pick<Review, 'check'>): string {
  const payments = check.state === 'read' ? transfersOf(check.reading.displayed) : [];
  const [payment] = payments;
  return payments.length === 1 && payment?.units !== undefined ? payment.units : texts.step.word;
}

/** Numbers may be typed with or without separators of thousands. */
const plain = (text: string) => text.trim().toLowerCase().replaceAll(',', '');

/** The second step of an approval that is hard to undo: the reasons, and a value to type. */
export function ApproveStep({ review, isBusy, onConfirm, onClose }: ApproveStepProps) {
  const [typed, setTyped] = useState('');
  const word = wordOf(review);
  const isAmount = word !== texts.step.word;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={texts.step.title}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (plain(typed) === plain(word)) onConfirm();
        }}
      >
        <FindingList findings={review.findings.filter(({ isDeliberate }) => isDeliberate)} />
        <TextField
          label={isAmount ? texts.step.typeAmount(groupDigits(word)) : texts.step.typeWord}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          {...(isAmount && { inputMode: 'decimal' as const })}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button type="submit" look="solid" icon="passkey" busy={isBusy} disabled={plain(typed) !== plain(word)}>
            {texts.approve}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
