import { z } from 'zod';

/** What a schema alone does not tell about how policies see a value. */
export interface PolicyMark {
  /**
   * The one spelling that policies compare, where a value has several.
   * `caseless`: upper and lower case mean the same. `p256`: a public key, compressed or not. `address`: of any chain.
   */
  readonly form?: 'caseless' | 'p256' | 'address';
  /**
   * The executor says what the value is when the request leaves it out, because that depends on the organization. Without its
   * word there is no value, and a policy that names the parameter is in error. The text tells readers of the reference which
   * value that is.
   */
  readonly resolved?: string;
  /** What policies see where that is not what was sent, for readers of the reference. */
  readonly seenAs?: string;
}

/**
 * Marks for the policy view, in a registry of their own so that they stay out of JSON Schema and OpenAPI. Two more marks are
 * ordinary metadata: `secret: true` hides a value from policies, and `default` is the documented default.
 */
export const policyMarks = z.registry<PolicyMark>();
