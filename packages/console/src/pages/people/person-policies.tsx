import { lazy, Suspense } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import { allPolicies, useWholeList } from '../../data/whole-list.ts';
import { Loading, Section } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';
import type { Person } from './types.ts';

const CountingList = lazy(async () => {
  await import('../policies/editor/no-jit.ts');
  return import('./counting-list.tsx');
});

const texts = words.people.person;

/** Policies that could count an approval of the person, and whether they belong to the root quorum. */
export function PersonPolicies({ person }: { person: Person }) {
  const query = useWholeList(allPolicies);
  const rootQuorum = useServiceQuery('getOrganization', {}).data?.organizationData.rootQuorum;
  const rootThreshold = rootQuorum?.userIds.includes(person.userId) === true ? rootQuorum.threshold : undefined;
  return (
    <Section title={texts.mayDo} lead={texts.mayDoLead}>
      <QueryView query={query}>
        {(policies) => (
          <Suspense fallback={<Loading />}>
            <CountingList policies={policies} person={person} rootThreshold={rootThreshold} />
          </Suspense>
        )}
      </QueryView>
    </Section>
  );
}
