import type { ControlAggregationShape, ControlDataSourceShape } from '@countersign/contract';
import type { Dated } from '../records.ts';

/**
 * A limit over time. Policies name it: `controls.<identifier>`. Data source and aggregation have the form of the wire, with assets
 * and numbers in their one spelling.
 */
export interface VelocityControlRecord extends Dated {
  readonly name: string;
  readonly identifier: string;
  readonly dataSource: ControlDataSourceShape;
  readonly aggregation: ControlAggregationShape;
  /** How often the control was reset. Buckets of an earlier epoch no longer count. */
  readonly epoch: number;
  /** Another threshold that the root quorum has set until a time. */
  readonly raise?: { readonly threshold: string; readonly untilMs: number };
}
