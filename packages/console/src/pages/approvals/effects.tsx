import type { EffectShape } from '@countersign/contract';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import type { Reading } from '../../review/types.ts';
import { quantity } from '../../review/unusual.ts';
import { useKnowledge } from '../../review/use-check.ts';
import { Code } from '../../ui/copy.tsx';
import { Notice, Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals;
const loud = new Set(['UNKNOWN', 'AUTHORITY', 'REPLAYABLE']);

/** Effects of a signature, decoded in this browser. */
export function Effects({ reading }: { reading: Reading }) {
  return (
    <Section title={texts.effects}>
      <ul className="card divide-y divide-line">
        {reading.displayed.map((effect, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: effects have no id, and their order is significant
          <EffectRow key={index} effect={effect} />
        ))}
      </ul>
      {!reading.fullyParsed && (
        <div className="mt-3">
          <Notice tone="wait" title={texts.unusualWords.notUnderstood}>
            {reading.unparsed.join(' ')}
          </Notice>
        </div>
      )}
    </Section>
  );
}

function EffectRow({ effect }: { effect: EffectShape }) {
  const { kind, amount, unlimited, what, words: described, from, to, owner } = effect;
  const isLoud = loud.has(kind) || unlimited === true;
  const much = unlimited
    ? `${texts.unlimited} ${effect.asset?.symbol ?? effect.asset?.id ?? ''}`
    : amount === undefined
      ? (described ?? what)
      : quantity(effect);
  return (
    <li className="grid gap-1 px-4 py-3 sm:grid-cols-[9.5rem_1fr]">
      <span className={`text-sm ${isLoud ? 'font-semibold text-bad' : 'text-quiet'}`}>{texts.effectWords[kind] ?? kind}</span>
      <div className="min-w-0">
        {much !== undefined && <p className="number text-lg font-semibold break-words">{escapeInvisible(much)}</p>}
        {to !== undefined && <Party label={kind === 'ALLOWANCE' ? texts.spender : texts.to} address={to} />}
        {owner !== undefined && owner !== to && <Party label={texts.to} address={owner} />}
        {from !== undefined && kind !== 'FEE' && <Party label={texts.from} address={from} />}
      </div>
    </li>
  );
}

/** SECURITY: a user entered the label, so always show the full address with it. */
function Party({ label, address }: { label: string; address: string }) {
  const contacts = useKnowledge()?.knowledge.contacts ?? [];
  const contact = contacts.find((each) => each.address.toLowerCase() === address.toLowerCase());
  return (
    <p className="flex flex-wrap items-baseline gap-x-2">
      <span className="w-8 text-sm text-quiet">{label}</span>
      {contact && <span className="font-medium">“{escapeInvisible(contact.label)}”</span>}
      <Code text={address} what={label} />
    </p>
  );
}
