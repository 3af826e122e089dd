import { z } from 'zod';
import { label } from './primitives.ts';

/** What to do with a request whose address is unknown. */
export const onEvaluationError = z.enum(['ALLOW', 'DENY'], 'must be ALLOW or DENY').meta({ id: 'OnEvaluationError' });

/** An API key, by its public key. */
export const governedKey = z
  .string()
  .regex(/^[0-9a-fA-F]{64,66}$/, 'must be the public key of an API key in hexadecimal')
  .describe('The public key of the API key that the list is for. If omitted, the list is for the organization');

/** A block of addresses to allow. */
export const ipAllowlistRuleParams = z
  .strictObject({
    cidr: z
      .string()
      .min(1, 'must not be empty')
      .max(64, 'must have at most 64 characters')
      .describe(
        'A block of IPv4 or IPv6 addresses, for example 192.0.2.0/24 or 2001:db8::/32. Bits after the prefix must be zero',
      ),
    label: label.optional().describe('A label for people'),
  })
  .meta({ id: 'IpAllowlistIntentRule' });

/** A block of addresses to allow. */
export type IpAllowlistRuleParams = z.output<typeof ipAllowlistRuleParams>;

/** An IP allowlist as queries show it. */
export const ipAllowlist = z
  .object({
    organizationId: z.string(),
    rules: z.array(
      z
        .object({
          cidr: z.string(),
          label: z.string().optional(),
          createdAt: z.string().describe('Milliseconds since the Unix epoch'),
        })
        .meta({ id: 'IpAllowlistRule' }),
    ),
    publicKey: z.string().optional().describe('The API key that the list is for. Absent if it is for the organization'),
    enabled: z
      .boolean()
      .optional()
      .describe('Whether the list is enforced. Absent for an API key, whose list is always enforced'),
    onEvaluationError,
  })
  .meta({ id: 'IpAllowlist' });

/** An IP allowlist as queries show it. */
export type IpAllowlistShape = z.output<typeof ipAllowlist>;
