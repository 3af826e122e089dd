import type { ControlAggregationShape, ControlDataSourceShape } from '@countersign/contract';
import type { Dated } from '../records.ts';

/**
 * A spending limit. Policies refer to it as `controls.<identifier>`. Data source and aggregation have the wire format, with assets and
 * numbers in canonical form.
 */
export interface VelocityControlRecord extends Dated {
  readonly name: string;
  readonly identifier: string;
  readonly dataSource: ControlDataSourceShape;
  readonly aggregation: ControlAggregationShape;
  /** How often the control was reset. Buckets of an earlier epoch no longer count. */
  readonly epoch: number;
  /** By which rules it counts: see `modelOf`. Absent for the first rules, of limits that an earlier release created. */
  readonly rules?: 2;
  /** A higher threshold that the root quorum has set until a time. */
  readonly raise?: { readonly threshold: string; readonly untilMs: number };
}
