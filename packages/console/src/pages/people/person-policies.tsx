import { Link } from '@tanstack/react-router';
import { useServiceQuery } from '../../data/service-query.ts';
import { allPolicies, useWholeList } from '../../data/whole-list.ts';
import { Name } from '../../ui/name.tsx';
import { Badge, Section } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';
import type { Person } from './types.ts';

const texts = words.people.person;

type Policy = { readonly condition: string; readonly consensus: string };

/**
 * How a policy concerns a person: it names them, or a tag that they have. Undefined if its consensus names only others, or no one.
 * The texts are compared with ids, which are long enough not to appear by chance.
 */
export function concerns({ condition, consensus }: Policy, { userId, userTags }: Pick<Person, 'userId' | 'userTags'>) {
  const text = `${condition} ${consensus}`;
  if (text.includes(userId)) return 'person' as const;
  return userTags.some((tagId) => text.includes(tagId)) ? ('tag' as const) : undefined;
}

/** Policies that name the person or one of their tags, and whether they belong to the root quorum. */
export function PersonPolicies({ person }: { person: Person }) {
  const query = useWholeList(allPolicies);
  const organization = useServiceQuery('getOrganization', {}).data?.organizationData;
  const isRoot = organization?.rootQuorum.userIds.includes(person.userId) === true;
  return (
    <Section title={texts.mayDo} lead={texts.mayDoLead}>
      <QueryView query={query}>
        {(policies) => {
          const named = policies.flatMap((policy) => {
            const how = concerns(policy, person);
            return how === undefined ? [] : [{ ...policy, how }];
          });
          return (
            <ul className="card divide-y divide-line">
              {isRoot && <li className="px-4 py-2.5 font-medium">{texts.root(organization.rootQuorum.threshold)}</li>}
              {named.map(({ policyId, policyName, effect, how }) => (
                <li key={policyId} className="flex flex-wrap items-center gap-2 px-4 py-2.5">
                  <Link
                    to="/policies/$policyId"
                    params={{ policyId }}
                    className="min-w-0 flex-1 font-medium break-words text-accent"
                  >
                    <Name text={policyName} />
                  </Link>
                  <Badge tone={effect === 'EFFECT_DENY' ? 'bad' : 'good'}>{texts.effects[effect] ?? effect}</Badge>
                  <span className="text-sm text-quiet">{texts.how[how]}</span>
                </li>
              ))}
              {!isRoot && named.length === 0 && <li className="px-4 py-2.5 text-quiet">{texts.noPolicy}</li>}
            </ul>
          );
        }}
      </QueryView>
    </Section>
  );
}
