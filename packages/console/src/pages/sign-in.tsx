import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useSessionState } from '../session/context.tsx';
import { ORGANIZATION, preference } from '../session/database.ts';
import { hasIssuerResponse } from '../session/issuer-response.ts';
import { signIn, signInAnywhere } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { CenteredPage } from '../ui/centered-page.tsx';
import { TextField } from '../ui/field.tsx';
import { Loading, Notice } from '../ui/page.tsx';
import { ErrorMessage } from '../ui/query-view.tsx';
import { words } from '../words/index.ts';

const texts = words.identity.signIn;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Loaded when it is needed: most people sign in with a passkey. */
const OtherSignInMethods = lazy(() =>
  import('./other-sign-in-methods.tsx').then((module) => ({ default: module.OtherSignInMethods })),
);

export function SignInPage() {
  const { to, organization: named } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const { session, start } = useSessionState();
  const [organization, setOrganization] = useState(named ?? '');
  const [isBack] = useState(hasIssuerResponse);
  const isNamed = ID.test(organization.trim());
  const mutation = useMutation({
    mutationFn: async () => {
      const id = organization.trim();
      const opened = id === '' ? await signInAnywhere() : await signIn(id);
      if (opened === undefined) throw new Error(texts.unknownHandle);
      return opened;
    },
    onSuccess: start,
  });
  useEffect(() => {
    // The last organization that was used with email or an issuer. A passkey contains its organization.
    if (named === undefined) {
      const take = (last: string | undefined) => last !== undefined && setOrganization((now) => now || last);
      // Ignore a missing database.
      preference(ORGANIZATION).then(take, () => {});
    }
  }, [named]);
  useEffect(() => {
    // SECURITY: redirect only to a route of this console, never to another site.
    if (session) void navigate({ href: to?.startsWith('/') ? to : '/', replace: true });
  }, [session, navigate, to]);
  return (
    <CenteredPage title={texts.title} lead={texts.lead}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          mutation.mutate();
        }}
      >
        {!isSecureContext && <Notice tone="bad" title={texts.insecure} />}
        <Button type="submit" look="solid" icon="passkey" large wide busy={mutation.isPending}>
          {mutation.isPending ? texts.waiting : texts.withPasskey}
        </Button>
        {mutation.error && <ErrorMessage error={mutation.error} />}
        <details open={named !== undefined}>
          <summary className="text-sm text-quiet underline underline-offset-2">{texts.otherOrganization}</summary>
          <div className="mt-3">
            <TextField
              label={texts.organization}
              hint={texts.organizationHint}
              value={organization}
              onChange={setOrganization}
              mono
            />
          </div>
        </details>
      </form>
      <section aria-label={texts.otherWays} className="mt-6 grid gap-4 border-t border-line pt-4">
        <h2 className="font-medium">{texts.otherWays}</h2>
        {(isNamed || isBack) && (
          <Suspense fallback={<Loading />}>
            <OtherSignInMethods organizationId={organization.trim()} isNamed={isNamed} onOpened={start} />
          </Suspense>
        )}
        {!isNamed && <p className="text-sm text-quiet">{texts.askOtherWays}</p>}
      </section>
      <dl className="mt-6 grid gap-3 border-t border-line pt-4 text-sm">
        <div>
          <dt className="font-medium">{texts.noPasskey}</dt>
          <dd className="text-quiet">
            {texts.noPasskeyHelp}{' '}
            <Link to="/accept" className="text-accent underline underline-offset-2">
              {texts.pasteKey}
            </Link>
          </dd>
        </div>
        <div>
          <dt className="font-medium">{texts.lost}</dt>
          <dd className="text-quiet">
            {texts.lostHelp}{' '}
            <Link to="/recover" className="text-accent underline underline-offset-2">
              {texts.recover}
            </Link>
          </dd>
        </div>
      </dl>
    </CenteredPage>
  );
}
