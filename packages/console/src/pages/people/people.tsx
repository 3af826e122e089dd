import { useState } from 'react';
import { useMatchingPages } from '../../data/search-list.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { allUsers, useLoaded, useWholeList } from '../../data/whole-list.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
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
import type { Organization, Person } from './types.ts';

const texts = words.people;
/** A longer list moves to the end of the page. */
const FEW = 30;
/** Longer lists have a search field. */
const MANY = 8;

/** People, tags, open invitations and the root quorum. */
export function PeoplePage() {
  const query = useServiceQuery('getOrganization', {});
  const { query: people, more } = useMatchingPages(allUsers, '');
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
          <QueryView query={people}>
            {(users) => (
              <>
                {users.length <= FEW && <PersonList organization={organization} hasSearch={users.length > MANY} />}
                <Invitations organization={organization} />
                {more === undefined ? (
                  <Groups organization={organization} users={users} />
                ) : (
                  <GroupsOfMany organization={organization} />
                )}
                {users.length > FEW && <PersonList organization={organization} hasSearch />}
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

interface GroupsProps {
  organization: Organization;
  users: readonly Person[];
}

/** The root quorum and the tags, with the people whom they can have. */
function Groups(props: GroupsProps) {
  return (
    <>
      <Quorum {...props} />
      <Tags {...props} />
    </>
  );
}

/** The same in an organization with many people, who are all loaded on request. */
function GroupsOfMany({ organization }: Pick<GroupsProps, 'organization'>) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <LoadedGroups organization={organization} />;
  const { threshold, userIds } = organization.rootQuorum;
  return (
    <Section title={texts.groups} lead={texts.quorumLead(threshold, userIds.length)}>
      <Button onClick={() => setOpen(true)}>{texts.loadGroups}</Button>
    </Section>
  );
}

function LoadedGroups({ organization }: Pick<GroupsProps, 'organization'>) {
  const query = useWholeList(allUsers);
  return (
    <QueryView query={query} loaded={useLoaded(allUsers)}>
      {(users) => <Groups organization={organization} users={users} />}
    </QueryView>
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
