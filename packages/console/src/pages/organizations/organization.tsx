import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages, useServiceQuery } from '../../data/service-query.ts';
import { allUsers, allWallets, useWholeList } from '../../data/whole-list.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { Code } from '../../ui/copy.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Empty, Loading } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { ErrorMessage, QueryView } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { ActivityLine } from '../activities/activity-row.tsx';

const texts = words.organizations;

/** Read-only view of a sub-organization for its parent: people, wallets and activities. */
export function OrganizationPage() {
  const { organizationId = '' } = useParams({ strict: false });
  const query = useServiceQuery('getOrganization', { organizationId });
  const [tab, setTab] = useState('people');
  return (
    <>
      <BackLink to="/organizations" title={texts.title} />
      <QueryView query={query}>
        {({ organizationData: { name, rootQuorum } }) => (
          <>
            <PageHead title={name} lead={<Code text={organizationId} what={words.common.id} />} />
            <p className="mb-4 text-sm text-quiet">{texts.readOnly}</p>
            <div className="max-w-md">
              <Tabs
                label={name}
                value={tab}
                onChange={setTab}
                tabs={Object.entries(texts.tabs).map(([value, label]) => ({ value, label }))}
              />
            </div>
            {tab === 'people' && <People organizationId={organizationId} rootIds={rootQuorum.userIds} />}
            {tab === 'wallets' && <Wallets organizationId={organizationId} />}
            {tab === 'activities' && <Activities organizationId={organizationId} />}
          </>
        )}
      </QueryView>
    </>
  );
}

function People({ organizationId, rootIds }: { organizationId: string; rootIds: readonly string[] }) {
  return (
    <QueryView query={useWholeList(allUsers, organizationId)}>
      {(users) => (
        <div className="card overflow-hidden">
          <VirtualList label={texts.tabs.people} items={users} keyOf={({ userId }) => userId} estimate={62}>
            {({ userId, userName, userEmail }) => (
              <div className="border-b border-line px-4 py-2.5">
                <span className="flex flex-wrap items-center gap-2 font-medium break-words">
                  <Name text={userName} />
                  {rootIds.includes(userId) && <Badge tone="wait">{words.people.root}</Badge>}
                </span>
                {userEmail !== undefined && (
                  <span className="text-sm text-quiet">
                    <Name text={userEmail} />
                  </span>
                )}
              </div>
            )}
          </VirtualList>
        </div>
      )}
    </QueryView>
  );
}

function Wallets({ organizationId }: { organizationId: string }) {
  return (
    <QueryView query={useWholeList(allWallets, organizationId)}>
      {(wallets) =>
        wallets.length === 0 ? (
          <Empty icon="wallets" title={texts.noWallets.title} text={texts.noWallets.text} />
        ) : (
          <div className="card overflow-hidden">
            <VirtualList label={texts.tabs.wallets} items={wallets} keyOf={({ walletId }) => walletId} estimate={62}>
              {({ walletId, walletName, createdAt }) => (
                <div className="border-b border-line px-4 py-2.5">
                  <span className="flex flex-wrap items-baseline gap-x-3 font-medium break-words">
                    <Name text={walletName} />
                    <span className="text-sm font-normal text-quiet">
                      {words.common.created} <When at={createdAt} />
                    </span>
                  </span>
                  <Code text={walletId} what={words.common.id} />
                </div>
              )}
            </VirtualList>
          </div>
        )
      }
    </QueryView>
  );
}

function Activities({ organizationId }: { organizationId: string }) {
  const pages = usePages(
    'listActivities',
    { organizationId },
    (page) => page.activities,
    ({ id }) => id,
  );
  const { items, hasMore, isFetchingNextPage, fetchNextPage } = pages;
  if (pages.error) return <ErrorMessage error={pages.error} retry={() => void pages.refetch()} />;
  if (pages.isPending) return <Loading />;
  if (items.length === 0) return <Empty icon="activities" title={texts.noActivities.title} text={texts.noActivities.text} />;
  const more = () => {
    if (!isFetchingNextPage) void fetchNextPage();
  };
  return (
    <div className="card overflow-hidden">
      <VirtualList
        label={texts.tabs.activities}
        items={items}
        keyOf={({ id }) => id}
        estimate={64}
        more={hasMore ? more : undefined}
      >
        {(activity) => (
          <div className="flex items-center gap-3 border-b border-line px-4 py-2.5">
            <ActivityLine activity={activity} />
          </div>
        )}
      </VirtualList>
    </div>
  );
}
