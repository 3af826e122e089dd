import { Link } from '@tanstack/react-router';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import type { ReplacedReading } from '../../review/types.ts';
import { Section } from '../../ui/page.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals.replaces;

/** The transaction that a request speeds up or cancels, with its own highest fee. */
export function Replaces({ replaced: { kind, sentence, activityIds } }: { replaced: ReplacedReading }) {
  return (
    <Section title={texts.title}>
      <div className="card grid gap-2 px-4 py-3">
        <p className="break-words">
          <Sentence text={escapeInvisible(sentence)} />
        </p>
        <p className="text-sm text-quiet">{texts.hints[kind]}</p>
        <p className="text-sm">
          <Link
            to="/activities/$activityId"
            params={{ activityId: activityIds[0] }}
            className="text-accent underline underline-offset-2"
          >
            {texts.open}
          </Link>
        </p>
      </div>
    </Section>
  );
}
