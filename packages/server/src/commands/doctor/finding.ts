/** A number with its noun: `1 organization`, `2 organizations`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The result of one check, with a fix if it failed. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly fix?: string;
  /** True when the service can run, but an operator should reconsider something. */
  readonly warning?: true;
}
