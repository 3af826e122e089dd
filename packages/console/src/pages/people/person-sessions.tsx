import { useState } from 'react';
import { useSubmit } from '../../data/submit.ts';
import { dateTimeText, toMs } from '../../data/time.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import { isSessionKey } from './session-keys.ts';
import { SessionRow } from './session-row.tsx';
import type { Person } from './types.ts';

const texts = words.people.sessions;

/** The sessions of a person: how and when each session was opened, and until when it is valid. Each can be ended. */
export function PersonSessions({ person: { userId, userName, apiKeys } }: { person: Person }) {
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
          <ActionButton submits="endSessions" of={userId} onClick={() => setEndingAll(true)}>
            {texts.endAll}
          </ActionButton>
        )
      }
    >
      <ul className="card divide-y divide-line">
        {sessions.map((session) => (
          <SessionRow key={session.apiKeyId} session={session}>
            <ActionButton
              submits="endSessions"
              of={userId}
              look="quiet"
              aria-label={texts.endOne(dateTimeText(toMs(session.createdAt)))}
              busy={endOne.isPending && endOne.variables.apiKeyId === session.apiKeyId}
              onClick={() => endOne.mutate({ apiKeyId: session.apiKeyId })}
            >
              {words.me.endSession}
            </ActionButton>
          </SessionRow>
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
