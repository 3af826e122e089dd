import type { OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import { SelectField, TextField } from '../../ui/field.tsx';
import { words } from '../../words/index.ts';
import { type Draft, isTooHigh, MOST_GWEI, type Speed, usualGas, wei } from './draft.ts';
import { inUnits, type PaidAsset } from './ethereum-payment.ts';

const texts = words.send;

interface Props {
  draft: Draft;
  asset: PaidAsset;
  suggestions: OutputOf<Queries['getFeeSuggestion']>['suggestions'] | undefined;
  onChange(change: Partial<Draft>): void;
}

/** The network fee: one that the service suggests, or what the person types. */
export function FeeFields({ draft, asset, suggestions, onChange }: Props) {
  const offered = (suggestions ?? []).flatMap(({ speed, maxFeePerGas }) =>
    maxFeePerGas === undefined ? [] : [{ value: speed as Speed, label: labelOf(speed, maxFeePerGas) }],
  );
  const chosen = suggestions?.find(({ speed }) => speed === draft.speed)?.maxFeePerGas;
  const most = chosen === undefined ? wei(draft.maxFee) : BigInt(chosen);
  const error = most !== undefined && isTooHigh(most) ? texts.feeTooHigh(`${MOST_GWEI}`) : undefined;
  return (
    <>
      {offered.length > 0 && (
        <SelectField
          label={texts.fee}
          value={draft.speed}
          onChange={(speed) => onChange({ speed: speed as Speed })}
          error={chosen === undefined ? undefined : error}
          options={[...offered, { value: 'OWN', label: texts.speeds.OWN }]}
        />
      )}
      {chosen === undefined && (
        <div className="grid gap-4 sm:grid-cols-3">
          <TextField
            label={texts.maxFee}
            inputMode="decimal"
            value={draft.maxFee}
            onChange={(maxFee) => onChange({ maxFee })}
            error={error}
          />
          <TextField
            label={texts.priorityFee}
            inputMode="decimal"
            value={draft.priorityFee}
            onChange={(priorityFee) => onChange({ priorityFee })}
          />
          <TextField
            label={texts.gasLimit}
            inputMode="numeric"
            placeholder={usualGas(asset)}
            value={draft.gasLimit}
            onChange={(gasLimit) => onChange({ gasLimit })}
          />
        </div>
      )}
    </>
  );
}

const labelOf = (speed: Exclude<Speed, 'OWN'>, maxFeePerGas: string) =>
  `${texts.speeds[speed]} · ${inUnits(BigInt(maxFeePerGas), { decimals: 9 })} gwei`;
