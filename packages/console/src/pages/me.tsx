import { useState } from 'react';
import { useOwnNames } from '../data/own-names.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { useSubmit } from '../data/submit.ts';
import { dateTimeText, toMs } from '../data/time.ts';
import { useSession, useSessionState } from '../session/context.tsx';
import { ActionButton } from '../ui/action-button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Code } from '../ui/copy.tsx';
import { Icon } from '../ui/icon.tsx';
import { Name } from '../ui/name.tsx';
import { Facts, Section } from '../ui/page.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { When } from '../ui/when.tsx';
import { words } from '../words/index.ts';
import { AddPasskey } from './add-passkey.tsx';
import { LinkedAccounts } from './linked-accounts.tsx';
import { Notifications } from './notifications.tsx';
import { AddApiKey } from './people/add-api-key.tsx';
import { RemoveOwnPasskey, whyKept } from './people/remove-passkey.tsx';
import { isSessionKey } from './people/session-keys.ts';
import { SessionRow } from './people/session-row.tsx';
import { SwitchOrganization } from './switch-organization.tsx';

const texts = words.me;

/** Credentials and sessions of this person. */
export function MePage() {
  const { userId, organizationId } = useSession();
  const { userName, organizationName } = useOwnNames();
  const user = useServiceQuery('getUser', { userId });
  return (
    <>
      <PageHead title={userName} lead={texts.lead} />
      <div className="card mb-8 px-5 py-4">
        <Facts
          facts={[
            [words.shell.organization, <Name key="name" text={organizationName} />],
            [words.common.id, <Code key="id" text={organizationId} what={words.shell.organization} />],
          ]}
        />
      </div>
      <QueryView query={user}>
        {({ user: { authenticators, apiKeys, oauthProviders } }) => (
          <>
            <Passkeys passkeys={authenticators} />
            <LinkedAccounts links={oauthProviders} passkeys={authenticators} />
            <Notifications />
            <Sessions keys={apiKeys.filter(isSessionKey)} />
            <Keys keys={apiKeys.filter((key) => !isSessionKey(key))} />
            <SwitchOrganization />
          </>
        )}
      </QueryView>
    </>
  );
}

type User = ReturnType<typeof useServiceQuery<'getUser'>>['data'] extends infer Data
  ? NonNullable<Data> extends { user: infer U }
    ? U
    : never
  : never;

function Passkeys({ passkeys }: { passkeys: User['authenticators'] }) {
  const [removing, setRemoving] = useState<User['authenticators'][number]>();
  const [isAdding, setAdding] = useState(false);
  const kept = whyKept(passkeys);
  return (
    <Section
      title={texts.passkeys}
      lead={texts.passkeysLead}
      action={
        <ActionButton submits="createAuthenticators" icon="plus" onClick={() => setAdding(true)}>
          {texts.addPasskey}
        </ActionButton>
      }
    >
      <ul className="card divide-y divide-line">
        {passkeys.map((passkey) => (
          <li key={passkey.authenticatorId} className="flex items-center gap-3 px-4 py-3">
            <Icon name="passkey" className="text-quiet" />
            <span className="min-w-0 flex-1">
              <span className="block font-medium wrap-anywhere">
                <Name text={passkey.authenticatorName} />
              </span>
              <span className="text-sm text-quiet">
                {words.common.created} <When at={passkey.createdAt} />
              </span>
            </span>
            <ActionButton
              submits="deleteAuthenticators"
              look="quiet"
              disabled={kept !== undefined}
              title={kept}
              onClick={() => setRemoving(passkey)}
            >
              {words.common.remove}
            </ActionButton>
          </li>
        ))}
        {passkeys.length === 0 && <li className="px-4 py-3 text-quiet">{texts.noPasskeys}</li>}
      </ul>
      {isAdding && <AddPasskey existing={passkeys.map(({ credentialId }) => credentialId)} onClose={() => setAdding(false)} />}
      {removing && <RemoveOwnPasskey passkey={removing} onClose={() => setRemoving(undefined)} />}
    </Section>
  );
}

function Sessions({ keys }: { keys: User['apiKeys'] }) {
  const { publicKey } = useSession();
  const { end } = useSessionState();
  const [isEndingAll, setEndingAll] = useState(false);
  const endOne = useSubmit('endSessions', { done: texts.ended, bySession: true });
  const endAll = useSubmit('endSessions', { bySession: true, onSent: () => void end() });
  return (
    <Section
      title={texts.sessions}
      lead={texts.sessionsLead}
      action={
        <ActionButton submits="endSessions" onClick={() => setEndingAll(true)}>
          {texts.endOthers}
        </ActionButton>
      }
    >
      <ul className="card divide-y divide-line">
        {keys.map((session) => (
          <SessionRow key={session.apiKeyId} session={session}>
            {session.credential.publicKey !== publicKey && (
              <ActionButton
                submits="endSessions"
                look="quiet"
                aria-label={words.people.sessions.endOne(dateTimeText(toMs(session.createdAt)))}
                busy={endOne.isPending && endOne.variables.apiKeyId === session.apiKeyId}
                onClick={() => endOne.mutate({ apiKeyId: session.apiKeyId })}
              >
                {texts.endSession}
              </ActionButton>
            )}
          </SessionRow>
        ))}
      </ul>
      {isEndingAll && (
        <Confirm
          title={texts.endOthers}
          text={texts.endOthersText}
          action={texts.endOthers}
          busy={endAll.isPending}
          onConfirm={() => endAll.mutate({})}
          onClose={() => setEndingAll(false)}
        />
      )}
    </Section>
  );
}

function Keys({ keys }: { keys: User['apiKeys'] }) {
  const { userId } = useSession();
  const [removing, setRemoving] = useState<User['apiKeys'][number]>();
  const [isAdding, setAdding] = useState(false);
  const remove = useSubmit('deleteApiKeys', { done: words.common.completed, onSent: () => setRemoving(undefined) });
  return (
    <Section
      title={texts.keys}
      lead={texts.keysLead}
      action={
        <ActionButton submits="createApiKeys" onClick={() => setAdding(true)}>
          {words.credentials.addKey}
        </ActionButton>
      }
    >
      <ul className="card divide-y divide-line">
        {keys.map((key) => (
          <li key={key.apiKeyId} className="flex items-center gap-3 px-4 py-3">
            <Icon name="key" className="text-quiet" />
            <span className="min-w-0 flex-1">
              <span className="block font-medium wrap-anywhere">
                <Name text={key.apiKeyName} />
              </span>
              <span className="text-sm text-quiet">
                <Code text={key.credential.publicKey} short what={texts.keys} />
              </span>
            </span>
            <ActionButton submits="deleteApiKeys" look="quiet" onClick={() => setRemoving(key)}>
              {words.common.remove}
            </ActionButton>
          </li>
        ))}
        {keys.length === 0 && <li className="px-4 py-3 text-quiet">{texts.noKeys}</li>}
      </ul>
      {isAdding && <AddApiKey userId={userId} onClose={() => setAdding(false)} />}
      {removing && (
        <Confirm
          title={texts.removeKey}
          text={texts.removeKeyText(removing.apiKeyName)}
          word={removing.apiKeyName}
          action={words.common.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ userId, apiKeyIds: [removing.apiKeyId] })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  );
}
