import type { SignInIssuer } from '@countersign/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ORGANIZATION, setPreference } from '../session/database.ts';
import { leaveForIssuer, signInByIssuerResponse } from '../session/issuer.ts';
import { hasIssuerResponse, takeIssuerResponse } from '../session/issuer-response.ts';
import { signInMethods } from '../session/relay.ts';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';
import { CodeForm } from './code-form.tsx';

const texts = words.identity.signIn;

interface OtherSignInMethodsProps {
  organizationId: string;
  isNamed: boolean;
  onOpened(session: Session): void;
}

/** Sign-in methods of an organization other than passkeys. `isNamed`: the id is complete. */
export function OtherSignInMethods({ organizationId, isNamed, onOpened }: OtherSignInMethodsProps) {
  const ways = useQuery({
    queryKey: ['ways', organizationId],
    queryFn: async () => (await signInMethods(organizationId)) ?? null,
    enabled: isNamed,
    retry: false,
  });
  const open = (session: Session) => {
    void setPreference(ORGANIZATION, session.organizationId);
    onOpened(session);
  };
  return (
    <>
      <IssuerResponse onOpened={open} />
      {isNamed && ways.error && <ErrorMessage error={ways.error} retry={() => void ways.refetch()} />}
      {isNamed && ways.data === null && <p className="text-sm text-quiet">{texts.noOtherWays}</p>}
      {isNamed && ways.data?.enabledProviders.includes('email') && (
        <CodeForm key={organizationId} organizationId={organizationId} onOpened={open} />
      )}
      {isNamed &&
        ways.data?.openIdConnect.map((issuer) => (
          <IssuerButton key={issuer.issuer} organizationId={organizationId} issuer={issuer} />
        ))}
    </>
  );
}

function IssuerButton({ organizationId, issuer }: { organizationId: string; issuer: SignInIssuer }) {
  const leave = useMutation({ mutationFn: () => leaveForIssuer(organizationId, issuer) });
  return (
    <>
      <Button icon="out" wide busy={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
        {texts.withIssuer(new URL(issuer.issuer).host)}
      </Button>
      {leave.error && <ErrorMessage error={leave.error} />}
    </>
  );
}

/** Completes a sign-in after the redirect from an issuer. */
function IssuerResponse({ onOpened }: { onOpened(session: Session): void }) {
  const [isBack] = useState(hasIssuerResponse);
  const signIn = useMutation({ mutationFn: signInByIssuerResponse, onSuccess: onOpened });
  // Run once: the response can be taken only once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const answer = takeIssuerResponse();
    if (answer !== undefined) signIn.mutate(answer);
  }, []);
  if (!isBack) return null;
  return signIn.error ? <ErrorMessage error={signIn.error} /> : <p role="status">{texts.back}</p>;
}
