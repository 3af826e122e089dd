import { useState } from 'react';
import { useSubmit } from '../../data/submit.ts';
import { dateTimeText, toMs } from '../../data/time.ts';
import { useSession } from '../../session/context.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Section } from '../../ui/page.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { isSessionKey, sessionKinds } from './session-keys.ts';
import { SessionUse } from './session-use.tsx';
import type { Person } from './types.ts';

const texts = words.people.sessions;

/** The sessions of a person: how and when each session was opened, and until when it is valid. Each can be ended. */
export function PersonSessions({ person: { userId, userName, apiKeys } }: { person: Person }) {
  const { publicKey } = useSession();
  const [isEndingAll, setEndingAll] = useState(false);
  const endOne = useSubmit('endSessions', { done: texts.ended });
  const endAll = useSubmit('endSessions', { done: texts.endedAll, onSent: () => setEndingAll(false) });
  const sessions = apiKeys.filter(isSessionKey);
  return (
    <Section
      title={texts.title}
      lead={texts.lead}
      action={
        sessions.length > 1 && (
          <ActionButton submits="endSessions" onClick={() => setEndingAll(true)}>
            {texts.endAll}
          </ActionButton>
        )
      }
    >
      <ul className="card divide-y divide-line">
        {sessions.map(({ apiKeyId, apiKeyName, credential, createdAt, expirationSeconds, ...session }) => (
          <li key={apiKeyId} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
            <Icon name="clock" className="text-quiet" />
            <span className="min-w-0 flex-1 basis-48 break-words">
              <span className="flex flex-wrap items-center gap-2 font-medium">
                {sessionKinds[credential.type]} <Name text={apiKeyName} />
                {credential.publicKey === publicKey && <Badge tone="accent">{words.me.thisBrowser}</Badge>}
              </span>
              <span className="block text-sm text-quiet">
                {texts.opened} <When at={createdAt} />
                {expirationSeconds !== undefined &&
                  `, ${words.me.until(dateTimeText(toMs(createdAt) + Number(expirationSeconds) * 1000))}`}
              </span>
              <SessionUse session={session} />
            </span>
            <ActionButton
              submits="endSessions"
              look="quiet"
              aria-label={texts.endOne(dateTimeText(toMs(createdAt)))}
              busy={endOne.isPending && endOne.variables.apiKeyId === apiKeyId}
              onClick={() => endOne.mutate({ apiKeyId })}
            >
              {words.me.endSession}
            </ActionButton>
          </li>
        ))}
        {sessions.length === 0 && <li className="px-4 py-3 text-quiet">{texts.none}</li>}
      </ul>
      {isEndingAll && (
        <Confirm
          title={texts.endAll}
          text={texts.endAllText(userName)}
          action={texts.endAll}
          busy={endAll.isPending}
          onConfirm={() => endAll.mutate({ userId })}
          onClose={() => setEndingAll(false)}
        />
      )}
    </Section>
  );
}
