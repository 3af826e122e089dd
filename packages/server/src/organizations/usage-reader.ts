import type { Usage, VelocityControlRecord } from '@countersign/judgement';

/** A control of an organization, by its id. */
export interface HeldControl {
  readonly controlId: string;
  readonly control: VelocityControlRecord;
}

/** A bucket to read the usage of, and its control. */
export interface AskedBucket extends HeldControl {
  readonly bucket: string;
}

/** Reads the usage of controls. Throws STATE_TAMPERED if the stored points contradict the state that this process knows. */
export interface UsageReader {
  /** The usage of each bucket in the window of its control. A bucket without points has used 0 at revision 0. */
  read(organizationId: string, buckets: readonly AskedBucket[], nowMs: number): Promise<ReadonlyMap<string, Usage>>;
  /**
   * The most recently used buckets of a control in its current epoch, newest first. Each has up to ten amounts that free up next, earliest
   * first.
   */
  latest(organizationId: string, control: HeldControl, limit: number, nowMs: number): Promise<readonly Usage[]>;
}
