import type { ListedActivity } from '@countersign/client';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { toMs } from '../data/time.ts';
import { sentenceFor } from '../pages/approvals/sentence.ts';
import type { Person } from '../review/person.ts';
import { voterName } from '../review/person-name.ts';
import { type ListNames, useListNames } from '../review/use-names.ts';
import { usePastSignatures, useReview } from '../review/use-review.ts';
import { useSession } from '../session/context.tsx';
import { type KeptRequest, keepInbox, MOST_REQUESTS } from './kept-inbox.ts';

const PAUSE_MS = 500;

/** Keeps the pending requests of this person for times without a network, as they are now. */
export function KeepRequests({ activities: all }: { activities: readonly ListedActivity[] }) {
  const activities = useMemo(() => all.slice(0, MOST_REQUESTS), [all]);
  const session = useSession();
  const names = useListNames(activities, usePastSignatures().activities);
  const [read, setRead] = useState<Readonly<Record<string, KeptRequest>>>({});
  const onRead = useCallback((request: KeptRequest) => setRead((before) => ({ ...before, [request.id]: request })), []);
  useEffect(() => {
    const requests = activities.map((activity) => read[activity.id] ?? summaryOf(activity, sentenceFor(activity, undefined)));
    // Without storage, nothing is kept.
    const timer = setTimeout(() => void keepInbox(session, requests).catch(() => undefined), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [session, activities, read]);
  return activities.map((activity) => <ReadRequest key={activity.id} activity={activity} names={names} onRead={onRead} />);
}

function summaryOf(
  { id, votes, createdAt }: ListedActivity,
  sentence: string,
  people: readonly Person[] = [],
  risk?: KeptRequest['risk'],
): KeptRequest {
  return { id, sentence, who: voterName(people, votes[0]), createdAtMs: toMs(createdAt), risk };
}

interface ReadRequestProps {
  activity: ListedActivity;
  names: ListNames;
  onRead(request: KeptRequest): void;
}

/** Reads a request as the inbox does. The results of its checks are shared with the inbox. */
function ReadRequest({ activity, names, onRead }: ReadRequestProps) {
  const { check, review } = useReview(activity, names);
  const sentence = sentenceFor(activity, check.data);
  const risk = check.data?.state === 'mismatch' ? 'high' : review.data?.risk;
  const people = check.data?.people;
  useEffect(() => onRead(summaryOf(activity, sentence, people, risk)), [activity, sentence, people, risk, onRead]);
  return null;
}
