/** One check: what was checked, whether it is fine, and what to do if not. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly fix?: string;
  /** True when the service can run, but an operator should reconsider something. */
  readonly warning?: true;
}
