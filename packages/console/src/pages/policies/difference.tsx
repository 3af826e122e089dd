import { escapeInvisible } from '../../review/escape-invisible.ts';
import { Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import { compareTexts, type TextPart } from './compare-texts.ts';
import type { Draft } from './draft.ts';

const texts = words.policies;
const fields = ['policyName', 'effect', 'condition', 'consensus', 'notes'] as const;
const labels = {
  policyName: texts.editor.name,
  effect: texts.editor.effect,
  condition: texts.editor.condition,
  consensus: texts.editor.consensus,
  notes: texts.editor.notes,
} as const;

const shown = (draft: Draft, field: (typeof fields)[number]) =>
  field === 'effect' ? (texts.effects[draft.effect] ?? draft.effect) : draft[field];

/** What a draft changes about the saved policy. */
export function Difference({ saved, draft }: { saved: Draft; draft: Draft }) {
  const changed = fields.filter((field) => saved[field] !== draft[field]);
  return (
    <Section title={texts.difference.title}>
      {changed.length === 0 && <p className="text-quiet">{texts.difference.none}</p>}
      <dl className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {changed.map((field) => (
          <Change key={field} label={labels[field]} parts={compareTexts(shown(saved, field), shown(draft, field))} />
        ))}
      </dl>
    </Section>
  );
}

function Change({ label, parts }: { label: string; parts: readonly TextPart[] }) {
  return (
    <div className="grid gap-1">
      <dt className="text-sm font-medium">{label}</dt>
      <Version label={texts.difference.before} parts={parts} without="after" />
      <Version label={texts.difference.after} parts={parts} without="before" />
    </div>
  );
}

/** One version of a text, with what the other one lacks marked. */
function Version({ label, parts, without }: { label: string; parts: readonly TextPart[]; without: 'before' | 'after' }) {
  const own = parts.filter((each) => each.in !== without);
  const tone = without === 'after' ? 'bg-bad-soft text-bad' : 'bg-good-soft text-good';
  return (
    <dd className="card px-3 py-2">
      <span className="block text-xs text-quiet">{label}</span>
      <code className="font-mono text-sm break-words whitespace-pre-wrap">
        {own.length === 0 && <span className="text-quiet">{texts.difference.nothing}</span>}
        {own.map((each, index) =>
          each.in === 'both' ? (
            escapeInvisible(each.text)
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no id
            <mark key={index} className={`font-semibold ${tone}`}>
              {escapeInvisible(each.text)}
            </mark>
          ),
        )}
      </code>
    </dd>
  );
}
