import { useState } from 'react';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Section } from '../../ui/page.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { AddApiKey } from './add-api-key.tsx';
import { isSessionKey } from './session-keys.ts';
import type { Person } from './types.ts';

const texts = words.people.person;

/** Passkeys, permanent keys and linked accounts. */
export function Credentials({ person }: { person: Person }) {
  const { userId, userName } = person;
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string>();
  const close = () => setRemoving(undefined);
  const removeKeys = useSubmit('deleteApiKeys', { done: texts.removed, onSent: close });
  const removePasskeys = useSubmit('deleteAuthenticators', { done: texts.removed, onSent: close });
  const removeLinks = useSubmit('deleteOauthProviders', { done: texts.removed, onSent: close });
  const keys = person.apiKeys.filter((key) => !isSessionKey(key));
  const rows = [
    ...person.authenticators.map(({ authenticatorId, authenticatorName, createdAt }) => ({
      ...{ id: authenticatorId, kind: texts.passkey, name: authenticatorName, createdAt, busy: removePasskeys.isPending },
      submits: 'deleteAuthenticators' as const,
      remove: () => removePasskeys.mutate({ userId, authenticatorIds: [authenticatorId] }),
    })),
    ...keys.map((key) => ({
      ...{ id: key.apiKeyId, kind: texts.key, name: key.apiKeyName },
      ...{ createdAt: key.createdAt, busy: removeKeys.isPending },
      submits: 'deleteApiKeys' as const,
      remove: () => removeKeys.mutate({ userId, apiKeyIds: [key.apiKeyId] }),
    })),
    ...person.oauthProviders.map(({ providerId, providerName, createdAt }) => ({
      ...{ id: providerId, kind: texts.issuer, name: providerName, createdAt, busy: removeLinks.isPending },
      submits: 'deleteOauthProviders' as const,
      remove: () => removeLinks.mutate({ userId, providerIds: [providerId] }),
    })),
  ];
  const removed = rows.find(({ id }) => id === removing);
  return (
    <Section
      title={texts.credentials}
      lead={texts.credentialsLead}
      action={
        <ActionButton submits="createApiKeys" onClick={() => setAdding(true)}>
          {words.credentials.addKey}
        </ActionButton>
      }
    >
      {rows.length === 0 ? (
        <p className="card px-4 py-3 text-quiet">{words.people.noCredential}</p>
      ) : (
        <ul className="card divide-y divide-line">
          {rows.map(({ id, kind, name, createdAt, submits }) => (
            <li key={id} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
              <span className="min-w-0 flex-1 break-words">
                <span className="flex flex-wrap items-center gap-x-2 font-medium">
                  <Name text={name} />
                  <Badge>{kind}</Badge>
                </span>
                <span className="block text-sm text-quiet">
                  <When at={createdAt} />
                </span>
              </span>
              <ActionButton submits={submits} look="quiet" onClick={() => setRemoving(id)}>
                {words.common.remove}
              </ActionButton>
            </li>
          ))}
        </ul>
      )}
      {removed && (
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
