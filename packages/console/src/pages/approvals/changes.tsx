import type { ListedActivity } from '@countersign/client';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals;

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
        <ul className="list-disc ps-5 marker:text-quiet">
          {changes.map(({ text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two changes can have the same text
            <li key={index} className="break-words">
              {escapeInvisible(text)}
            </li>
          ))}
        </ul>
        {omitted !== undefined && <p className="mt-2 text-quiet">{texts.changesOmitted(omitted)}</p>}
      </div>
    </Section>
  );
}
