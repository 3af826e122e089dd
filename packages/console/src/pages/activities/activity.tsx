import type { ListedActivity } from '@countersign/client';
import { isSignature } from '@countersign/contract';
import { Link, useParams } from '@tanstack/react-router';
import { chainOf } from '../../data/explorer-link.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { dateTimeText, toMs } from '../../data/time.ts';
import { typeLabel } from '../../review/type-label.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { Code } from '../../ui/copy.tsx';
import { Name } from '../../ui/name.tsx';
import { Facts, Fold, Notice, Section } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { TransactionHash } from '../../ui/transaction-hash.tsx';
import { Value } from '../../ui/value.tsx';
import { words } from '../../words/index.ts';
import { SigningOutcome } from '../approvals/broadcast.tsx';
import { Changes } from '../approvals/changes.tsx';
import { StatusBadge } from '../approvals/status.tsx';
import { Votes } from '../approvals/votes.tsx';
import { Explanation } from './explanation.tsx';
import { Proof } from './proof.tsx';

const texts = words.activities;

/** One activity: request, result, decision and log proof. */
export function ActivityPage() {
  const { activityId = '' } = useParams({ strict: false });
  const query = useServiceQuery('getActivity', { activityId });
  return (
    <>
      <BackLink to="/activities" title={texts.title} />
      <QueryView query={query}>{({ activity }) => <Details activity={activity} />}</QueryView>
    </>
  );
}

function Details({ activity }: { activity: ListedActivity }) {
  const [intent] = Object.values(activity.intent);
  const [result] = Object.values(activity.result);
  const isWaiting = activity.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
  return (
    <>
      <PageHead
        title={typeLabel(activity.type).replace(/^./, (first) => first.toUpperCase())}
        lead={activity.parsed && <Name text={activity.parsed.description} />}
      />
      {isWaiting && (
        <div className="mb-6">
          <Notice tone="wait" title={words.approvals.decisionLine[activity.status] ?? ''}>
            <Link
              to="/approvals/$activityId"
              params={{ activityId: activity.id }}
              className="font-medium text-accent underline underline-offset-2"
            >
              {words.common.view}
            </Link>
          </Notice>
        </div>
      )}
      {isSignature(activity.type) ? (
        <div className="mb-6 empty:hidden">
          <SigningOutcome activity={activity} />
        </div>
      ) : (
        activity.failure && (
          <div className="mb-6">
            <Notice tone="bad" title={texts.failure}>
              <Name text={activity.failure.message} />
            </Notice>
          </div>
        )
      )}
      <div className="card mb-6 px-5 py-4">
        <Facts
          facts={[
            [texts.status, <StatusBadge key="status" status={activity.status} />],
            ...(activity.reference === undefined
              ? []
              : ([[words.references.label, <Name key="reference" text={activity.reference} />]] as const)),
            [words.common.created, dateTimeText(toMs(activity.createdAt))],
            ...(activity.transactionHash === undefined
              ? []
              : ([
                  [
                    words.approvals.transactionHash,
                    <TransactionHash key="hash" hash={activity.transactionHash} chain={chainOf(activity)} />,
                  ],
                ] as const)),
            [words.common.id, <Code key="id" text={activity.id} what={words.common.id} />],
            [
              words.approvals.fingerprint,
              <Code key="fingerprint" text={activity.fingerprint} what={words.approvals.fingerprint} />,
            ],
          ]}
        />
      </div>
      <div className="mb-8 grid gap-2">
        <Fold title={texts.request} open>
          <Value value={intent} />
        </Fold>
        {result !== undefined && (
          <Fold title={texts.result} open>
            <Value value={result} />
          </Fold>
        )}
      </div>
      <Changes activity={activity} />
      <Votes activity={activity} />
      <Section title={texts.explanation} lead={texts.explanationLead}>
        <Explanation activity={activity} />
      </Section>
      <Proof activity={activity} />
    </>
  );
}
