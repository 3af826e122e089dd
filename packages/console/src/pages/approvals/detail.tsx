import type { ListedActivity } from '@countersign/client';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import { voterName } from '../../review/person-name.ts';
import type { Check } from '../../review/types.ts';
import { useMessageInLog } from '../../review/use-message-in-log.ts';
import { type Review, useReview } from '../../review/use-review.ts';
import { Code } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Fold, Notice } from '../../ui/page.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { QuotedReference } from '../../ui/reference.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { RawText, Value } from '../../ui/value.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { SigningOutcome } from './broadcast.tsx';
import { Changes } from './changes.tsx';
import { Decide } from './decide.tsx';
import { Effects } from './effects.tsx';
import { Findings } from './findings.tsx';
import { Keys } from './keys.tsx';
import { Replaces } from './replaces.tsx';
import { RequiredApprovals } from './required-approvals.tsx';
import { sentenceFor } from './sentence.ts';
import { StatusBadge } from './status.tsx';
import { Votes } from './votes.tsx';

const texts = words.approvals;

/** One request with all details for a decision. */
export function ApprovalDetail({ activityId }: { activityId: string }) {
  const query = useServiceQuery('getActivity', { activityId });
  return (
    <div className="rise">
      <Link to="/approvals" className="mb-3 inline-flex items-center gap-1 text-quiet hover:text-ink lg:hidden">
        <Icon name="back" size={18} className="rtl:rotate-180" />
        {texts.title}
      </Link>
      <QueryView query={query}>{({ activity }) => <Request activity={activity} />}</QueryView>
    </div>
  );
}

function Request({ activity: listed }: { activity: ListedActivity }) {
  const whole = useMessageInLog(listed);
  const { check, names, review } = useReview(whole.data?.activity);
  return (
    <QueryView query={whole}>
      {(request) => (
        <QueryView query={check}>
          {(found) => <CheckedRequest {...request} check={found} names={names} review={review.data} error={review.error} />}
        </QueryView>
      )}
    </QueryView>
  );
}

interface RequestProps {
  activity: ListedActivity;
  isFromLog: boolean;
  check: Check;
  names: ReturnType<typeof useReview>['names'];
  review: Review | undefined;
  error: Error | null;
}

function CheckedRequest({ activity, isFromLog, check, names, review, error }: RequestProps) {
  const who = voterName(check.people, activity.votes[0]);
  const sentence = sentenceFor(activity, check);
  usePageTitle(sentence);
  const article = useFocusOnOpen();
  return (
    <article ref={article} tabIndex={-1} className="grid grid-cols-[minmax(0,1fr)] gap-5 outline-none">
      <div className="card overflow-hidden">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-5 md:p-7">
          <div>
            <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-quiet">
              <span>{texts.asks(who)}</span>
              <span className="text-sm">
                <When at={activity.createdAt} />
              </span>
              <StatusBadge status={activity.status} />
            </p>
            <h2 className="mt-2 text-[clamp(1.4rem,1.1rem+1.4vw,2rem)] leading-snug font-medium break-words">
              <Sentence text={sentence} />
            </h2>
          </div>
          {'request' in check && check.request.reference !== undefined && (
            <QuotedReference reference={check.request.reference} requester={who} />
          )}
          <Verdict check={check} />
          {isFromLog && check.state !== 'mismatch' && <p className="text-quiet">{texts.fromLog}</p>}
          <SigningOutcome activity={activity} />
          {review && <Findings review={review} />}
          {check.state !== 'mismatch' && <Changes activity={activity} />}
        </div>
        <Decide activity={activity} check={check} review={review} error={error} />
      </div>
      {check.state === 'read' && check.reading.replaces && <Replaces replaced={check.reading.replaces} />}
      {check.state === 'plain' && <Keys keys={check.keys} />}
      {check.state === 'read' && <Effects reading={check.reading} names={check.reading.names} />}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-5 xl:grid-cols-2">
        <Votes activity={activity} people={check.people ?? []} />
        <RequiredApprovals activity={activity} names={names} />
      </div>
      <Stamped activity={activity} isFromLog={isFromLog} check={check} />
    </article>
  );
}

/** Moves the focus to a request when it opens: on phones the list, which had it, disappears. A field or a dialog keeps it. */
function useFocusOnOpen() {
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    if (document.activeElement?.closest('input, select, textarea, [contenteditable=true], [role=dialog]')) return;
    article.current?.focus({ preventScroll: true });
  }, []);
  return article;
}

function Verdict({ check }: { check: Check }) {
  if (check.state === 'mismatch')
    return (
      <Notice tone="bad" role="alert" title={texts.mismatchTitle}>
        {texts.mismatch}
      </Notice>
    );
  if (check.state === 'hidden') return <Notice tone="wait" title={texts.hidden} />;
  if (check.state === 'unread') return <Notice tone="wait" title={texts.unread} />;
  return (
    <p className="inline-flex items-center gap-1.5 text-sm text-good" title={texts.checkedHint}>
      <Icon name="check" size={16} />
      {texts.checked}
    </p>
  );
}

/** Parameters and raw bytes of the first voter’s stamped message. */
function Stamped({ activity, isFromLog, check }: Pick<RequestProps, 'activity' | 'isFromLog' | 'check'>) {
  const message = activity.votes[0]?.message ?? '';
  return (
    <div className="grid gap-2">
      {'request' in check && (
        <Fold title={texts.parameters} open={check.state === 'plain' && (isFromLog || activity.comparison === undefined)}>
          <Value value={check.request.parameters} />
        </Fold>
      )}
      {message !== '' && (
        <Fold title={texts.raw}>
          <p className="mb-2 text-sm text-quiet">{texts.rawHint}</p>
          <RawText text={message} />
          <p className="mt-3 text-sm text-quiet">{texts.fingerprint}</p>
          <Code text={activity.fingerprint} what={texts.fingerprint} />
        </Fold>
      )}
      <p className="mt-1 text-sm">
        <Link
          to="/activities/$activityId"
          params={{ activityId: activity.id }}
          className="text-accent underline underline-offset-2"
        >
          {texts.open}
        </Link>
      </p>
    </div>
  );
}
