import type { Client } from '@countersign/client';
import { builtInProfiles } from '@countersign/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isDeclined, messageOf } from '../../data/errors.ts';
import { refresh } from '../../data/refresh.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { type Factor, missingFactors } from '../../review/missing-factors.ts';
import { needsStep } from '../../review/use-review.ts';
import { useSession, useSessionState } from '../../session/context.tsx';
import { passkeyClient, type Session } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useToast } from '../../ui/toast.tsx';
import { words } from '../../words/index.ts';
import { ApproveStep } from './approve-step.tsx';
import { castVote } from './cast-vote.ts';
import type { DecideProps } from './decide-props.ts';
import { NotChecked } from './not-checked.tsx';
import { showOutcome } from './show-outcome.ts';

const texts = words.approvals.factors;

/** Shows a person who has voted which steps of their MFA policies are missing, and offers those that this browser can make. */
export function MissingSteps(props: DecideProps) {
  const { activity } = props;
  const { userId } = useSession();
  const status = useServiceQuery('getMfaStatus', { activityId: activity.id, userId });
  return (
    <div className="border-t border-line bg-sunken/60 px-5 py-4 md:px-7">
      <QueryView query={status}>
        {({ mfaStatuses }) => {
          const steps = missingFactors(mfaStatuses);
          if (steps.length === 0) return <p className="text-quiet">{words.approvals.alreadyVoted}</p>;
          return <Steps {...props} steps={steps} />;
        }}
      </QueryView>
    </div>
  );
}

function Steps({ steps, ...props }: DecideProps & { steps: readonly (readonly Factor[])[] }) {
  const session = useSession();
  const factors = steps.flat();
  const isMissing = (...types: readonly Factor['type'][]) => factors.some(({ type }) => types.includes(type));
  const bySignIn = isMissing(
    'AUTHENTICATION_TYPE_EMAIL_OTP',
    'AUTHENTICATION_TYPE_SMS_OTP',
    'AUTHENTICATION_TYPE_OAUTH',
    'AUTHENTICATION_TYPE_SESSION',
  );
  const canVote = session.sessionProfileId === builtInProfiles.consoleWithoutPasskey.sessionProfileId;
  return (
    <div className="grid gap-3">
      <p className="font-medium">{texts.title}</p>
      <ul className="list-disc ps-5 marker:text-quiet">
        {steps.map((step) => {
          const text = step.map(({ type }) => texts.names[type]).join(texts.or);
          return <li key={text}>{text}</li>;
        })}
      </ul>
      <div className="flex flex-wrap gap-3">
        {isMissing('AUTHENTICATION_TYPE_PASSKEY') && <PasskeyStep {...props} factors={factors} />}
        {bySignIn && canVote && <VoteButton {...props} label={texts.bySession} client={async () => session.reader} />}
        {bySignIn && !canVote && <SignInAgain session={session} activityId={props.activity.id} />}
      </div>
      {isMissing('AUTHENTICATION_TYPE_API_KEY') && <p className="text-sm text-quiet">{texts.byApiKey}</p>}
    </div>
  );
}

function PasskeyStep({ factors, ...props }: DecideProps & { factors: readonly Factor[] }) {
  const { organizationId, userId, reader } = useSession();
  const named = factors.flatMap(({ type, id }) => (type === 'AUTHENTICATION_TYPE_PASSKEY' && id ? [id] : []));
  const client = async () => {
    const { authenticators } = await reader.getAuthenticators({ userId });
    const wanted = authenticators.filter(({ authenticatorId }) => named.length === 0 || named.includes(authenticatorId));
    return passkeyClient(
      organizationId,
      wanted.map(({ credentialId }) => credentialId),
    );
  };
  return <VoteButton {...props} label={texts.byPasskey} client={client} />;
}

interface VoteButtonProps extends DecideProps {
  label: string;
  client(): Promise<Client>;
}

/**
 * Approves again with another credential.
 * SECURITY: D1124: the first vote may be from a client that checks nothing. This one waits for the checks and has the second step too.
 */
function VoteButton({ activity, check, review, error, label, client }: VoteButtonProps) {
  const [isConfirming, setConfirming] = useState(false);
  const session = useSession();
  const queries = useQueryClient();
  const showToast = useToast();
  const vote = useMutation({
    mutationFn: async () => castVote(await client(), activity, check, 'approve'),
    async onSuccess({ activity: after }) {
      setConfirming(false);
      await showOutcome(session, showToast, after);
      await refresh(queries);
    },
    onError: (error) => showToast(isDeclined(error) ? 'wait' : 'bad', messageOf(error)),
  });
  if (review === undefined) return <NotChecked error={error} />;
  return (
    <>
      <Button
        look="solid"
        icon="passkey"
        busy={vote.isPending}
        onClick={() => (needsStep(review) ? setConfirming(true) : vote.mutate())}
      >
        {label}
      </Button>
      {isConfirming && (
        <ApproveStep
          review={review}
          isBusy={vote.isPending}
          onConfirm={() => vote.mutate()}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
}

/** Ends the session, which only reads, and leads back here after a sign-in by email or with another account. */
function SignInAgain({ session, activityId }: { session: Session; activityId: string }) {
  const { end } = useSessionState();
  const navigate = useNavigate();
  const leave = async () => {
    await end();
    await navigate({ to: '/sign-in', search: { to: `/approvals/${activityId}`, organization: session.organizationId } });
  };
  return (
    <Button icon="out" onClick={() => void leave()}>
      {texts.signInAgain}
    </Button>
  );
}
