import type { OutputOf } from '@countersign/client';
import type { Queries, SignInIssuer } from '@countersign/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSubmit } from '../data/submit.ts';
import { useSession } from '../session/context.tsx';
import { type IdentityToLink, identityInResponse, leaveToLink } from '../session/issuer.ts';
import { takeIssuerResponse } from '../session/issuer-response.ts';
import { signInMethods } from '../session/relay.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icon.tsx';
import { Name } from '../ui/name.tsx';
import { Section } from '../ui/page.tsx';
import { ErrorMessage } from '../ui/query-view.tsx';
import { When } from '../ui/when.tsx';
import { words } from '../words/index.ts';

const texts = words.me.accounts;
type User = OutputOf<Queries['getUser']>['user'];
type Link = User['oauthProviders'][number];

/** The name of an issuer for people. */
const hostOf = (issuer: string) => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

/** The identities at OpenID Connect issuers that sign this person in. */
export function LinkedAccounts({ links, passkeys }: { links: readonly Link[]; passkeys: User['authenticators'] }) {
  const { userId, organizationId, openedWith } = useSession();
  const [removing, setRemoving] = useState<Link>();
  const ways = useQuery({
    queryKey: ['ways', organizationId],
    queryFn: async () => (await signInMethods(organizationId)) ?? null,
  });
  const remove = useSubmit('deleteOauthProviders', { done: texts.removed, onSent: () => setRemoving(undefined) });
  const ids = passkeys.map(({ credentialId }) => credentialId);
  const boundTo = ids.find((id) => id === openedWith) ?? ids[0];
  const issuers = ways.data?.openIdConnect ?? [];
  return (
    <Section title={texts.title} lead={texts.lead}>
      <ul className="card divide-y divide-line">
        {links.map((link) => (
          <li key={link.providerId} className="flex flex-wrap items-center gap-3 px-4 py-3">
            <Icon name="out" className="text-quiet" />
            <span className="min-w-0 flex-1 basis-48 break-words">
              <span className="block font-medium">
                <Name text={link.providerName} />
              </span>
              <span className="block text-sm text-quiet">
                <Name text={texts.subject(link.subject, link.issuer)} /> · <When at={link.createdAt} />
              </span>
            </span>
            <ActionButton submits="deleteOauthProviders" look="quiet" onClick={() => setRemoving(link)}>
              {words.common.remove}
            </ActionButton>
          </li>
        ))}
        {links.length === 0 && <li className="px-4 py-3 text-quiet">{texts.none}</li>}
      </ul>
      <div className="mt-3 flex flex-wrap gap-2">
        {boundTo !== undefined && issuers.map((issuer) => <LinkButton key={issuer.issuer} issuer={issuer} boundTo={boundTo} />)}
      </div>
      {boundTo === undefined && <p className="mt-3 text-sm text-quiet">{texts.needsPasskey}</p>}
      {boundTo !== undefined && ways.isSuccess && issuers.length === 0 && (
        <p className="mt-3 text-sm text-quiet">{texts.noIssuer}</p>
      )}
      <Returned />
      {removing && (
        <Confirm
          title={texts.remove}
          text={texts.removeText(removing.providerName)}
          action={words.common.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ userId, providerIds: [removing.providerId] })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  );
}

function LinkButton({ issuer, boundTo }: { issuer: SignInIssuer; boundTo: string }) {
  const session = useSession();
  const leave = useMutation({ mutationFn: () => leaveToLink(session, boundTo, issuer) });
  return (
    <>
      <ActionButton
        submits="createOauthProviders"
        icon="out"
        busy={leave.isPending || leave.isSuccess}
        onClick={() => leave.mutate()}
      >
        {texts.link(hostOf(issuer.issuer))}
      </ActionButton>
      {leave.error && <ErrorMessage error={leave.error} />}
    </>
  );
}

/** Completes a link after the redirect from an issuer: the person confirms it with the passkey that the token is bound to. */
function Returned() {
  const session = useSession();
  const read = useMutation({ mutationFn: (given: URLSearchParams) => identityInResponse(given, session) });
  // Run once: the response can be taken only once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const answer = takeIssuerResponse();
    if (answer !== undefined) read.mutate(answer);
  }, []);
  if (read.error) return <ErrorMessage error={read.error} />;
  return read.data === undefined ? null : <ConfirmLink identity={read.data} onClose={read.reset} />;
}

function ConfirmLink({ identity, onClose }: { identity: IdentityToLink; onClose(): void }) {
  const { userId } = useSession();
  const { issuer, oidcToken, credentialId } = identity;
  const create = useSubmit('createOauthProviders', { done: texts.added, onSent: onClose, credentialIds: [credentialId] });
  const host = hostOf(issuer);
  return (
    <Confirm
      title={texts.link(host)}
      text={texts.linkText(host)}
      action={texts.link(host)}
      busy={create.isPending}
      onConfirm={() => create.mutate({ userId, oauthProviders: [{ providerName: host, oidcToken }] })}
      onClose={onClose}
    />
  );
}
