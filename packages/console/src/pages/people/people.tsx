import { useState } from 'react';
import { allUsers, useLoaded, useWhole } from '../../data/all.ts';
import { useAsk } from '../../data/ask.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
import { Answer } from '../../ui/fault.tsx';
import { Name } from '../../ui/name.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import { Invite } from './invite.tsx';
import { PersonList } from './person-list.tsx';
import { Quorum } from './quorum.tsx';
import { Tags } from './tags.tsx';
import type { Organization } from './types.ts';

const said = words.people;
/** A longer list goes to the end of the page, where it hides nothing. */
const FEW = 30;

/** Who acts in the organization: people, tags, open invitations and the root quorum. */
export function PeoplePage() {
  const query = useAsk('getOrganization', {});
  const people = useWhole(allUsers);
  const loaded = useLoaded(allUsers);
  const [isInviting, setInviting] = useState(false);
  return (
    <>
      <PageHead title={said.title} lead={said.lead}>
        <Button look="solid" icon="plus" onClick={() => setInviting(true)}>
          {said.invite}
        </Button>
      </PageHead>
      <Answer query={query}>
        {({ organizationData: organization }) => (
          <Answer query={people} loaded={loaded}>
            {(users) => (
              <>
                {users.length <= FEW && <PersonList organization={organization} users={users} />}
                <Invitations organization={organization} />
                <Quorum organization={organization} users={users} />
                <Tags organization={organization} users={users} />
                {users.length > FEW && <PersonList organization={organization} users={users} />}
                {isInviting && <Invite tags={organization.tags} onClose={() => setInviting(false)} />}
              </>
            )}
          </Answer>
        )}
      </Answer>
    </>
  );
}

function Invitations({ organization }: { organization: Organization }) {
  const revoke = useSubmit('deleteInvitation', { done: said.revoked });
  const open = organization.invitations.filter(({ status }) => status === 'INVITATION_STATUS_CREATED');
  if (open.length === 0) return null;
  return (
    <Section title={said.invitations}>
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
            <Button look="quiet" busy={revoke.isPending} onClick={() => revoke.mutate({ invitationId })}>
              {said.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
