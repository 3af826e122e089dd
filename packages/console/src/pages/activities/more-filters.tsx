import { useRef } from 'react';
import { TextField } from '../../ui/field.tsx';
import { Fold } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import { type Filter, isAmount } from './filter.ts';

const texts = words.activities.filters;
const fields = ['since', 'until', 'to', 'asset', 'min', 'max', 'reference'] as const;

const isAmountField = (name: (typeof fields)[number]) => name === 'min' || name === 'max';

/** Filters by time, counterparty, asset, amount and reference. */
export function MoreFilters({ filter, onChange }: { filter: Filter; onChange(filter: Filter): void }) {
  // It stays open when a person empties the field that they type in.
  const isOpen = useRef(false);
  isOpen.current ||= fields.some((name) => filter[name] !== undefined);
  return (
    <Fold title={texts.more} open={isOpen.current}>
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {fields.map((name) => (
          <TextField
            key={name}
            label={texts[name]}
            type={name === 'since' || name === 'until' ? 'date' : 'text'}
            mono={name === 'to'}
            {...(isAmountField(name) && { inputMode: 'decimal' as const })}
            value={filter[name] ?? ''}
            error={isAmountField(name) && filter[name] !== undefined && !isAmount(filter[name]) ? texts.amountForm : undefined}
            onChange={(value) => {
              const { [name]: _, ...rest } = filter;
              onChange(value.trim() === '' ? rest : { ...rest, [name]: value });
            }}
          />
        ))}
      </div>
    </Fold>
  );
}
