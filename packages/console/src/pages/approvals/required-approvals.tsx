import type { ListedActivity } from '@countersign/client';
import { Link } from '@tanstack/react-router';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import type { useReview } from '../../review/use-review.ts';
import { Badge, Section } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals;

interface Props {
  activity: ListedActivity;
  names: ReturnType<typeof useReview>['names'];
}

/** Policies that require approval, and the people whose approval counts. */
export function RequiredApprovals({ activity, names }: Props) {
  return (
    <Section title={texts.policy}>
      <div className="card grid gap-3 px-4 py-3">
        <QueryView query={names}>
          {({ policies, approvers, approverCount }) => {
            return (
              <>
                {activity.authorization === undefined
                  ? policies.length === 0 && <p className="text-quiet">{texts.policyNone}</p>
                  : [activity.authorization.demanded, activity.authorization.decided].map(
                      (decision) => decision && <p key={decision.outcome}>{escapeInvisible(decision.text)}</p>,
                    )}
                {policies.map(({ policyId, policyName, consensus }) => (
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
                      {approverCount !== undefined && (
                        <span className="text-quiet">{texts.moreApprovers(approverCount - approvers.length)}</span>
                      )}
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
