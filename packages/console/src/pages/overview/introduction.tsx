import { firstNames } from '@countersign/contract';
import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.overview.introduction;

/** Asks the first person for a name and an email address, and for the name of the organization. Disappears once they have names. */
export function Introduction() {
  const whoami = useServiceQuery('whoami', {}).data;
  const [isLater, setLater] = useState(false);
  if (whoami === undefined || isLater) return null;
  const isPersonUnnamed = whoami.username === firstNames.userName;
  const isOrganizationUnnamed = whoami.organizationName === firstNames.organizationName;
  if (!isPersonUnnamed && !isOrganizationUnnamed) return null;
  return (
    <Section title={texts.title} lead={texts.lead}>
      <div className="card grid gap-6 px-5 py-4 md:grid-cols-2">
        {isPersonUnnamed && <NamePerson />}
        {isOrganizationUnnamed && <NameOrganization />}
        <div className="md:col-span-2">
          <Button look="quiet" onClick={() => setLater(true)}>
            {texts.later}
          </Button>
        </div>
      </div>
    </Section>
  );
}

function NamePerson() {
  const { userId } = useSession();
  const [userName, setName] = useState('');
  const [userEmail, setEmail] = useState('');
  const update = useSubmit('updateUser', { done: words.people.person.saved });
  const errors = fieldErrors(update.error);
  const email = userEmail.trim();
  return (
    <form
      className="grid content-start gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate({ userId, userName: userName.trim(), ...(email !== '' && { userEmail: email }) });
      }}
    >
      <TextField label={texts.name} value={userName} onChange={setName} error={errors.userName} />
      <TextField
        label={texts.email}
        hint={texts.emailHint}
        type="email"
        optional
        value={userEmail}
        onChange={setEmail}
        error={errors.userEmail}
      />
      <ActionButton
        submits="updateUser"
        explained
        type="submit"
        icon="passkey"
        busy={update.isPending}
        disabled={userName.trim() === ''}
      >
        {texts.savePerson}
      </ActionButton>
    </form>
  );
}

function NameOrganization() {
  const [organizationName, setName] = useState('');
  const update = useSubmit('updateOrganizationName', { done: words.settings.renamed });
  return (
    <form
      className="grid content-start gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate({ organizationName: organizationName.trim() });
      }}
    >
      <TextField
        label={texts.organization}
        hint={texts.organizationHint}
        value={organizationName}
        onChange={setName}
        error={fieldErrors(update.error).organizationName}
      />
      <ActionButton
        submits="updateOrganizationName"
        explained
        type="submit"
        icon="passkey"
        busy={update.isPending}
        disabled={organizationName.trim() === ''}
      >
        {texts.saveOrganization}
      </ActionButton>
    </form>
  );
}
