import type { BacktestReportShape, PastRangeShape, PastRequestShape, PastStateShape } from '@countersign/contract';
import type { Authorize, PolicyRecord, VelocityControlRecord } from '@countersign/judgement';
import type { Explanation } from '@countersign/policy';
import type { EndSlice } from '../admission/index.ts';
import type { ActivityReader } from '../organizations/activities/activities.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { Resources } from '../organizations/snapshot/resources.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { Store } from '../store/store.ts';

/** The dependencies of backtests. */
export interface BacktestServices {
  readonly store: Pick<Store, 'activities' | 'archive' | 'log' | 'vault'>;
  readonly activities: ActivityReader;
  readonly resources: Resources;
  readonly authorize: Authorize;
  readonly clock: { nowMs(): number };
}

/** The policies of an organization, and the spending limits that they refer to. */
export interface RuleSet {
  readonly policies: ReadonlyMap<string, PolicyRecord>;
  readonly controls: ReadonlyMap<string, VelocityControlRecord>;
}

/** A range of past activities. */
export interface RangeRequest {
  readonly organization: Snapshot;
  readonly range: PastRangeShape;
  /** Maximum number of activities to read. */
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Whose turns the work takes. By default those of the organization. */
  readonly endSlice?: EndSlice | undefined;
}

/** The past activities to replay, and the rules to apply. */
export interface BacktestRequest extends RangeRequest {
  /** The changed rules. */
  readonly rules: RuleSet;
}

/** A changed organization to try a sample of past activities in. */
export interface SampleRequest extends Pick<BacktestRequest, 'organization'> {
  readonly after: Snapshot;
  readonly endSlice: EndSlice;
}

export interface BacktestPart {
  readonly report: BacktestReportShape;
  /** Number of activities in the range. Only in the first part. */
  readonly total?: number;
  readonly next?: string;
}

export interface Backtest {
  /** Replays past activities against changed rules. Read-only. Throws RATE_LIMIT_EXCEEDED if too many backtests are running. */
  run(request: BacktestRequest): Promise<BacktestPart>;
  /**
   * Replays the newest activities in the organization of today and in the changed one. Cheaper than `run`, because no history is read, and
   * bounded in time. Read-only. The caller pays for the work, in slices.
   */
  sample(request: SampleRequest): Promise<BacktestReportShape>;
}

export interface Explanations {
  /**
   * Explanations of the newest decisions on an activity, by the id of the vote. A decision that cannot be made again has none. The caller
   * pays for the work, in slices.
   */
  explain(organization: Snapshot, record: ActivityRecord, endSlice: EndSlice): Promise<ReadonlyMap<string, Explanation>>;
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
