import { assetInfo, defaultTokens } from '@countersign/chains';
import type { ControlOperator } from '@countersign/contract';
import type { JudgedOrganization } from '../organization.ts';
import { ONE, showAmount } from './decimal.ts';
import { type ControlModel, type GroupBy, kindsOfSigning, modelOf } from './model.ts';
import type { VelocityControlRecord } from './record.ts';
import { spanOf, unitOf } from './sentences.ts';

const operators: Readonly<Record<ControlOperator, string>> = {
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN: 'Less than',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL: 'At most',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL: 'Exactly',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL: 'At least',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN: 'More than',
};

const groups: Readonly<Record<GroupBy, string>> = {
  organization: 'in the whole organization',
  user: 'for each user',
  wallet: 'for each wallet',
  destination: 'for each receiving address',
  contactTag: 'for each tag of a contact',
};

/** A limit in words: `At most 2 ETH in the last 24 h, in the whole organization. Other assets: denied.` */
export function limitSentence(control: VelocityControlRecord, organization: JudgedOrganization): string {
  const model = modelOf(control);
  return `${countedWords(control, model, organization)} in ${spanOf(model.window)}, ${groups[model.groupBy]}. ${othersWords(model)}`.trim();
}

function countedWords(control: VelocityControlRecord, model: ControlModel, organization: JudgedOrganization): string {
  const { comparison, assets, kinds, method } = model;
  const of = assets === undefined ? [...(kinds ?? [])].join(', ') : [...assets.keys()].map(nameOf).join(', ');
  const thing = assets === undefined ? 'activity' : 'transfer';
  if (comparison === undefined) return `The first ${thing}${of === '' ? '' : ` of ${of}`}`;
  const amount = `${operators[comparison.operator]} ${showAmount(comparison.threshold)}`;
  if (method === 'COUNT') {
    const things = comparison.threshold === ONE ? thing : thing === 'activity' ? 'activities' : 'transfers';
    return `${amount} ${things}${of === '' ? '' : ` of ${of}`}`;
  }
  const unit = unitOf(control, organization);
  return unit === '' ? `${amount} in ${of}, each at its rate,` : `${amount}${unit}`;
}

function nameOf(asset: string): string {
  return assetInfo(asset, defaultTokens)?.symbol ?? asset;
}

/** What the limit says about what it does not count. */
function othersWords({ assets, kinds, isStrict, deniesOthers }: ControlModel): string {
  if (assets === undefined) {
    const signs = [...(kinds ?? [])].some((kind) => kindsOfSigning.has(kind));
    return isStrict && signs ? 'Other kinds of signing: denied.' : '';
  }
  return deniesOthers ? 'Other assets: denied.' : 'Other assets: free.';
}
