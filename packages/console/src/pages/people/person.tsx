import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { Code } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Name } from '../../ui/name.tsx';
import { Facts, Section } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { ActivityRow } from '../activities/activities.tsx';
import { FreezeButton, FrozenMark } from '../freezes/freeze-button.tsx';
import { Credentials } from './credentials.tsx';
import { MfaPolicies } from './mfa-policies.tsx';
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
            <ActionButton submits="createSetupKey" onClick={() => setLinking(true)}>
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
      <History userId={userId} />
      {isEditing && <EditPerson person={person} onClose={() => setEditing(false)} />}
      {isLinking && <SetupLink person={person} onClose={() => setLinking(false)} />}
    </>
  );
}

/** The newest activities that the person took part in. */
function History({ userId }: { userId: string }) {
  const query = useServiceQuery('searchActivities', { userId, limit: 10 });
  const link = (
    <Link to="/activities" search={{ user: userId } as never} className="text-accent underline">
      {texts.allActivities}
    </Link>
  );
  return (
    <Section title={texts.activities} action={link}>
      <QueryView query={query}>
        {({ activities }) =>
          activities.length === 0 ? (
            <p className="card px-4 py-3 text-quiet">{texts.noActivities}</p>
          ) : (
            <div className="card overflow-hidden [&>:last-child]:border-b-0">
              {activities.map((activity) => (
                <ActivityRow key={activity.id} activity={activity} />
              ))}
            </div>
          )
        }
      </QueryView>
    </Section>
  );
}

function EditPerson({ person, onClose }: { person: Person; onClose(): void }) {
  const [userName, setName] = useState(person.userName);
  const [userEmail, setEmail] = useState(person.userEmail ?? '');
  const [userPhoneNumber, setPhone] = useState(person.userPhoneNumber ?? '');
  const update = useSubmit('updateUser', { done: texts.saved, onSent: onClose });
  const errors = fieldErrors(update.error);
  const changed = {
    ...(userName.trim() !== person.userName && { userName: userName.trim() }),
    ...(userEmail.trim() !== (person.userEmail ?? '') && { userEmail: userEmail.trim() }),
    ...(userPhoneNumber.trim() !== (person.userPhoneNumber ?? '') && { userPhoneNumber: userPhoneNumber.trim() }),
  };
  return (
    <FormDialog
      title={texts.edit}
      action={words.common.save}
      isUnfinished={userName.trim() === '' || Object.keys(changed).length === 0}
      isBusy={update.isPending}
      onSubmit={() => update.mutate({ userId: person.userId, ...changed })}
      onClose={onClose}
    >
      <TextField label={words.common.name} value={userName} onChange={setName} error={errors.userName} />
      <TextField label={texts.email} type="email" optional value={userEmail} onChange={setEmail} error={errors.userEmail} />
      <TextField
        label={texts.phone}
        type="tel"
        optional
        hint={texts.phoneHint}
        value={userPhoneNumber}
        onChange={setPhone}
        error={errors.userPhoneNumber}
      />
    </FormDialog>
  );
}
