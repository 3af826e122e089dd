import type { ControlAggregationShape, ControlDataSourceShape, ControlOperator } from '@countersign/contract';
import type { VelocityControlRecord } from '../controls/record.ts';
import type { ComparedOrganization, Fields } from './change.ts';
import { quoteText } from './shown-text.ts';

const comparisons: Readonly<Record<ControlOperator, string>> = {
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN: 'below',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL: 'at most',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL: 'exactly',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL: 'at least',
  VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN: 'above',
};

const methods: Readonly<Record<ControlAggregationShape['method'], string>> = {
  VELOCITY_CONTROL_AGGREGATION_METHOD_SUM: 'the sum of amounts',
  VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT: 'their number',
  VELOCITY_CONTROL_AGGREGATION_METHOD_FIRST: 'whether it is the first',
};

/** The members of a spending limit in words. */
export const limitFields = {
  name: (name: string): Fields => ({ name: { written: name } }),
  identifier: (identifier: string): Fields => ({ 'name in policies': `controls.${identifier}` }),
  dataSource: sourceFields,
  aggregation: aggregationFields,
  // A reset is shown as what it does.
  epoch: null,
  rules: (rules: unknown): Fields => ({ 'version of its rules': String(rules) }),
  raise: ({ threshold, untilMs }: NonNullable<VelocityControlRecord['raise']>, _: ComparedOrganization): Fields => ({
    'raised to': `${threshold} until ${new Date(untilMs).toISOString()}`,
  }),
};

function sourceFields({ chainAssetTransfer, activityExecution, ...rest }: ControlDataSourceShape): Fields {
  const { definition = [], otherAssets, filter, phase: _, ...unnamed } = chainAssetTransfer ?? {};
  const types = (filter ?? activityExecution?.filter)?.activity ?? [];
  return {
    counts: chainAssetTransfer === undefined ? 'executed activities' : 'transfers of assets',
    'counted asset': definition.map(({ caip19, decimals, rate, ...more }) =>
      [
        quoteText(caip19),
        `${decimals} decimals`,
        ...(rate === undefined ? [] : [`counted as ${rate} each`]),
        ...others(more),
      ].join(', '),
    ),
    'all other assets': otherAssets && (otherAssets.endsWith('_FREE') ? 'free' : 'denied'),
    'counted activity': types.map(({ activityType }) => quoteText(activityType)),
    // A member that has no words yet must not change unseen.
    'other settings': others({ ...rest, ...unnamed }),
  };
}

function aggregationFields({ method, operator, threshold, window, groupBy, ...rest }: ControlAggregationShape): Fields {
  return {
    compares: methods[method],
    limit: operator === undefined || threshold === undefined ? undefined : `${comparisons[operator]} ${threshold}`,
    period: windowWords(window),
    'counted per': Object.keys(groupBy).join(', '),
    'other settings of the count': others(rest),
  };
}

function windowWords({ rolling, infinite, calendar }: ControlAggregationShape['window']): string {
  if (rolling !== undefined) return `the last ${durationWords(Number(rolling.duration))}`;
  if (calendar !== undefined)
    return `the current ${calendar.unit.replace('VELOCITY_CONTROL_CALENDAR_UNIT_', '').toLowerCase()} in ${quoteText(calendar.timeZone)}`;
  return infinite === undefined ? 'not given' : 'all time';
}

function durationWords(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} days`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600} hours`;
  return `${seconds} seconds`;
}

const others = (members: object): readonly string[] =>
  Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${quoteText(JSON.stringify(value))}`],
  );
