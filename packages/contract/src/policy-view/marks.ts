import { z } from 'zod';

/** What a schema alone does not tell about how policies see a value. */
export interface PolicyMark {
  /**
   * The one spelling that policies compare, where a value has several.
   * `caseless`: upper and lower case mean the same. `p256`: a public key, compressed or not. `address`: of any chain.
   */
  readonly form?: 'caseless' | 'p256' | 'address';
  /**
   * The executor says what the value is, because that depends on the organization. Without its word there is no value, and a policy
   * that names the parameter is in error. The text tells readers of the reference what stands for a value that is left out.
   */
  readonly resolved?: string;
  /**
   * The value names an object, such as a user. Empty text does not stand for "left out", unless the schema documents that default:
   * the executor may well act on some object, and a policy about it must not be passed by naming none.
   */
  readonly identifies?: true;
  /** What policies see if it differs from the request, for the reference. */
  readonly seenAs?: string;
}

/**
 * Marks for the policy view, in a separate registry so that they stay out of JSON Schema and OpenAPI. Two more marks count:
 * `secret` of `secrets.ts` hides a value from policies, and `.meta({ default })` is the documented default.
 */
export const policyMarks = z.registry<PolicyMark>();
