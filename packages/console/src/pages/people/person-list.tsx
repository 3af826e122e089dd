import { Link } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { allUsers } from '../../data/lists.ts';
import { useMatchingPages } from '../../data/search-list.ts';
import { useSubmit } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Section } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { RowActions } from '../../ui/row-actions.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { words } from '../../words/index.ts';
import { FreezeButton, FrozenMark } from '../freezes/freeze-button.tsx';
import { SetupLink } from './setup-link.tsx';
import type { Organization, Person } from './types.ts';

const texts = words.people;
/** The people of an organization, newest first, searched by the service. */
export function PersonList({ organization, hasSearch }: { organization: Organization; hasSearch: boolean }) {
  const { userId: ownId } = useSession();
  const [text, setText] = useState('');
  const [linkFor, setLinkFor] = useState<Person>();
  const [removing, setRemoving] = useState<Person>();
  const remove = useSubmit('deleteUsers', { done: texts.removed, onSent: () => setRemoving(undefined) });
  const tagNames = useMemo(() => new Map(organization.tags.map(({ tagId, tagName }) => [tagId, tagName])), [organization.tags]);
  const { query, more } = useMatchingPages(allUsers, useDeferredValue(text));
  const found = query.data ?? [];
  return (
    <Section title={texts.title}>
      {hasSearch && (
        <div className="mb-3 max-w-sm">
          <TextField label={words.common.search} type="search" value={text} onChange={setText} search />
        </div>
      )}
      {query.error && <ErrorMessage error={query.error} retry={() => void query.refetch()} />}
      {query.data?.length === 0 && <p className="card px-4 py-3 text-quiet">{words.common.nothingFound}</p>}
      <div className="card overflow-hidden">
        <VirtualList label={texts.title} items={found} keyOf={({ userId }) => userId} estimate={69} more={more}>
          {(person) => (
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-3">
              <span
                aria-hidden="true"
                className="inline-flex size-9 items-center justify-center rounded-full bg-sunken font-semibold text-quiet"
              >
                <Name text={[...person.userName][0]?.toUpperCase() ?? ''} />
              </span>
              <span className="min-w-0 flex-1 basis-48">
                <span className="flex flex-wrap items-center gap-2 font-semibold break-words">
                  <Link to="/people/$userId" params={{ userId: person.userId }} className="hover:underline">
                    <Name text={person.userName} />
                  </Link>
                  {person.userId === ownId && <Badge tone="accent">{texts.you}</Badge>}
                  {organization.rootQuorum.userIds.includes(person.userId) && <Badge tone="wait">{texts.root}</Badge>}
                  <FrozenMark id={person.userId} />
                  {person.userTags.map((tagId) => (
                    <Badge key={tagId}>{tagNames.get(tagId) ?? tagId}</Badge>
                  ))}
                </span>
                <span className="block text-sm break-words text-quiet">
                  <Name text={[person.userEmail, credentialsOf(person)].filter(Boolean).join(' · ')} />
                </span>
              </span>
              {person.userId !== ownId && (
                <RowActions>
                  <ActionButton submits="createSetupKey" of={person.userId} look="quiet" onClick={() => setLinkFor(person)}>
                    {texts.setupLink}
                  </ActionButton>
                  <FreezeButton target={{ userIds: [person.userId] }} name={person.userName} look="quiet" />
                  <ActionButton submits="deleteUsers" look="quiet" onClick={() => setRemoving(person)}>
                    {texts.remove}
                  </ActionButton>
                </RowActions>
              )}
            </div>
          )}
        </VirtualList>
      </div>
      {linkFor && <SetupLink person={linkFor} onClose={() => setLinkFor(undefined)} />}
      {removing && (
        <Confirm
          title={texts.removeTitle}
          text={texts.removeText(removing.userName)}
          word={removing.userName}
          action={texts.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ userIds: [removing.userId] })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  );
}

/** Counts only permanent keys, not sessions. */
function credentialsOf({ authenticators, apiKeys, shortened }: Person): string {
  if (shortened !== undefined) return texts.manyCredentials;
  const keys = apiKeys.filter(({ credential }) => credential.type.startsWith('CREDENTIAL_TYPE_API_KEY_')).length;
  const parts = [authenticators.length > 0 && texts.passkeys(authenticators.length), keys > 0 && texts.keys(keys)].filter(
    Boolean,
  );
  return parts.length === 0 ? texts.noCredential : parts.join(' · ');
}
