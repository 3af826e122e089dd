import { escapeInvisible } from '../review/escape-invisible.ts';
import { Code } from './copy.tsx';

/** Renders any JSON value: names on the left, values on the right, lists in order. */
export function Value({ value, name = '' }: { value: unknown; name?: string }) {
  if (value === null || value === undefined || value === '') return <span className="text-quiet">–</span>;
  if (Array.isArray(value)) {
    if (value.length === 0) return <span className="text-quiet">–</span>;
    return (
      <ol className="grid gap-2">
        {value.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items of a request have no id
          <li key={index} className="border-s-2 border-line ps-3">
            <Value value={item} name={name} />
          </li>
        ))}
      </ol>
    );
  }
  if (typeof value === 'object') {
    return (
      <dl className="grid items-baseline gap-x-5 gap-y-1.5 sm:grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)]">
        {Object.entries(value).map(([key, item]) => (
          <div key={key} className="contents">
            <dt className="text-sm text-quiet">{escapeInvisible(inWords(key))}</dt>
            <dd className="min-w-0">
              <Value value={item} name={key} />
            </dd>
          </div>
        ))}
      </dl>
    );
  }
  const text = String(value);
  return text.length > 24 && !text.includes(' ') ? (
    <Code text={text} what={inWords(name)} />
  ) : (
    <span className="break-words whitespace-pre-wrap">{escapeInvisible(text)}</span>
  );
}

/** `expirationSeconds` as “expiration seconds”. */
const inWords = (key: string) => key.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();

/** Preformatted text with wrapped lines. */
export function RawText({ text }: { text: string }) {
  return <pre className="rounded-lg bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap">{escapeInvisible(text)}</pre>;
}
