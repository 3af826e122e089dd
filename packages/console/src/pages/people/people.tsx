import { useState } from 'react';
import { useAsk } from '../../data/ask.ts';
import { useSubmit } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Answer } from '../../ui/fault.tsx';
import { Badge, PageHead, Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import { Invite } from './invite.tsx';
import { Quorum } from './quorum.tsx';
import { SetupLink } from './setup-link.tsx';
import { Tags } from './tags.tsx';
import type { Organization, Person } from './types.ts';

const said = words.people;

/** Who acts in the organization: people, tags, open invitations and the root quorum. */
export function PeoplePage() {
  const query = useAsk('getOrganization', {});
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
          <>
            <PersonList organization={organization} />
            <Invitations organization={organization} />
            <Quorum organization={organization} />
            <Tags organization={organization} />
            {isInviting && <Invite tags={organization.tags} onClose={() => setInviting(false)} />}
          </>
        )}
      </Answer>
    </>
  );
}

function PersonList({ organization }: { organization: Organization }) {
  const { userId: ownId } = useSession();
  const [linkFor, setLinkFor] = useState<Person>();
  const [removing, setRemoving] = useState<Person>();
  const remove = useSubmit('deleteUsers', { done: said.removed, onSent: () => setRemoving(undefined) });
  return (
    <Section title={said.title}>
      <ul className="card divide-y divide-line">
        {organization.users.map((person) => (
          <li key={person.userId} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
            <span
              aria-hidden="true"
              className="inline-flex size-9 items-center justify-center rounded-full bg-sunken font-semibold text-quiet"
            >
              {person.userName.slice(0, 1).toUpperCase()}
            </span>
            <span className="min-w-0 flex-1">
              <span className="flex flex-wrap items-center gap-2 font-semibold">
                {person.userName}
                {person.userId === ownId && <Badge tone="accent">{said.you}</Badge>}
                {organization.rootQuorum.userIds.includes(person.userId) && <Badge tone="wait">{said.root}</Badge>}
                {organization.tags
                  .filter(({ tagId }) => person.userTags.includes(tagId))
                  .map(({ tagId, tagName }) => (
                    <Badge key={tagId}>{tagName}</Badge>
                  ))}
              </span>
              <span className="block text-sm break-words text-quiet">
                {[person.userEmail, credentialsOf(person)].filter(Boolean).join(' · ')}
              </span>
            </span>
            {person.userId !== ownId && (
              <span className="flex gap-1">
                <Button look="quiet" onClick={() => setLinkFor(person)}>
                  {said.setupLink}
                </Button>
                <Button look="quiet" onClick={() => setRemoving(person)}>
                  {said.remove}
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {linkFor && <SetupLink person={linkFor} onClose={() => setLinkFor(undefined)} />}
      {removing && (
        <Confirm
          title={said.removeTitle}
          text={said.removeText(removing.userName)}
          word={removing.userName}
          action={said.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ userIds: [removing.userId] })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  );
}

/** Sessions are no credentials that people hand out, so only lasting keys count. */
function credentialsOf({ authenticators, apiKeys }: Person): string {
  const keys = apiKeys.filter(({ credential }) => credential.type.startsWith('CREDENTIAL_TYPE_API_KEY_')).length;
  const parts = [authenticators.length > 0 && said.passkeys(authenticators.length), keys > 0 && said.keys(keys)].filter(Boolean);
  return parts.length === 0 ? said.noCredential : parts.join(' · ');
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
              <span className="font-medium">{receiverUserName}</span> <span className="text-quiet">{receiverEmail}</span>
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
