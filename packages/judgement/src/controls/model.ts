import { memoizeByRef } from '@countersign/collections';
import {
  type ActivityDefinition,
  activities,
  activityKind,
  type CalendarUnit,
  type ControlOperator,
} from '@countersign/contract';
import { ONE, parseDecimal } from './decimal.ts';
import type { VelocityControlRecord } from './record.ts';

export type GroupBy = 'organization' | 'user' | 'wallet' | 'destination' | 'contactTag';

export type Window =
  | { readonly kind: 'ROLLING'; readonly durationMs: number }
  | { readonly kind: 'INFINITE' }
  | { readonly kind: 'CALENDAR'; readonly unit: CalendarUnit; readonly timeZone: string };

/** The decimals of an asset, and the rate at which it counts. */
export interface CountedAsset {
  readonly decimals: number;
  readonly rate: bigint;
}

/** How the aggregate of a bucket is compared. Amounts are scaled. */
export interface Comparison {
  readonly operator: ControlOperator;
  readonly threshold: bigint;
}

/** A control in the form that counting needs. */
export interface ControlModel {
  /** The assets by canonical name. Undefined if the control counts activities. */
  readonly assets?: ReadonlyMap<string, CountedAsset>;
  /** The kinds of activity that count. Undefined for all kinds. */
  readonly kinds?: ReadonlySet<string>;
  /**
   * It counts by the second rules: wrapped coins as coins, each signature of a batch, and what is valid on every chain on all of them. A filter
   * has no value for other kinds of signing. The first rules had none of this, and stored limits keep them until they are changed.
   */
  readonly isStrict: boolean;
  /** It has no value for a request that moves an asset that no limit of the same `&&` counts. */
  readonly deniesOthers: boolean;
  readonly method: 'SUM' | 'COUNT' | 'FIRST';
  /** Undefined for FIRST. */
  readonly comparison?: Comparison;
  readonly window: Window;
  readonly groupBy: GroupBy;
}

export const OTHERS_FREE = 'VELOCITY_CONTROL_OTHER_ASSETS_FREE';
export const OTHERS_DENIED = 'VELOCITY_CONTROL_OTHER_ASSETS_DENIED';

const METHOD = 'VELOCITY_CONTROL_AGGREGATION_METHOD_';

/** The model of a record, memoized per record. */
export const modelOf = memoizeByRef((record: VelocityControlRecord): ControlModel => {
  const { dataSource, aggregation } = record;
  const { chainAssetTransfer: transfers, activityExecution } = dataSource;
  const { method, operator, threshold, window, groupBy } = aggregation;
  const filter = (transfers ?? activityExecution)?.filter?.activity ?? [];
  const [group = 'organization'] = Object.keys(groupBy) as GroupBy[];
  return {
    ...(transfers && {
      assets: new Map(
        transfers.definition.map(({ caip19, decimals, rate }) => [
          caip19,
          { decimals: Number(decimals), rate: rate === undefined ? ONE : parseDecimal(rate) },
        ]),
      ),
    }),
    // SECURITY: every version of a type counts. Otherwise an older version would bypass the limit.
    ...(filter.length > 0 && { kinds: new Set(filter.map(({ activityType }) => activityKind(activityType))) }),
    isStrict: record.rules === 2,
    deniesOthers: record.rules === 2 && transfers !== undefined && transfers.otherAssets !== OTHERS_FREE,
    method: method.slice(METHOD.length) as ControlModel['method'],
    ...(operator !== undefined && threshold !== undefined && { comparison: { operator, threshold: parseDecimal(threshold) } }),
    window: windowOf(window),
    groupBy: group,
  };
});

function windowOf({ rolling, calendar }: VelocityControlRecord['aggregation']['window']): Window {
  if (rolling !== undefined) return { kind: 'ROLLING', durationMs: Number(rolling.duration) * 1000 };
  if (calendar !== undefined) return { kind: 'CALENDAR', ...calendar };
  return { kind: 'INFINITE' };
}

/** The kinds of activity that sign. */
export const kindsOfSigning: ReadonlySet<string> = new Set(
  Object.values<ActivityDefinition>(activities)
    .filter(({ policy }) => policy.action === 'SIGN')
    .flatMap(({ versions }) => versions.map(({ type }) => activityKind(type))),
);

const allKinds: ReadonlySet<string> = new Set(
  Object.values<ActivityDefinition>(activities).flatMap(({ versions }) => versions.map(({ type }) => activityKind(type))),
);

/**
 * The kinds of activity in which policies can read a control. Only signatures move assets.
 * SECURITY: an ALLOW that names only a limit on transfers must not allow the export of a wallet.
 */
export function askableKinds(record: VelocityControlRecord): ReadonlySet<string> {
  return modelOf(record).assets === undefined ? allKinds : kindsOfSigning;
}
