import type { Usage, VelocityControlRecord } from '@countersign/judgement';

/** A control of an organization, by its id. */
export interface HeldControl {
  readonly controlId: string;
  readonly control: VelocityControlRecord;
}

/** A bucket whose usage is asked for, and the control that it belongs to. */
export interface AskedBucket extends HeldControl {
  readonly bucket: string;
}

/** Where the usage of controls is read. Throws STATE_TAMPERED where the stored points contradict what this process knows. */
export interface UsageReader {
  /** What each bucket counts at a time, in the window of its control. A bucket that never counted anything has used 0 at revision 0. */
  read(organizationId: string, buckets: readonly AskedBucket[], nowMs: number): Promise<ReadonlyMap<string, Usage>>;
  /**
   * The buckets of a control, in its present epoch, that counted something last, the newest first. With what frees up next, the earliest
   * first, up to ten amounts each.
   */
  latest(organizationId: string, control: HeldControl, limit: number, nowMs: number): Promise<readonly Usage[]>;
}
