import type { ListedActivity } from '@countersign/client';
import { backtestOf } from '../../review/about-change.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals;

type ComparedChange = NonNullable<ListedActivity['comparison']>['changes'][number];

/** One change: the object and the field, the value before and the value after. */
function Change({ change: { action, subject, field, before, after, text } }: { change: ComparedChange }) {
  if (action !== 'UPDATE') return <li className="break-words">{escapeInvisible(text)}</li>;
  const name = subject.name ?? subject.id ?? '';
  const kind = subject.kind.toLowerCase().replaceAll('_', ' ');
  return (
    <li aria-label={text} className="grid gap-1">
      <p className="break-words">
        <span className="text-quiet">{kind}</span> <span className="font-medium">“{escapeInvisible(name)}”</span>: {field}
      </p>
      <p className="grid grid-cols-[3.5rem_minmax(0,1fr)] gap-x-2 rounded-md bg-bad-soft px-2 py-1">
        <span className="text-sm text-bad">{texts.before}</span>
        <del className="break-words no-underline">{escapeInvisible(before ?? texts.nothing)}</del>
      </p>
      <p className="grid grid-cols-[3.5rem_minmax(0,1fr)] gap-x-2 rounded-md bg-good-soft px-2 py-1">
        <span className="text-sm text-good">{texts.after}</span>
        <ins className="break-words no-underline">{escapeInvisible(after ?? texts.nothing)}</ins>
      </p>
    </li>
  );
}

/** What a request changes, compared with the state before it. */
export function Changes({ activity }: { activity: ListedActivity }) {
  const { comparison, status } = activity;
  if (comparison === undefined) return null;
  const { changes, omitted, withheld } = comparison;
  const isOpen = status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
  return (
    <Section title={texts.changes} lead={isOpen ? texts.changesLead : texts.changesDecidedLead}>
      <div className="card px-4 py-3">
        {changes.length === 0 && <p className="text-quiet">{withheld ? texts.changesWithheld : texts.changesNothing}</p>}
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {changes.map((change, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two changes can have the same text
            <Change key={index} change={change} />
          ))}
        </ul>
        {backtestOf(activity).map((summary) => (
          <p key={summary} className="mt-3 break-words">
            <span className="text-quiet">{texts.backtest}: </span>
            {escapeInvisible(summary)}
          </p>
        ))}
        {omitted !== undefined && <p className="mt-2 text-quiet">{texts.changesOmitted(omitted)}</p>}
      </div>
    </Section>
  );
}
