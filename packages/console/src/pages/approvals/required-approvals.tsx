import type { ListedActivity } from '@countersign/client';
import { Link } from '@tanstack/react-router';
import { useServiceQuery } from '../../data/service-query.ts';
import { allPolicies, allUsers, useWholeList } from '../../data/whole-list.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { Badge, Section } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals;

/** Outcomes of policies that require approvals or have them. */
const requiringOutcomes = new Set(['OUTCOME_REQUIRES_CONSENSUS', 'OUTCOME_ALLOW']);

/** Policies that require approval, and the people whose approval counts. */
export function RequiredApprovals({ activity }: { activity: ListedActivity }) {
  const explained = useServiceQuery('explainActivity', { activityId: activity.id });
  const policies = useWholeList(allPolicies).data ?? [];
  const people = useWholeList(allUsers).data ?? [];
  return (
    <Section title={texts.policy}>
      <div className="card grid gap-3 px-4 py-3">
        <QueryView query={explained}>
          {({ decisions }) => {
            const last = decisions.at(-1);
            const policyIds = new Set(
              last?.evaluations.flatMap(({ policyId, outcome }) => (requiringOutcomes.has(outcome) ? [policyId] : [])),
            );
            const requiring = policies.filter(({ policyId }) => policyIds.has(policyId));
            const approvers = people.filter(({ userId }) => last?.mayApprove?.includes(userId));
            return (
              <>
                {activity.authorization === undefined
                  ? requiring.length === 0 && <p className="text-quiet">{texts.policyNone}</p>
                  : [activity.authorization.demanded, activity.authorization.decided].map(
                      (decision) => decision && <p key={decision.outcome}>{escapeInvisible(decision.text)}</p>,
                    )}
                {requiring.map(({ policyId, policyName, consensus }) => (
                  <div key={policyId}>
                    <Link
                      to="/policies/$policyId"
                      params={{ policyId }}
                      className="font-medium text-accent underline underline-offset-2"
                    >
                      {escapeInvisible(policyName)}
                    </Link>
                    {consensus !== '' && (
                      <code className="mt-1 block font-mono text-sm break-words text-quiet">{escapeInvisible(consensus)}</code>
                    )}
                  </div>
                ))}
                {approvers.length > 0 && (
                  <div>
                    <p className="mb-1 text-sm text-quiet">{texts.mayApprove}</p>
                    <p className="flex flex-wrap gap-1.5">
                      {approvers.map(({ userId, userName }) => (
                        <Badge key={userId} tone="accent">
                          {escapeInvisible(userName)}
                        </Badge>
                      ))}
                    </p>
                  </div>
                )}
              </>
            );
          }}
        </QueryView>
      </div>
    </Section>
  );
}
