import { useState } from 'react';
import { words } from '../words/index.ts';
import { CheckField, type Option, TextField } from './field.tsx';

/** Maximum number of unselected items. A search finds the others. */
const OFFERED = 30;
/** Lists of at least this length have a search field. */
const MANY = 12;

/** Multiple selection from a list of any length. Selected items come first. */
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
  // Only initially selected items are on top, so that rows do not move while the user selects.
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
