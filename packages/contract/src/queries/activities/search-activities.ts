import { z } from 'zod';
import { activityType } from '../../activity-types.ts';
import { defineQuery } from '../../define.ts';
import { activityDetails } from '../../shapes/activity.ts';
import { activityStatus } from '../../shapes/activity-status.ts';
import { id, milliseconds, organizationId } from '../../shapes/primitives.ts';

const searched = z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters');
const units = z
  .string()
  .regex(/^\d{1,60}(\.\d{1,60})?$/, 'must be an amount in units, such as 1500 or 0.25')
  .describe('In units of the asset, as effects show them');

export const searchActivities = defineQuery({
  name: 'searchActivities',
  path: 'search_activities',
  subject: 'activities',
  summary: 'Search activities by what they do, newest first',
  reads: { resources: ['ACTIVITY'], always: 'OWN' },
  input: z.strictObject({
    organizationId,
    since: milliseconds.optional().describe('Activities submitted at this time or later'),
    until: milliseconds.optional().describe('Activities submitted before this time'),
    userId: id.optional().describe('Submitted, approved or rejected by this user'),
    keyId: id.optional().describe('With this wallet, wallet account or private key'),
    counterparty: searched.optional().describe('An address that gains something, may withdraw, or is called'),
    asset: searched.optional().describe('The symbol or the CAIP-19 name of an asset that moves'),
    reference: searched
      .optional()
      .describe('Words of the reference of the request or of memos that it signs, all of them and in any order. Case is ignored'),
    minimumAmount: units.optional(),
    maximumAmount: units.optional(),
    filterByStatus: z.array(activityStatus).max(6).optional(),
    filterByType: z.array(activityType).max(200).optional(),
    limit: z.int().min(1).max(100).optional().describe('The number of activities to return. 10 by default'),
    cursor: z
      .string()
      .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be the `next` of the previous response')
      .optional()
      .describe('The `next` of the previous response'),
  }),
  output: z.object({
    activities: z
      .array(activityDetails)
      .describe('Those that match everything. An amount belongs to the asset and the counterparty'),
    searchedTo: z.string().optional().describe('The time up to which this response searched, in milliseconds. Absent at the end'),
    next: z
      .string()
      .optional()
      .describe('The cursor to continue with, also if nothing was found so far. Absent when everything was searched'),
  }),
});
