import { z } from 'zod';
import { effect, timedPolicyParams } from './policies.ts';
import { id, label, milliseconds, text, timestamp } from './primitives.ts';
import {
  controlOperator,
  controlOtherAssets,
  controlRules,
  controlThreshold,
  controlWindow,
  velocityControlFields,
} from './velocity-controls.ts';

const { condition, consensus, time } = timedPolicyParams.shape;

/** Most policies that one change adds, changes or removes. */
const MAX_CHANGED = 100;
const some = <S extends z.ZodType>(item: S) =>
  z.array(item).max(MAX_CHANGED, `must have at most ${MAX_CHANGED} items`).optional();

/** A change of the policies in force, to try out. */
export const policyChange = z
  .strictObject({
    add: some(timedPolicyParams).describe('Policies to add'),
    update: some(
      z.strictObject({
        policyId: id,
        policyName: label.optional(),
        policyEffect: effect.optional(),
        policyCondition: condition,
        policyConsensus: consensus,
        policyNotes: text.optional(),
        time,
      }),
    ).describe('Policies to change. Omitted fields stay the same'),
    remove: some(id).describe('The ids of policies to remove'),
  })
  .meta({ id: 'PolicyChange' });

/** A change of the limits over time, to try out. */
export const controlChange = z
  .strictObject({
    add: some(z.strictObject(velocityControlFields)).describe('Limits to add'),
    update: some(
      z.strictObject({
        velocityControlId: id,
        operator: controlOperator.optional(),
        newThreshold: controlThreshold.optional(),
        window: controlWindow.optional(),
        otherAssets: controlOtherAssets.optional(),
        controlRules: controlRules.optional(),
      }),
    ).describe('Limits to change. Omitted fields stay the same'),
    remove: some(id).describe('The ids of limits to remove'),
  })
  .meta({ id: 'VelocityControlChange' });

/** Which past activities to judge again. */
export const pastRange = z
  .strictObject({
    since: milliseconds.optional().describe('Only activities that were submitted at this time or later'),
    until: milliseconds.optional().describe('Only activities that were submitted before this time. Now by default'),
    last: z.int().min(1).max(1_000_000).optional().describe('Only this many activities, the newest of the range'),
    types: z.array(z.string().max(128)).max(100).optional().describe('Only activities of these types'),
    userIds: z.array(id).max(100).optional().describe('Only activities that these users submitted'),
  })
  .meta({ id: 'PastRange' });

const outcome = z.enum(['ALLOW', 'DENY', 'NEEDS_CONSENSUS']);
const count = z.int().min(0);
const counts = z.object({ ALLOW: count, DENY: count, NEEDS_CONSENSUS: count });

/** An activity whose outcome the change would have changed. */
export const backtestFlip = z
  .object({
    activityId: z.string(),
    type: z.string(),
    userId: z.string().describe('Who submitted it'),
    createdAt: timestamp,
    decided: outcome.describe('The stored decision, by the policies of that time'),
    before: outcome.describe('The outcome with the current policies'),
    after: outcome.describe('The outcome with the changed policies'),
    reason: z.string(),
    explanation: z.string().describe('The decision with the changed policies'),
  })
  .meta({ id: 'BacktestFlip' });

/** Why an activity of the range could not be replayed. */
export const unknownReason = z
  .enum(['ARCHIVED', 'JUDGED_BY_PARENT', 'NO_DECISION_KEPT', 'NOT_UNDERSTOOD', 'NOT_REPRODUCED', 'TOO_LONG_AGO'])
  .meta({ id: 'BacktestUnknownReason' });

/** What a backtest says of a part of the past. */
export const backtestReport = z.object({
  read: count.describe('The activities of the range that this response covers'),
  judged: count.describe('The number of them that were replayed'),
  before: counts.describe('Their outcomes with the current policies'),
  after: counts.describe('Their outcomes with the changed policies'),
  groups: z
    .array(z.object({ before: outcome, after: outcome, reason: z.string(), count }))
    .describe('The number of changed outcomes, by reason'),
  flips: z.array(backtestFlip).describe('Every activity whose outcome changes'),
  unknown: z
    .array(z.object({ reason: unknownReason, count, activityIds: z.array(z.string()) }))
    .describe('Activities that could not be replayed, with some ids'),
  notes: z.array(z.string()).describe('What the response does not take into account'),
  summary: z.string(),
});

/** An activity whose outcome a change would have changed. */
export type BacktestFlipShape = z.output<typeof backtestFlip>;

/** What a backtest says of a part of the past. */
export type BacktestReportShape = z.output<typeof backtestReport>;

/** A change of the policies in force, to try out. */
export type PolicyChangeShape = z.output<typeof policyChange>;

/** A change of the limits over time, to try out. */
export type ControlChangeShape = z.output<typeof controlChange>;

/** Which past activities to judge again. */
export type PastRangeShape = z.output<typeof pastRange>;
