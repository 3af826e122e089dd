import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages } from '../../data/ask.ts';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { Fault } from '../../ui/fault.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Name } from '../../ui/name.tsx';
import { Empty, Loading, PageHead } from '../../ui/page.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { words } from '../../words/index.ts';

const said = words.organizations;
type Filter = 'NAME' | 'USERNAME' | 'EMAIL' | 'PUBLIC_KEY' | 'CREDENTIAL_ID';

/** Sub-organizations, however many: the service pages and searches. */
export function OrganizationsPage() {
  const [filterType, setFilterType] = useState<Filter>('NAME');
  const [text, setText] = useState('');
  const [filterValue, setFilterValue] = useState('');
  const [isCreating, setCreating] = useState(false);
  const input = { includeNames: true, ...(filterValue !== '' && { filterType, filterValue }) };
  const pages = usePages(
    'listSuborgs',
    input,
    (page) => page.organizations ?? [],
    ({ organizationId }) => organizationId,
    '100',
  );
  const { hasMore, isFetchingNextPage, fetchNextPage } = pages;
  const more = () => {
    if (hasMore && !isFetchingNextPage) void fetchNextPage();
  };
  return (
    <>
      <PageHead title={said.title} lead={said.lead}>
        <Button look="solid" icon="plus" onClick={() => setCreating(true)}>
          {said.create}
        </Button>
      </PageHead>
      <form
        className="mb-4 grid items-end gap-3 sm:grid-cols-[12rem_1fr_auto]"
        onSubmit={(event) => {
          event.preventDefault();
          setFilterValue(text.trim());
        }}
      >
        <SelectField
          label={said.search}
          value={filterType}
          onChange={(value) => setFilterType(value as Filter)}
          options={Object.entries(said.filters).map(([value, label]) => ({ value, label }))}
        />
        <TextField
          label={said.filters[filterType] ?? words.common.search}
          placeholder={said.exactHint}
          type="search"
          value={text}
          onChange={setText}
          search
        />
        <Button type="submit" icon="search">
          {words.common.search}
        </Button>
      </form>
      {pages.error ? (
        <Fault error={pages.error} retry={() => void pages.refetch()} />
      ) : pages.isPending ? (
        <Loading />
      ) : pages.items.length === 0 ? (
        <NoOrganization isSearch={filterValue !== ''} />
      ) : (
        <div className="card overflow-hidden">
          <VirtualList
            label={said.title}
            items={pages.items}
            keyOf={({ organizationId }) => organizationId}
            estimate={66}
            more={hasMore ? more : undefined}
          >
            {({ organizationId, organizationName }) => (
              <div className="border-b border-line px-4 py-2.5">
                <Link
                  to="/organizations/$organizationId"
                  params={{ organizationId }}
                  className="font-medium break-words hover:underline"
                >
                  {organizationName === undefined ? (
                    <span className="text-bad">{said.nameChanged}</span>
                  ) : (
                    <Name text={organizationName} />
                  )}
                </Link>
                <div className="text-quiet">
                  <Code text={organizationId} what={words.common.id} />
                </div>
              </div>
            )}
          </VirtualList>
        </div>
      )}
      {isCreating && <CreateOrganization onClose={() => setCreating(false)} />}
    </>
  );
}

function NoOrganization({ isSearch }: { isSearch: boolean }) {
  const { title, text } = isSearch ? said.notFound : said.empty;
  return <Empty icon={isSearch ? 'search' : 'organizations'} title={title} text={text} />;
}

function CreateOrganization({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [userName, setUserName] = useState('');
  const [userEmail, setUserEmail] = useState('');
  const create = useSubmit('createSubOrganization', { done: said.made, onSent: onClose });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      title={said.create}
      isUnfinished={name.trim() === '' || userName.trim() === ''}
      isBusy={create.isPending}
      onSubmit={() => {
        const user = { userName: userName.trim(), ...(userEmail !== '' && { userEmail: userEmail.trim() }) };
        create.mutate({
          subOrganizationName: name.trim(),
          rootQuorumThreshold: 1,
          rootUsers: [{ ...user, apiKeys: [], authenticators: [], oauthProviders: [] }],
        });
      }}
      onClose={onClose}
    >
      <TextField label={said.name} value={name} onChange={setName} error={errors.subOrganizationName} />
      <TextField label={said.rootUser} value={userName} onChange={setUserName} error={errors['rootUsers.0.userName']} />
      <TextField
        label={said.rootMail}
        type="email"
        value={userEmail}
        onChange={setUserEmail}
        error={errors['rootUsers.0.userEmail'] ?? errors['rootUsers.0']}
      />
    </FormDialog>
  );
}
