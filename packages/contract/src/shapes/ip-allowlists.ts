import { z } from 'zod';
import { label } from './primitives.ts';

/** What becomes of a request whose address cannot be told. */
export const onEvaluationError = z.enum(['ALLOW', 'DENY'], 'must be ALLOW or DENY').meta({ id: 'OnEvaluationError' });

/** An API key by its public half. */
export const governedKey = z
  .string()
  .regex(/^[0-9a-fA-F]{64,66}$/, 'must be the public key of an API key in hexadecimal')
  .describe('The API key whose list is meant; left out, it is the list of the organization');

/** A block of addresses to allow. */
export const ipAllowlistRuleParams = z
  .strictObject({
    cidr: z
      .string()
      .min(1, 'must not be empty')
      .max(64, 'must have at most 64 characters')
      .describe(
        'A block of IPv4 or IPv6 addresses with nothing set beyond its prefix, for example 192.0.2.0/24 or 2001:db8::/32',
      ),
    label: label.optional().describe('What the block is, for people'),
  })
  .meta({ id: 'IpAllowlistIntentRule' });

export type IpAllowlistRuleParams = z.output<typeof ipAllowlistRuleParams>;

/** A list as queries show it. */
export const ipAllowlist = z
  .object({
    organizationId: z.string(),
    rules: z.array(
      z
        .object({
          cidr: z.string(),
          label: z.string().optional(),
          createdAt: z.string().describe('Milliseconds since the epoch'),
        })
        .meta({ id: 'IpAllowlistRule' }),
    ),
    publicKey: z.string().optional().describe('The API key that it governs; absent where it governs the organization'),
    enabled: z.boolean().optional().describe('Whether it is in force; absent on the list of an API key, which always is'),
    onEvaluationError,
  })
  .meta({ id: 'IpAllowlist' });

export type IpAllowlistShape = z.output<typeof ipAllowlist>;
