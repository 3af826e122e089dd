import { z } from 'zod';
import { flag, label, shortened, text, timestamp } from './primitives.ts';

/** What a policy does when it applies. */
export const effect = z.enum(['EFFECT_ALLOW', 'EFFECT_DENY']).meta({ id: 'Effect' });

/** An expression of the policy language. The plan of the activity checks its content. */
const expression = z.string().max(65_536, 'must have at most 65536 characters');

const operators = [
  'EQUAL',
  'NOT_EQUAL',
  'MORE_THAN',
  'MORE_THAN_OR_EQUAL',
  'LESS_THAN',
  'LESS_THAN_OR_EQUAL',
  'CONTAINS',
  'CONTAINS_ONE',
  'CONTAINS_ALL',
  'IN',
  'NOT_IN',
] as const;

/** The operator of a selector. */
export const selectorOperator = z.enum(operators.map((name) => `OPERATOR_${name}` as const)).meta({ id: 'SelectorOperator' });

const subject = z.string().min(1).max(256);

/** One requirement, in the form that policies had before there was a language. */
export const selectorV1 = z
  .strictObject({ subject, operator: selectorOperator, target: z.string().max(4096) })
  .meta({ id: 'Selector' });

/** One requirement with several values. */
export const selectorV2 = z
  .strictObject({ subject, operator: selectorOperator, targets: z.array(z.string().max(4096)).max(1000) })
  .meta({ id: 'SelectorV2' });

/** Whether to try a policy on the past when it is submitted. */
export const backtestFlag = flag
  .clone()
  .describe(
    'Replay the last 1000 activities, with the users of their time, against the changed policies. The warnings of the activity summarize the differences. Otherwise they summarize a sample of the newest 100',
  );

/** A policy to create. */
export const policyParams = z
  .strictObject({
    policyName: label,
    effect,
    condition: expression.optional().describe('The activities that the policy applies to. If absent or empty: all'),
    consensus: expression.optional().describe('Who must approve. If absent or empty: anyone'),
    notes: text.optional(),
  })
  .meta({ id: 'CreatePolicyParams' });

/** A policy to create on the compatible base path, which has a third expression. */
export const timedPolicyParams = z
  .strictObject({ ...policyParams.shape, time: expression.optional().describe('When the policy applies. If absent: always') })
  .meta({ id: 'CreatePolicyParamsWithTime' });

/** A policy as queries show it. */
export const policy = z
  .object({
    policyId: z.string(),
    policyName: z.string(),
    effect,
    condition: z.string(),
    consensus: z.string(),
    notes: z.string(),
    time: z
      .string()
      .optional()
      .describe('When the policy applies. Without one: empty on the compatible base path, absent on the specification’s'),
    language: z
      .union([z.literal(1), z.literal(2)])
      .optional()
      .describe('The version of the policy language in which it is stored and read. Absent for the current one'),
    createdAt: timestamp,
    updatedAt: timestamp,
    shortened,
  })
  .meta({ id: 'Policy' });

/** A policy as queries show it. */
export type PolicyShape = z.output<typeof policy>;

/** Whether a policy applies right now. */
export const activePolicy = z
  .object({
    organizationId: z.string(),
    policyId: z.string(),
    active: z.boolean(),
    timeExpr: z.string().optional().describe('When the policy applies. If absent: always'),
    error: z.string().optional().describe('Why the time expression failed. The policy then grants nothing'),
    shortened,
  })
  .meta({ id: 'ActivePolicyStatus' });

/** Whether a policy applies right now. */
export type ActivePolicyShape = z.output<typeof activePolicy>;

/** The outcome of one policy. */
export const policyOutcome = z.object({ policyId: z.string(), outcome: z.string() });
