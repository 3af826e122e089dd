import { MOST_FEE_LIMIT, MOST_GAS_FEE, MOST_GWEI, MOST_PRIORITY, MOST_RATE } from '../../data/highest-fees.ts';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { words } from '../../words/index.ts';
import { isTooHigh, usualGas, wei } from './chains/ethereum.ts';
import { priorityOf, solanaUnits } from './chains/solana.ts';
import { feeLimitAt } from './chains/tron.ts';
import { type Draft, feeAmount, type Speed, type Suggestion } from './draft.ts';
import { inUnits, type PaidAsset } from './payment.ts';

const texts = words.send;

interface Props {
  draft: Draft;
  asset: PaidAsset;
  suggestions: readonly Suggestion[] | undefined;
  onChange(change: Partial<Draft>): void;
}

/** The network fee on the network of an asset: one that the service suggests, or what the person types. */
export function FeeFields(props: Props) {
  const { id, contract } = props.asset;
  if (id.startsWith('solana:')) return <OneFee {...props} {...solanaFee(props)} />;
  if (id.startsWith('tron:')) return contract === undefined ? null : <OneFee {...props} {...tronFee(props)} />;
  if (id.startsWith('bip122:')) return <BitcoinFields {...props} />;
  return <EthereumFeeFields {...props} />;
}

/** A fee that is one number: its value for each suggestion, the most that the console takes, and how it is written. */
interface Scale {
  readonly label: string;
  readonly unit: string;
  readonly decimals: number;
  readonly most: bigint;
  priceIn(suggestion: Suggestion): bigint | undefined;
}

const solanaFee = ({ draft, asset }: Props): Scale => ({
  ...{ label: texts.priority, unit: 'SOL', decimals: 9, most: MOST_PRIORITY },
  priceIn: ({ computeUnitPrice: unitPrice }) =>
    unitPrice === undefined ? undefined : priorityOf({ unitPrice, units: solanaUnits(draft, asset) }),
});

const tronFee = (_: Props): Scale => ({
  ...{ label: texts.feeLimit, unit: 'TRX', decimals: 6, most: MOST_FEE_LIMIT },
  priceIn: ({ energyPrice }) => (energyPrice === undefined ? undefined : feeLimitAt(energyPrice)),
});

const bitcoinFee: Scale = {
  ...{ label: texts.rate, unit: texts.rateUnit, decimals: 3, most: MOST_RATE },
  priceIn: ({ satoshisPerKilobyte }) => (satoshisPerKilobyte === undefined ? undefined : BigInt(satoshisPerKilobyte)),
};

function OneFee({ draft, suggestions, onChange, label, unit, decimals, most, priceIn }: Props & Scale) {
  const offered = (suggestions ?? []).flatMap((suggestion) => {
    const value = priceIn(suggestion);
    return value === undefined ? [] : [{ speed: suggestion.speed, value }];
  });
  // Some chains have one price: equal suggestions are one.
  const distinct = offered.filter(
    ({ speed, value }) => speed === 'NORMAL' || offered.every((each) => each.speed === speed || each.value !== value),
  );
  const chosen = offered.find(({ speed }) => speed === draft.speed)?.value;
  const value = chosen ?? feeAmount(draft.ownFee, decimals);
  const written = (amount: bigint) => `${inUnits(amount, { decimals })} ${unit}`;
  const error = value !== undefined && value > most ? texts.feeAbove(written(most)) : undefined;
  return (
    <>
      {offered.length > 0 && (
        <SelectField
          label={label}
          value={draft.speed}
          onChange={(speed) => onChange({ speed: speed as Speed })}
          error={chosen === undefined ? undefined : error}
          options={[
            ...distinct.map((each) => ({ value: each.speed, label: `${texts.speeds[each.speed]} · ${written(each.value)}` })),
            { value: 'OWN', label: texts.speeds.OWN },
          ]}
        />
      )}
      {chosen === undefined && (
        <TextField
          label={texts.inUnit(label, unit)}
          inputMode="decimal"
          value={draft.ownFee}
          onChange={(ownFee) => onChange({ ownFee })}
          error={error}
        />
      )}
    </>
  );
}

/** The coins that a payment may spend, and its fee. Nodes cannot list the coins of an address. */
function BitcoinFields(props: Props) {
  return (
    <>
      <TextArea
        label={texts.coins}
        hint={texts.coinsHint}
        mono
        rows={3}
        value={props.draft.coins}
        onChange={(coins) => props.onChange({ coins })}
      />
      <OneFee {...props} {...bitcoinFee} />
    </>
  );
}

/** The fee on an EVM chain. */
export function EthereumFeeFields({ draft, asset, suggestions, onChange }: Props) {
  const offered = (suggestions ?? []).flatMap(({ speed, maxFeePerGas }) =>
    maxFeePerGas === undefined ? [] : [{ value: speed as Speed, label: labelOf(speed, maxFeePerGas) }],
  );
  const chosen = suggestions?.find(({ speed }) => speed === draft.speed)?.maxFeePerGas;
  const most = chosen === undefined ? wei(draft.maxFee) : BigInt(chosen);
  const error = most !== undefined && isTooHigh(most) ? texts.feeTooHigh(`${MOST_GWEI}`) : undefined;
  const gas = chosen === undefined && /^\d{1,8}$/.test(draft.gasLimit.trim()) ? BigInt(draft.gasLimit.trim()) : 0n;
  const isTooMuch = error === undefined && gas * (most ?? 0n) > MOST_GAS_FEE;
  const gasError = isTooMuch ? texts.gasFeeTooHigh(inUnits(MOST_GAS_FEE, { decimals: 18 })) : undefined;
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
            error={gasError}
          />
        </div>
      )}
    </>
  );
}

const labelOf = (speed: Exclude<Speed, 'OWN'>, maxFeePerGas: string) =>
  `${texts.speeds[speed]} · ${inUnits(BigInt(maxFeePerGas), { decimals: 9 })} gwei`;
