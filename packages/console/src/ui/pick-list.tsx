import { useState } from 'react';
import { words } from '../words/index.ts';
import { CheckField, type Option, TextField } from './field.tsx';

/** So many that are not chosen are offered at once. A search finds the others. */
const OFFERED = 30;
/** From this many on there is a field to search with. */
const MANY = 12;

/** Picks any of a list, however long. What is chosen comes first. */
export function PickList({
  label,
  options,
  chosen,
  onChange,
}: {
  label: string;
  options: readonly Option[];
  chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
}) {
  const [text, setText] = useState('');
  // Those that are chosen when the window opens stay on top: a row that moves under the finger is a wrong choice.
  const [first] = useState<ReadonlySet<string>>(new Set(chosen));
  const wanted = text.trim().toLowerCase();
  const fitting = options.filter((option) => option.label.toLowerCase().includes(wanted));
  const onTop = fitting.filter(({ value }) => first.has(value));
  const others = fitting.filter(({ value }) => !first.has(value));
  const isChosen = new Set(chosen);
  const left = others.length - OFFERED;
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      {options.length > MANY && <TextField label={words.common.search} type="search" value={text} onChange={setText} />}
      {[...onTop, ...others.slice(0, OFFERED)].map((option) => (
        <CheckField
          key={option.value}
          label={option.label}
          checked={isChosen.has(option.value)}
          onChange={(isOn) => onChange(isOn ? [...chosen, option.value] : chosen.filter((value) => value !== option.value))}
        />
      ))}
      {left > 0 && <p className="text-sm text-quiet">{words.common.searchForMore(left)}</p>}
      {fitting.length === 0 && <p className="text-sm text-quiet">{words.common.none}</p>}
    </fieldset>
  );
}
