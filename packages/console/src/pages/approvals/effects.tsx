import type { EffectShape } from '@countersign/contract';
import { Link } from '@tanstack/react-router';
import { dateTimeText } from '../../data/time.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { writerName } from '../../review/person-name.ts';
import { quantity } from '../../review/quantity.ts';
import type { Decoded } from '../../review/read-request.ts';
import type { NameClaim } from '../../review/types.ts';
import { Code } from '../../ui/copy.tsx';
import { Notice, Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals;
const loud = new Set(['UNKNOWN', 'AUTHORITY', 'REPLAYABLE']);

/** Effects of a signature, decoded in this browser. */
export function Effects({ reading, names = [] }: { reading: Decoded; names?: readonly NameClaim[] }) {
  return (
    <Section title={texts.effects}>
      <ul className="card divide-y divide-line">
        {reading.displayed.map((effect, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: effects have no id, and their order is significant
          <EffectRow key={index} effect={effect} names={names} />
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

function EffectRow({ effect, names }: { effect: EffectShape; names: readonly NameClaim[] }) {
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
        {to !== undefined && <Party label={kind === 'ALLOWANCE' ? texts.spender : texts.to} address={to} names={names} />}
        {owner !== undefined && owner !== to && <Party label={texts.to} address={owner} names={names} />}
        {from !== undefined && kind !== 'FEE' && <Party label={texts.from} address={from} names={names} />}
      </div>
    </li>
  );
}

/**
 * SECURITY: a user entered the label, so always show the full address with it, who wrote it and when. A label that the log does not prove is
 * not shown.
 */
function Party({ label, address, names }: { label: string; address: string; names: readonly NameClaim[] }) {
  const contact = names.find(
    (each) => each.kind === 'contact' && each.proof !== undefined && each.address.toLowerCase() === address.toLowerCase(),
  );
  return (
    <div>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="w-8 text-sm text-quiet">{label}</span>
        {contact && <span className="font-medium">“{escapeInvisible(contact.name)}”</span>}
        <Code text={address} what={label} />
      </p>
      {contact?.proof && (
        <p className="ms-10 text-sm text-quiet">
          <Link
            to="/activities/$activityId"
            params={{ activityId: contact.proof.activityId }}
            className="underline underline-offset-2"
          >
            {texts.contactWritten(writerName(contact.proof), dateTimeText(contact.proof.atMs))}
          </Link>
        </p>
      )}
    </div>
  );
}
