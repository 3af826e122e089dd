import type { PolicyShape, UserShape } from '@countersign/contract';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Name } from '../../ui/name.tsx';
import { Badge } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import { type Counting, countingPolicies } from './could-count.ts';

const texts = words.people.person;
const MAX_SHOWN = 100;
const order: readonly Counting[] = ['person', 'unknown', 'open'];

interface CountingListProps {
  readonly policies: readonly PolicyShape[];
  readonly person: UserShape;
  /** The required approvals of the root quorum, if the person is a member of it. */
  readonly rootThreshold: number | undefined;
}

/** The root quorum and the policies that could count an approval of a person: first those that depend on who the person is. */
export default function CountingList({ policies, person, rootThreshold }: CountingListProps) {
  const counting = useMemo(() => countingPolicies(policies, person), [policies, person]);
  const found = order.flatMap((how) =>
    policies.filter(({ policyId }) => counting.get(policyId) === how).map((policy) => ({ ...policy, how })),
  );
  return (
    <ul className="card divide-y divide-line">
      {rootThreshold !== undefined && <li className="px-4 py-2.5 font-medium">{texts.root(rootThreshold)}</li>}
      {found.slice(0, MAX_SHOWN).map(({ policyId, policyName, effect, how }) => (
        <li key={policyId} className="flex flex-wrap items-center gap-2 px-4 py-2.5">
          <Link to="/policies/$policyId" params={{ policyId }} className="min-w-0 flex-1 font-medium break-words text-accent">
            <Name text={policyName} />
          </Link>
          <Badge tone={effect === 'EFFECT_DENY' ? 'bad' : 'good'}>{texts.effects[effect] ?? effect}</Badge>
          <span className="text-sm text-quiet">{texts.how[how]}</span>
        </li>
      ))}
      {found.length > MAX_SHOWN && <li className="px-4 py-2.5 text-quiet">{words.common.andMore(found.length - MAX_SHOWN)}</li>}
      {rootThreshold === undefined && found.length === 0 && <li className="px-4 py-2.5 text-quiet">{texts.noPolicy}</li>}
    </ul>
  );
}
