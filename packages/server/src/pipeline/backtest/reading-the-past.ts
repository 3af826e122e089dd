import type { BacktestReportShape, PastRangeShape, PastRequestShape, PastStateShape } from '@countersign/contract';
import type { PolicyRecord, VelocityControlRecord } from '@countersign/judgement';
import type { Snapshot } from '../../organizations/snapshot.ts';

/** What judges: the policies of an organization, and the limits over time that they name. */
export interface RuleSet {
  readonly policies: ReadonlyMap<string, PolicyRecord>;
  readonly controls: ReadonlyMap<string, VelocityControlRecord>;
}

/** A part of the past. */
export interface RangeRequest {
  readonly organization: Snapshot;
  readonly range: PastRangeShape;
  /** How many activities to read. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Which past activities to judge again, and under what. */
export interface BacktestRequest extends RangeRequest {
  /** The changed rules. */
  readonly rules: RuleSet;
}

export interface BacktestPart {
  readonly report: BacktestReportShape;
  /** How many activities the range has. Undefined for a part that goes on. */
  readonly total?: number;
  readonly next?: string;
}

export interface Backtest {
  /** Judges a part of the past again. Read-only. Throws RATE_LIMIT_EXCEEDED where too much of this goes on. */
  run(request: BacktestRequest): Promise<BacktestPart>;
}

export interface PastRequestsPart {
  readonly requests: readonly PastRequestShape[];
  readonly states: readonly PastStateShape[];
  readonly unknown: BacktestReportShape['unknown'];
  readonly total?: number;
  readonly next?: string;
}

/** Shows past activities as policies saw them. */
export interface PastRequests {
  list(request: RangeRequest & { readonly activityIds?: readonly string[] | undefined }): Promise<PastRequestsPart>;
}
