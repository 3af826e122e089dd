import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages } from '../../data/service-query.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Empty, Loading } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { words } from '../../words/index.ts';
import { CreateOrganization } from './create-organization.tsx';

const texts = words.organizations;
type Filter = 'NAME' | 'USERNAME' | 'EMAIL' | 'PUBLIC_KEY' | 'CREDENTIAL_ID';

/** Sub-organizations, with paging and search by the service. */
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
      <PageHead title={texts.title} lead={texts.lead}>
        <ActionButton submits="createSubOrganization" look="solid" icon="plus" onClick={() => setCreating(true)}>
          {texts.create}
        </ActionButton>
      </PageHead>
      <form
        className="mb-4 grid items-end gap-3 sm:grid-cols-[12rem_1fr_auto]"
        onSubmit={(event) => {
          event.preventDefault();
          setFilterValue(text.trim());
        }}
      >
        <SelectField
          label={texts.search}
          value={filterType}
          onChange={(value) => setFilterType(value as Filter)}
          options={Object.entries(texts.filters).map(([value, label]) => ({ value, label }))}
        />
        <TextField
          label={texts.filters[filterType] ?? words.common.search}
          placeholder={texts.exactHint}
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
        <ErrorMessage error={pages.error} retry={() => void pages.refetch()} />
      ) : pages.isPending ? (
        <Loading />
      ) : pages.items.length === 0 ? (
        <NoOrganization isSearch={filterValue !== ''} />
      ) : (
        <div className="card overflow-hidden">
          <VirtualList
            label={texts.title}
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
                    <span className="text-bad">{texts.nameChanged}</span>
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
  const { title, text } = isSearch ? texts.notFound : texts.empty;
  return <Empty icon={isSearch ? 'search' : 'organizations'} title={title} text={text} />;
}
