import type { ListedActivity } from '@countersign/client';
import { Link } from '@tanstack/react-router';
import { allPolicies, allUsers, useWhole } from '../../data/all.ts';
import { useAsk } from '../../data/ask.ts';
import { visible } from '../../reading/visible.ts';
import { Answer } from '../../ui/fault.tsx';
import { Badge, Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const said = words.approvals;

/** The outcomes of policies that want approvals, or had them. */
const asks = new Set(['OUTCOME_REQUIRES_CONSENSUS', 'OUTCOME_ALLOW']);

/** Which policy holds a request, and whose approval would count. */
export function PolicyAsks({ activity }: { activity: ListedActivity }) {
  const explained = useAsk('explainActivity', { activityId: activity.id });
  const policies = useWhole(allPolicies).data ?? [];
  const people = useWhole(allUsers).data ?? [];
  return (
    <Section title={said.policy}>
      <div className="card grid gap-3 px-4 py-3">
        <Answer query={explained}>
          {({ decisions }) => {
            const last = decisions.at(-1);
            const asked = new Set(last?.evaluations.flatMap(({ policyId, outcome }) => (asks.has(outcome) ? [policyId] : [])));
            const asking = policies.filter(({ policyId }) => asked.has(policyId));
            const counted = people.filter(({ userId }) => last?.mayApprove?.includes(userId));
            return (
              <>
                {asking.length === 0 && (
                  <p className="text-quiet">{last?.by === 'ROOT_QUORUM' ? said.policyRoot : said.policyNone}</p>
                )}
                {asking.map(({ policyId, policyName, consensus }) => (
                  <div key={policyId}>
                    <Link
                      to="/policies/$policyId"
                      params={{ policyId }}
                      className="font-medium text-accent underline underline-offset-2"
                    >
                      {visible(policyName)}
                    </Link>
                    {consensus !== '' && (
                      <code className="mt-1 block font-mono text-sm break-words text-quiet">{visible(consensus)}</code>
                    )}
                  </div>
                ))}
                {counted.length > 0 && (
                  <div>
                    <p className="mb-1 text-sm text-quiet">{said.mayApprove}</p>
                    <p className="flex flex-wrap gap-1.5">
                      {counted.map(({ userId, userName }) => (
                        <Badge key={userId} tone="accent">
                          {visible(userName)}
                        </Badge>
                      ))}
                    </p>
                  </div>
                )}
              </>
            );
          }}
        </Answer>
      </div>
    </Section>
  );
}
