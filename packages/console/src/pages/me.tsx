import { useState } from 'react';
import { useAsk } from '../data/ask.ts';
import { useSubmit } from '../data/submit.ts';
import { momentText, toMs } from '../data/time.ts';
import { useSession, useSessionState } from '../session/context.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Code } from '../ui/copy.tsx';
import { Answer } from '../ui/fault.tsx';
import { Icon } from '../ui/icon.tsx';
import { Name } from '../ui/name.tsx';
import { Badge, Facts, PageHead, Section } from '../ui/page.tsx';
import { When } from '../ui/when.tsx';
import { words } from '../words/index.ts';
import { AddPasskey } from './add-passkey.tsx';
import { TellMe } from './tell-me.tsx';

const said = words.identity.me;

/** What can act in this person’s name, and where they are signed in. */
export function MePage() {
  const { userId, userName, organizationId, organizationName } = useSession();
  const user = useAsk('getUser', { userId });
  return (
    <>
      <PageHead title={userName} lead={said.lead} />
      <div className="card mb-8 px-5 py-4">
        <Facts
          facts={[
            [words.shell.organization, <Name key="name" text={organizationName} />],
            [words.common.id, <Code key="id" text={organizationId} what={words.shell.organization} />],
          ]}
        />
      </div>
      <Answer query={user}>
        {({ user: { authenticators, apiKeys } }) => (
          <>
            <Passkeys passkeys={authenticators} />
            <TellMe />
            <Sessions keys={apiKeys.filter(({ credential }) => isSessionKey(credential.type))} />
            <Keys keys={apiKeys.filter(({ credential }) => !isSessionKey(credential.type))} />
          </>
        )}
      </Answer>
    </>
  );
}

const isSessionKey = (type: string) => !type.startsWith('CREDENTIAL_TYPE_API_KEY_');

type User = ReturnType<typeof useAsk<'getUser'>>['data'] extends infer Data
  ? NonNullable<Data> extends { user: infer U }
    ? U
    : never
  : never;

function Passkeys({ passkeys }: { passkeys: User['authenticators'] }) {
  const { userId } = useSession();
  const [removing, setRemoving] = useState<User['authenticators'][number]>();
  const [isAdding, setAdding] = useState(false);
  const remove = useSubmit('deleteAuthenticators', { done: words.common.completed, onSent: () => setRemoving(undefined) });
  return (
    <Section
      title={said.passkeys}
      lead={said.passkeysLead}
      action={
        <Button icon="plus" onClick={() => setAdding(true)}>
          {said.addPasskey}
        </Button>
      }
    >
      <ul className="card divide-y divide-line">
        {passkeys.map((passkey) => (
          <li key={passkey.authenticatorId} className="flex items-center gap-3 px-4 py-3">
            <Icon name="passkey" className="text-quiet" />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">
                <Name text={passkey.authenticatorName} />
              </span>
              <span className="text-sm text-quiet">
                {words.common.created} <When at={passkey.createdAt} />
              </span>
            </span>
            <Button
              look="quiet"
              disabled={passkeys.length === 1}
              title={passkeys.length === 1 ? said.lastPasskey : undefined}
              onClick={() => setRemoving(passkey)}
            >
              {words.common.remove}
            </Button>
          </li>
        ))}
        {passkeys.length === 0 && <li className="px-4 py-3 text-quiet">{said.noPasskeys}</li>}
      </ul>
      {isAdding && <AddPasskey existing={passkeys.map(({ credentialId }) => credentialId)} onClose={() => setAdding(false)} />}
      {removing && (
        <Confirm
          title={said.removePasskey}
          text={said.removePasskeyText(removing.authenticatorName)}
          action={words.common.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ userId, authenticatorIds: [removing.authenticatorId] })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  );
}

function Sessions({ keys }: { keys: User['apiKeys'] }) {
  const { publicKey, expiresAtMs } = useSession();
  const { end } = useSessionState();
  const [isEndingAll, setEndingAll] = useState(false);
  const endOne = useSubmit('endSessions', { done: said.ended, bySession: true });
  const endAll = useSubmit('endSessions', { bySession: true, onSent: () => void end() });
  return (
    <Section
      title={said.sessions}
      lead={said.sessionsLead}
      action={<Button onClick={() => setEndingAll(true)}>{said.endOthers}</Button>}
    >
      <ul className="card divide-y divide-line">
        {keys.map(({ apiKeyId, apiKeyName, credential, createdAt, expirationSeconds }) => {
          const isThis = credential.publicKey === publicKey;
          const until =
            isThis || expirationSeconds === undefined ? expiresAtMs : toMs(createdAt) + Number(expirationSeconds) * 1000;
          return (
            <li key={apiKeyId} className="flex items-center gap-3 px-4 py-3">
              <Icon name="clock" className="text-quiet" />
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-center gap-2">
                  <span className="truncate font-medium">
                    <Name text={apiKeyName} />
                  </span>
                  {isThis && <Badge tone="accent">{said.thisBrowser}</Badge>}
                </span>
                <span className="text-sm text-quiet">{said.until(momentText(until))}</span>
              </span>
              {!isThis && (
                <Button look="quiet" busy={endOne.isPending} onClick={() => endOne.mutate({ apiKeyId })}>
                  {said.endSession}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {isEndingAll && (
        <Confirm
          title={said.endOthers}
          text={said.endOthersText}
          action={said.endOthers}
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
  const remove = useSubmit('deleteApiKeys', { done: words.common.completed, onSent: () => setRemoving(undefined) });
  return (
    <Section title={said.keys} lead={said.keysLead}>
      <ul className="card divide-y divide-line">
        {keys.map((key) => (
          <li key={key.apiKeyId} className="flex items-center gap-3 px-4 py-3">
            <Icon name="key" className="text-quiet" />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">
                <Name text={key.apiKeyName} />
              </span>
              <span className="text-sm text-quiet">
                <Code text={key.credential.publicKey} short what={said.keys} />
              </span>
            </span>
            <Button look="quiet" onClick={() => setRemoving(key)}>
              {words.common.remove}
            </Button>
          </li>
        ))}
        {keys.length === 0 && <li className="px-4 py-3 text-quiet">{said.noKeys}</li>}
      </ul>
      {removing && (
        <Confirm
          title={said.removeKey}
          text={said.removeKeyText(removing.apiKeyName)}
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
