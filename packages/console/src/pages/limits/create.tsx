import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { words } from '../../words/index.ts';

const texts = words.limits;
const USDC = 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

/** Creates a limit on the sum of transfers of one asset. */
export function CreateLimit({ onClose }: { onClose(): void }) {
  const tokens = useServiceQuery('listTokens', {}).data?.tokens ?? [];
  const [name, setName] = useState('');
  const [identifier, setIdentifier] = useState('');
  const [asset, setAsset] = useState(USDC);
  const [threshold, setThreshold] = useState('');
  const [span, setSpan] = useState('VELOCITY_CONTROL_CALENDAR_UNIT_DAY');
  const [group, setGroup] = useState('organization');
  const [otherAssets, setOtherAssets] = useState<string>('VELOCITY_CONTROL_OTHER_ASSETS_DENIED');
  const create = useSubmit('createVelocityControl', { done: texts.made, onSent: onClose });
  const errors = fieldErrors(create.error);
  const decimals = decimalsIn(tokens, asset) ?? 18;
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const window =
    span === 'rolling'
      ? { rolling: { duration: '86400' } }
      : { calendar: { unit: span as 'VELOCITY_CONTROL_CALENDAR_UNIT_DAY', timeZone } };
  return (
    <FormDialog
      title={texts.create}
      isUnfinished={name.trim() === '' || identifier.trim() === '' || threshold.trim() === ''}
      isBusy={create.isPending}
      onSubmit={() =>
        create.mutate({
          name: name.trim(),
          identifier: identifier.trim(),
          dataSource: {
            chainAssetTransfer: {
              definition: [{ caip19: asset.trim(), decimals: String(decimals) }],
              otherAssets: otherAssets as 'VELOCITY_CONTROL_OTHER_ASSETS_DENIED',
            },
          },
          aggregation: {
            method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
            operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
            threshold: threshold.replaceAll(',', '').trim(),
            window,
            groupBy: { [group]: {} },
          },
        })
      }
      onClose={onClose}
    >
      <TextField label={words.common.name} value={name} onChange={setName} error={errors.name} />
      <TextField
        label={texts.identifier}
        mono
        hint={texts.identifierHint(identifier || 'daily_usdc')}
        value={identifier}
        onChange={setIdentifier}
        error={errors.identifier}
      />
      <TextField
        label={texts.asset}
        mono
        value={asset}
        onChange={setAsset}
        error={errors['dataSource.chainAssetTransfer.definition.0.caip19']}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label={texts.threshold}
          inputMode="decimal"
          value={threshold}
          onChange={setThreshold}
          error={errors['aggregation.threshold']}
        />
        <SelectField
          label={texts.window}
          value={span}
          onChange={setSpan}
          options={Object.entries(texts.windows).map(([value, label]) => ({ value, label }))}
        />
        <SelectField
          label={texts.per}
          value={group}
          onChange={setGroup}
          options={Object.entries(texts.groups).map(([value, label]) => ({ value, label }))}
        />
      </div>
      <SelectField
        label={texts.otherAssets}
        value={otherAssets}
        onChange={setOtherAssets}
        options={Object.entries(texts.otherAssetsChoices).map(([value, label]) => ({ value, label }))}
      />
    </FormDialog>
  );
}

/** SECURITY: D455: the built-in list goes before the entries of the organization. */
function decimalsIn(tokens: readonly { asset: string; source: string; decimals: number }[], asset: string): number | undefined {
  const listed = tokens.filter((token) => token.asset === asset);
  return (listed.find(({ source }) => source === 'DEFAULT') ?? listed[0])?.decimals;
}
