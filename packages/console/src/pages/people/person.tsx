import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSession } from '../../session/context.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { Code } from '../../ui/copy.tsx';
import { Name } from '../../ui/name.tsx';
import { Facts } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { FreezeButton, FrozenMark } from '../freezes/freeze-button.tsx';
import { Credentials } from './credentials.tsx';
import { EditPerson } from './edit-person.tsx';
import { MfaPolicies } from './mfa-policies.tsx';
import { PersonHistory } from './person-history.tsx';
import { PersonPolicies } from './person-policies.tsx';
import { PersonSessions } from './person-sessions.tsx';
import { SetupLink } from './setup-link.tsx';
import type { Person } from './types.ts';

const texts = words.people.person;

/** One person: how to reach them, what can act in their name, what they may do and what they did. */
export function PersonPage() {
  const { userId } = useParams({ strict: false }) as { userId: string };
  const query = useServiceQuery('getUser', { userId });
  return (
    <>
      <BackLink to="/people" title={words.people.title} />
      <QueryView query={query}>{({ user }) => <PersonView person={user} />}</QueryView>
    </>
  );
}

function PersonView({ person }: { person: Person }) {
  const { userId: ownId } = useSession();
  const [isEditing, setEditing] = useState(false);
  const [isLinking, setLinking] = useState(false);
  const { userId, userName, userEmail, userPhoneNumber } = person;
  return (
    <>
      <PageHead title={userName}>
        <ActionButton submits="updateUser" onClick={() => setEditing(true)}>
          {texts.edit}
        </ActionButton>
        {userId !== ownId && (
          <>
            <ActionButton submits="createSetupKey" of={userId} onClick={() => setLinking(true)}>
              {words.people.setupLink}
            </ActionButton>
            <FreezeButton target={{ userIds: [userId] }} name={userName} />
          </>
        )}
      </PageHead>
      <div className="mb-8">
        <FrozenMark id={userId} />
        <Facts
          facts={[
            [texts.email, userEmail === undefined ? words.common.none : <Name key="email" text={userEmail} />],
            [texts.phone, userPhoneNumber === undefined ? words.common.none : <Name key="phone" text={userPhoneNumber} />],
            [words.common.id, <Code key="id" text={userId} what={words.common.id} />],
            [words.common.created, <When key="created" at={person.createdAt} />],
          ]}
        />
      </div>
      <Credentials person={person} />
      <PersonSessions person={person} />
      <MfaPolicies userId={userId} />
      <PersonPolicies person={person} />
      <PersonHistory userId={userId} />
      {isEditing && <EditPerson person={person} onClose={() => setEditing(false)} />}
      {isLinking && <SetupLink person={person} onClose={() => setLinking(false)} />}
    </>
  );
}
