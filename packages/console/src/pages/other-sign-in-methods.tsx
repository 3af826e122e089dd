import type { SignInIssuer } from '@countersign/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { setPreference } from '../session/database.ts';
import { leaveForIssuer, signInByIssuerResponse } from '../session/issuer.ts';
import { hasIssuerResponse, takeIssuerResponse } from '../session/issuer-response.ts';
import { signInMethods } from '../session/relay.ts';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';
import { CodeForm } from './code-form.tsx';

const texts = words.identity.signIn;

/** Preference key of the last organization. */
export const ORGANIZATION = 'organization';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Sign-in methods of an organization other than passkeys. */
export function OtherSignInMethods({ organizationId, onOpened }: { organizationId: string; onOpened(session: Session): void }) {
  const isNamed = ID.test(organizationId);
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
    <section aria-label={texts.otherWays} className="mt-6 grid gap-4 border-t border-line pt-4">
      <h2 className="font-medium">{texts.otherWays}</h2>
      <IssuerResponse onOpened={open} />
      {!isNamed && <p className="text-sm text-quiet">{texts.askOtherWays}</p>}
      {isNamed && ways.error && <ErrorMessage error={ways.error} retry={() => void ways.refetch()} />}
      {isNamed && ways.data === null && <p className="text-sm text-quiet">{texts.noOtherWays}</p>}
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
