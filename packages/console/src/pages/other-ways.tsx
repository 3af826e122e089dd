import type { SignInIssuer } from '@countersign/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { setPreference } from '../session/database.ts';
import { leaveForIssuer, signInByIssuerAnswer } from '../session/issuer.ts';
import { hasIssuerAnswer, takeIssuerAnswer } from '../session/issuer-answer.ts';
import { waysInto } from '../session/relay.ts';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Fault } from '../ui/fault.tsx';
import { words } from '../words/index.ts';
import { CodeForm } from './code-form.tsx';

const said = words.identity.signIn;

/** The name under which the browser remembers the organization. */
export const ORGANIZATION = 'organization';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The ways to sign in that an organization has open beside passkeys. */
export function OtherWays({ organizationId, onOpened }: { organizationId: string; onOpened(session: Session): void }) {
  const isNamed = ID.test(organizationId);
  const ways = useQuery({
    queryKey: ['ways', organizationId],
    queryFn: async () => (await waysInto(organizationId)) ?? null,
    enabled: isNamed,
    retry: false,
  });
  const open = (session: Session) => {
    void setPreference(ORGANIZATION, session.organizationId);
    onOpened(session);
  };
  return (
    <section aria-label={said.otherWays} className="mt-6 grid gap-4 border-t border-line pt-4">
      <h2 className="font-medium">{said.otherWays}</h2>
      <IssuerAnswer onOpened={open} />
      {!isNamed && <p className="text-sm text-quiet">{said.askOtherWays}</p>}
      {isNamed && ways.error && <Fault error={ways.error} retry={() => void ways.refetch()} />}
      {isNamed && ways.data === null && <p className="text-sm text-quiet">{said.noOtherWays}</p>}
      {isNamed && ways.data?.enabledProviders.includes('email') && (
        <CodeForm key={organizationId} organizationId={organizationId} onOpened={open} />
      )}
      {isNamed &&
        ways.data?.openIdConnect.map((issuer) => (
          <IssuerButton key={issuer.issuer} organizationId={organizationId} issuer={issuer} />
        ))}
    </section>
  );
}

function IssuerButton({ organizationId, issuer }: { organizationId: string; issuer: SignInIssuer }) {
  const leave = useMutation({ mutationFn: () => leaveForIssuer(organizationId, issuer) });
  return (
    <>
      <Button icon="out" wide busy={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
        {said.withIssuer(new URL(issuer.issuer).host)}
      </Button>
      {leave.error && <Fault error={leave.error} />}
    </>
  );
}

/** Goes on with the sign-in of somebody who comes back from an issuer. */
function IssuerAnswer({ onOpened }: { onOpened(session: Session): void }) {
  const [isBack] = useState(hasIssuerAnswer);
  const signIn = useMutation({ mutationFn: signInByIssuerAnswer, onSuccess: onOpened });
  // Once: the answer is there for the first who takes it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const answer = takeIssuerAnswer();
    if (answer !== undefined) signIn.mutate(answer);
  }, []);
  if (!isBack) return null;
  return signIn.error ? <Fault error={signIn.error} /> : <p role="status">{said.back}</p>;
}
