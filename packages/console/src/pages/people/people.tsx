import { useState } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { allUsers, useLoaded, useWholeList } from '../../data/whole-list.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Name } from '../../ui/name.tsx';
import { Section } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';
import { AddProgram } from './add-program.tsx';
import { Invite } from './invite.tsx';
import { PersonList } from './person-list.tsx';
import { Quorum } from './quorum.tsx';
import { Tags } from './tags.tsx';
import type { Organization } from './types.ts';

const texts = words.people;
/** A longer list moves to the end of the page. */
const FEW = 30;

/** People, tags, open invitations and the root quorum. */
export function PeoplePage() {
  const query = useServiceQuery('getOrganization', {});
  const people = useWholeList(allUsers);
  const loaded = useLoaded(allUsers);
  const [isInviting, setInviting] = useState(false);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <ActionButton submits="createApiOnlyUsers" onClick={() => setAdding(true)}>
          {words.credentials.addProgram}
        </ActionButton>
        <ActionButton submits="createInvitations" look="solid" icon="plus" onClick={() => setInviting(true)}>
          {texts.invite}
        </ActionButton>
      </PageHead>
      <QueryView query={query}>
        {({ organizationData: organization }) => (
          <QueryView query={people} loaded={loaded}>
            {(users) => (
              <>
                {users.length <= FEW && <PersonList organization={organization} users={users} />}
                <Invitations organization={organization} />
                <Quorum organization={organization} users={users} />
                <Tags organization={organization} users={users} />
                {users.length > FEW && <PersonList organization={organization} users={users} />}
                {isAdding && <AddProgram tags={organization.tags} onClose={() => setAdding(false)} />}
                {isInviting && <Invite tags={organization.tags} onClose={() => setInviting(false)} />}
              </>
            )}
          </QueryView>
        )}
      </QueryView>
    </>
  );
}

function Invitations({ organization }: { organization: Organization }) {
  const revoke = useSubmit('deleteInvitation', { done: texts.revoked });
  const open = organization.invitations.filter(({ status }) => status === 'INVITATION_STATUS_CREATED');
  if (open.length === 0) return null;
  return (
    <Section title={texts.invitations}>
      <ul className="card divide-y divide-line">
        {open.map(({ invitationId, receiverUserName, receiverEmail }) => (
          <li key={invitationId} className="flex items-center gap-3 px-4 py-2.5">
            <span className="min-w-0 flex-1 truncate">
              <span className="font-medium">
                <Name text={receiverUserName} />
              </span>{' '}
              <span className="text-quiet">
                <Name text={receiverEmail} />
              </span>
            </span>
            <ActionButton
              submits="deleteInvitation"
              look="quiet"
              busy={revoke.isPending}
              onClick={() => revoke.mutate({ invitationId })}
            >
              {texts.revoke}
            </ActionButton>
          </li>
        ))}
      </ul>
    </Section>
  );
}
