import { useState } from 'react';
import { useSubmit } from '../../data/submit.ts';
import type { Timestamp } from '../../data/time.ts';
import { useSession } from '../../session/context.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Section } from '../../ui/page.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { AddApiKey } from './add-api-key.tsx';
import { RemoveOwnPasskey, whyKept } from './remove-passkey.tsx';
import { isSessionKey } from './session-keys.ts';
import type { Person } from './types.ts';

const texts = words.people.person;

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** The account at another site. */
  readonly detail?: string;
  readonly createdAt: Timestamp;
  readonly busy: boolean;
  readonly submits: 'deleteAuthenticators' | 'deleteApiKeys' | 'deleteOauthProviders';
  /** Why it cannot be removed here. */
  readonly kept?: string | undefined;
  remove(): void;
}

/** Passkeys, permanent keys and linked accounts. */
export function Credentials({ person }: { person: Person }) {
  const { userId: ownId } = useSession();
  const { userId, userName, authenticators } = person;
  const isOwn = userId === ownId;
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string>();
  const close = () => setRemoving(undefined);
  const removeKeys = useSubmit('deleteApiKeys', { done: texts.removed, onSent: close });
  const removePasskeys = useSubmit('deleteAuthenticators', { done: texts.removed, onSent: close });
  const removeLinks = useSubmit('deleteOauthProviders', { done: texts.removed, onSent: close });
  const keys = person.apiKeys.filter((key) => !isSessionKey(key));
  const rows: readonly Row[] = [
    ...authenticators.map(({ authenticatorId, authenticatorName, createdAt }) => ({
      ...{ id: authenticatorId, kind: texts.passkey, name: authenticatorName, createdAt, busy: removePasskeys.isPending },
      submits: 'deleteAuthenticators' as const,
      ...(isOwn && { kept: whyKept(authenticators) }),
      remove: () => removePasskeys.mutate({ userId, authenticatorIds: [authenticatorId] }),
    })),
    ...keys.map((key) => ({
      ...{ id: key.apiKeyId, kind: texts.key, name: key.apiKeyName },
      ...{ createdAt: key.createdAt, busy: removeKeys.isPending },
      submits: 'deleteApiKeys' as const,
      remove: () => removeKeys.mutate({ userId, apiKeyIds: [key.apiKeyId] }),
    })),
    ...person.oauthProviders.map(({ providerId, providerName, subject, issuer, createdAt }) => ({
      ...{ id: providerId, kind: texts.issuer, name: providerName, createdAt, busy: removeLinks.isPending },
      ...{ submits: 'deleteOauthProviders' as const, detail: words.me.accounts.subject(subject, issuer) },
      remove: () => removeLinks.mutate({ userId, providerIds: [providerId] }),
    })),
  ];
  const removed = rows.find(({ id }) => id === removing);
  const ownPasskey = isOwn ? authenticators.find(({ authenticatorId }) => authenticatorId === removing) : undefined;
  return (
    <Section
      title={texts.credentials}
      lead={texts.credentialsLead}
      action={
        <ActionButton submits="createApiKeys" of={userId} onClick={() => setAdding(true)}>
          {words.credentials.addKey}
        </ActionButton>
      }
    >
      {rows.length === 0 ? (
        <p className="card px-4 py-3 text-quiet">{words.people.noCredential}</p>
      ) : (
        <ul className="card divide-y divide-line">
          {rows.map(({ id, kind, name, detail, createdAt, submits, kept }) => (
            <li key={id} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
              <span className="min-w-0 flex-1 break-words">
                <span className="flex flex-wrap items-center gap-x-2 font-medium">
                  <Name text={name} />
                  <Badge>{kind}</Badge>
                </span>
                <span className="block text-sm text-quiet">
                  {detail !== undefined && (
                    <>
                      <Name text={detail} /> ·{' '}
                    </>
                  )}
                  <When at={createdAt} />
                </span>
              </span>
              <ActionButton
                submits={submits}
                of={userId}
                look="quiet"
                disabled={kept !== undefined}
                title={kept}
                onClick={() => setRemoving(id)}
              >
                {words.common.remove}
              </ActionButton>
            </li>
          ))}
        </ul>
      )}
      {ownPasskey && <RemoveOwnPasskey passkey={ownPasskey} onClose={close} />}
      {removed && !ownPasskey && (
        <Confirm
          title={texts.removeTitle(removed.name)}
          text={texts.removeText(userName)}
          action={words.common.remove}
          busy={removed.busy}
          onConfirm={removed.remove}
          onClose={close}
        />
      )}
      {isAdding && <AddApiKey userId={userId} onClose={() => setAdding(false)} />}
    </Section>
  );
}
