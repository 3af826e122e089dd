import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { isDeclined, messageOf } from '../../data/errors.ts';
import { refresh } from '../../data/refresh.ts';
import { writerOf } from '../../data/submit.ts';
import { needsStep } from '../../review/use-review.ts';
import { useSession } from '../../session/context.tsx';
import { useKey } from '../../shell/keyboard.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { useToast } from '../../ui/toast.tsx';
import { words } from '../../words/index.ts';
import { ApproveStep } from './approve-step.tsx';
import { castVote, isRejectable, type Vote } from './cast-vote.ts';
import type { DecideProps } from './decide-props.ts';
import { MissingSteps } from './missing-steps.tsx';
import { NotChecked } from './not-checked.tsx';
import { showOutcome } from './show-outcome.ts';

const texts = words.approvals;

/**
 * Approve and reject buttons.
 * SECURITY: D808: no button to approve before every check has finished. What needs a second step has one.
 */
export function Decide({ activity, check, review, error }: DecideProps) {
  const session = useSession();
  const queries = useQueryClient();
  const showToast = useToast();
  const [isRejecting, setRejecting] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const vote = useMutation({
    mutationFn: async (selection: Vote) => castVote(await writerOf(session, queries), activity, check, selection),
    async onSuccess({ activity: after }, selection) {
      setRejecting(false);
      setConfirming(false);
      if (selection === 'reject') showToast('good', texts.rejected);
      else await showOutcome(session, showToast, after);
      await refresh(queries);
    },
    onError: (error) => showToast(isDeclined(error) ? 'wait' : 'bad', messageOf(error)),
  });
  const isWaiting = activity.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
  const hasVoted = activity.votes.some(({ userId }) => userId === session.userId);
  const isOpen = isWaiting && !hasVoted;
  const mayApprove = isOpen && 'request' in check && activity.canApprove;
  const canApprove = mayApprove && review !== undefined;
  const canReject = isOpen && isRejectable(check) && activity.canReject;
  const { mutate, isPending } = vote;
  const hasStep = review === undefined || needsStep(review);
  const approve = useCallback(() => (hasStep ? setConfirming(true) : mutate('approve')), [hasStep, mutate]);
  const reject = useCallback(() => setRejecting(true), []);
  useKey('a', canApprove && !isPending ? approve : undefined);
  useKey('r', canReject && !isPending ? reject : undefined);
  if (!isWaiting) return null;
  if (!mayApprove && !canReject) {
    if (!('request' in check)) return null;
    if (hasVoted) return <MissingSteps activity={activity} check={check} review={review} error={error} />;
    return <p className="border-t border-line bg-sunken/60 px-5 py-3 text-quiet md:px-7">{texts.notYours}</p>;
  }
  return (
    <div className="border-t border-line bg-sunken/60 px-5 py-4 md:px-7">
      <div className="flex flex-wrap items-center gap-3 max-sm:grid max-sm:grid-cols-[1fr_auto]">
        {canApprove && (
          <Button
            look="solid"
            icon="passkey"
            large
            busy={isPending && vote.variables === 'approve'}
            disabled={isPending}
            onClick={approve}
          >
            {isPending && vote.variables === 'approve' ? texts.approving : texts.approve}
          </Button>
        )}
        {mayApprove && !canApprove && <NotChecked error={error} />}
        <Button look="dangerPlain" large disabled={!canReject || isPending} onClick={reject}>
          {texts.reject}
        </Button>
      </div>
      <p className="mt-2 text-sm text-quiet">
        {texts.stampNote} <code className="font-mono text-xs break-all">{activity.fingerprint}</code>
      </p>
      {isConfirming && canApprove && (
        <ApproveStep
          review={review}
          isBusy={isPending}
          onConfirm={() => mutate('approve')}
          onClose={() => setConfirming(false)}
        />
      )}
      {isRejecting && (
        <Confirm
          title={texts.rejectTitle}
          text={texts.rejectText}
          action={texts.reject}
          busy={isPending}
          onConfirm={() => mutate('reject')}
          onClose={() => setRejecting(false)}
        />
      )}
    </div>
  );
}
