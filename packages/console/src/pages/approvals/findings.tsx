import { Link } from '@tanstack/react-router';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import type { Finding } from '../../review/finding.ts';
import type { LookAlike } from '../../review/look-alike.ts';
import type { Review } from '../../review/use-review.ts';
import { Notice } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals;

/** All findings of a review: warnings first. */
export function Findings({ review: { check, findings, risk, compared } }: { review: Review }) {
  if (check.state === 'mismatch') return null;
  if (findings.length === 0) {
    if (check.state !== 'read') return null;
    return (
      <Notice tone="good" title={texts.usual}>
        {texts.usualText(compared)}
      </Notice>
    );
  }
  const sorted = findings.toSorted((a, b) => Number(b.risk === 'high') - Number(a.risk === 'high'));
  return (
    <Notice tone={risk === 'high' ? 'bad' : 'wait'} title={texts.unusual}>
      <FindingList findings={sorted} />
    </Notice>
  );
}

export function FindingList({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul className="grid list-disc grid-cols-[minmax(0,1fr)] gap-1.5 ps-5 marker:text-quiet">
      {findings.map(({ text, risk, activityId, lookAlike }) => (
        <li key={text} className="break-words">
          <span className={risk === 'high' ? 'font-medium text-bad' : ''}>{escapeInvisible(text)}</span>
          {activityId !== undefined && (
            <>
              {' '}
              <Link to="/activities/$activityId" params={{ activityId }} className="text-accent underline underline-offset-2">
                {words.common.view}
              </Link>
            </>
          )}
          {lookAlike && <Alike pair={lookAlike} />}
        </li>
      ))}
    </ul>
  );
}

/** Both addresses whole, with the characters between the shared start and end marked. */
function Alike({ pair: { given, known, head, tail } }: { pair: LookAlike }) {
  return (
    <span className="mt-1 grid gap-0.5">
      {[given, known].map((address) => (
        <code key={address} className="font-mono text-sm break-all">
          {address.slice(0, head)}
          <mark className="bg-bad-soft font-semibold text-bad">{address.slice(head, address.length - tail)}</mark>
          {address.slice(address.length - tail)}
        </code>
      ))}
    </span>
  );
}
