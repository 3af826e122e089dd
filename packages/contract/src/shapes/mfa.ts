import { z } from 'zod';
import { id, label, text, timestamp } from './primitives.ts';

export const authenticationTypes = [
  'AUTHENTICATION_TYPE_EMAIL_OTP',
  'AUTHENTICATION_TYPE_SMS_OTP',
  'AUTHENTICATION_TYPE_PASSKEY',
  'AUTHENTICATION_TYPE_API_KEY',
  'AUTHENTICATION_TYPE_OAUTH',
  'AUTHENTICATION_TYPE_SESSION',
] as const;

export type AuthenticationType = (typeof authenticationTypes)[number];

const authenticationType = z.enum(authenticationTypes).meta({ id: 'AuthenticationType' });

const authenticationMethodParams = z
  .strictObject({
    type: authenticationType,
    id: id
      .optional()
      .meta({ default: '' })
      .describe('One passkey, API key or OAuth provider of the user, or the profile of a session'),
  })
  .meta({ id: 'AuthenticationMethodParams' });

const requiredMethodParams = z
  .strictObject({ any: z.array(authenticationMethodParams).min(1, 'must not be empty').max(10, 'must have at most 10 items') })
  .meta({ id: 'RequiredAuthenticationMethodParams' });

/** What an MFA policy says. */
export const mfaPolicyFields = {
  mfaPolicyName: label,
  condition: z
    .string()
    .min(1, 'must not be empty')
    .max(4096, 'must have at most 4096 characters')
    .describe('An expression over `activity`. If it is true, the methods are required'),
  requiredAuthenticationMethods: z
    .array(requiredMethodParams)
    .min(1, 'must not be empty')
    .max(10, 'must have at most 10 items')
    .describe('Each step requires a separate credential, with any one of its methods'),
  order: z.number().int().min(0).max(4_294_967_295).describe('The position of the policy among those of the user'),
  notes: text.optional(),
};

const authenticationMethod = z
  .object({ type: authenticationType, id: z.string().optional() })
  .meta({ id: 'AuthenticationMethod' });

const requiredMethod = z.object({ any: z.array(authenticationMethod) }).meta({ id: 'RequiredAuthenticationMethod' });

/** An MFA policy as queries show it. */
export const mfaPolicy = z
  .object({
    mfaPolicyId: z.string(),
    mfaPolicyName: z.string(),
    condition: z.string(),
    requiredAuthenticationMethods: z.array(requiredMethod),
    order: z.number(),
    notes: z.string().optional(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'MfaPolicy' });

export type MfaPolicyShape = z.output<typeof mfaPolicy>;

/** How far the approvals of a user meet one MFA policy. */
export const mfaStatus = z
  .object({
    mfaPolicyId: z.string(),
    userId: z.string(),
    satisfied: z.boolean(),
    satisfiedMethods: z.array(authenticationMethod),
    requiredMethods: z.array(requiredMethod),
  })
  .meta({ id: 'MfaStatus' });

export type MfaStatusShape = z.output<typeof mfaStatus>;
