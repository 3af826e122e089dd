import { shorten } from '../review/quantity.ts';

/** Ethereum, Bech32 and Base58 addresses, including surrounding parentheses. */
const address = /(\(?(?:0x[0-9a-fA-F]{40}|\b(?:bc|tb)1[a-z0-9]{20,80}|\b[1-9A-HJ-NP-Za-km-z]{32,44})\b\)?)/;

/** An amount and its unit. */
const amount = /(\d[\d,.]* [A-Z][A-Za-z0-9]{0,11}\b)/;

/** A sentence about a transaction. Addresses are smaller and monospaced. `short` is for lists. */
export function Sentence({ text, short = false }: { text: string; short?: boolean }) {
  const look = short ? 'whitespace-nowrap' : 'inline-block max-w-full break-all';
  return text.split(address).map((part, index) => {
    if (index % 2 === 0)
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no id
      return <Amounts key={index} text={part} />;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no id
      <code key={index} className={`font-mono text-[0.62em] font-normal text-quiet ${look}`}>
        {short ? part.replace(/\w+/, shorten) : part}
      </code>
    );
  });
}

/** Keeps an amount and its unit on one line. */
function Amounts({ text }: { text: string }) {
  return text.split(amount).map((part, index) => {
    if (index % 2 === 0) return part;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no id
      <span key={index} className="whitespace-nowrap">
        {part}
      </span>
    );
  });
}
