import type { NamedTag } from '@countersign/policy';
import { useEffect, useState } from 'react';
import { allContacts, allPolicies, useWholeList } from '../../../data/whole-list.ts';
import { escapeInvisible } from '../../../review/escape-invisible.ts';
import { words } from '../../../words/index.ts';
import type { Draft } from '../draft.ts';
import { findWorstCase } from './find-worst-case.ts';

const texts = words.policies.worstCase;

/** Milliseconds without a change before the search starts. */
const PAUSE_MS = 600;

/** What the draft allows at worst, among the other policies. The browser searches, so the service has no work with it. */
export default function WorstCase({
  draft,
  policyId,
  tags,
  disabled,
}: {
  draft: Draft;
  policyId: string | undefined;
  tags: readonly NamedTag[] | undefined;
  disabled: boolean;
}) {
  const policies = useWholeList(allPolicies).data;
  const contacts = useWholeList(allContacts).data;
  const [found, setFound] = useState<string>();
  const { effect, condition, consensus, time } = draft;
  useEffect(() => {
    setFound(undefined);
    if (disabled || policies === undefined || contacts === undefined || tags === undefined) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const given = { effect, condition, consensus, time };
      findWorstCase(given, { policyId, policies, contacts, tags }, stop.signal).then(setFound, () => undefined);
    }, PAUSE_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [effect, condition, consensus, time, policyId, policies, contacts, tags, disabled]);
  if (disabled) return <p className="text-quiet">{texts.invalid}</p>;
  return (
    <p aria-live="polite" className={found === undefined ? 'text-quiet' : 'break-words'}>
      {found === undefined ? texts.searching : escapeInvisible(found)}
    </p>
  );
}
