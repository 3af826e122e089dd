import { z } from 'zod';
import { label, timestamp } from './primitives.ts';

/** An object that says something by being there. */
const present = z.strictObject({});

const controlMethods = [
  'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
  'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
  'VELOCITY_CONTROL_AGGREGATION_METHOD_FIRST',
] as const;

export const controlOperators = [
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN',
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_EQUAL',
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN_OR_EQUAL',
  'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN',
] as const;

export type ControlOperator = (typeof controlOperators)[number];

const calendarUnits = [
  'VELOCITY_CONTROL_CALENDAR_UNIT_DAY',
  'VELOCITY_CONTROL_CALENDAR_UNIT_WEEK',
  'VELOCITY_CONTROL_CALENDAR_UNIT_MONTH',
] as const;

export type CalendarUnit = (typeof calendarUnits)[number];

/** A decimal number as text: at most 38 digits, 18 of them after the point, without a sign or an exponent. */
const decimal = z
  .string()
  .regex(/^\d{1,38}(\.\d{1,18})?$/, 'must be a decimal number as a string, with at most 18 digits after the point')
  .refine((text) => text.replace('.', '').length <= 38, 'must have at most 38 digits');

/** The limit of a control. */
export const controlThreshold = decimal.describe('A decimal number, at most 38 digits, 18 of them after the point. Exact');

/** The name of a control in policies. */
export const controlIdentifier = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    'must be 1 to 64 ASCII letters, digits or _, not beginning with a digit: policies write it as `controls.<identifier>`',
  )
  .describe('The name in policies: `controls.<identifier>`. Unique in the organization');

const filter = z
  .strictObject({
    activity: z
      .array(
        z.strictObject({ activityType: z.string().min(1, 'must not be empty').max(128, 'must have at most 128 characters') }),
      )
      .max(100, 'must have at most 100 items')
      .optional()
      .describe('The activity types to count, in every version. All of them if omitted'),
  })
  .meta({ id: 'VelocityControlFilter' });

const assetDefinition = z
  .strictObject({
    caip19: z
      .string()
      .max(160, 'must have at most 160 characters')
      .describe('The CAIP-19 name of the asset, for example eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
    decimals: z
      .string()
      .regex(/^(0|[1-9]\d{0,2})$/, 'must be a whole number from 0 to 255, as a string')
      .refine((text) => Number(text) <= 255, 'must be a whole number from 0 to 255, as a string')
      .describe('The number of decimals of an amount in base units'),
    rate: decimal
      .refine((text) => /[1-9]/.test(text), 'must be above 0')
      .optional()
      .describe('The value of one unit of the asset. 1 if omitted. Allows one limit for several assets'),
  })
  .meta({ id: 'VelocityControlAsset' });

const otherAssetRules = ['VELOCITY_CONTROL_OTHER_ASSETS_DENIED', 'VELOCITY_CONTROL_OTHER_ASSETS_FREE'] as const;

/** What a limit says about assets that it does not count. */
export const controlOtherAssets = z
  .enum(otherAssetRules)
  .meta({ id: 'VelocityControlOtherAssets' })
  .describe(
    'DENIED: an ALLOW that refers to the control grants nothing if the request moves an asset, or lets others move one, that neither the control nor another one beside it counts. FREE: the control says nothing about other assets',
  );

/** The rules by which a control counts. */
export const controlRules = z
  .literal(2)
  .describe(
    '2: wrapped coins count as coins, a batch counts each of its signatures, and a filter has no value for other kinds of signing. Controls of earlier releases keep their rules until this is set',
  );

const chainAssetTransfer = z
  .strictObject({
    definition: z
      .array(assetDefinition)
      .min(1, 'must not be empty')
      .max(50, 'must have at most 50 items')
      .describe('The assets whose transfers count'),
    otherAssets: controlOtherAssets.optional(),
    filter: filter.optional(),
    phase: z
      .strictObject({
        signature: present.optional().describe('A transfer counts when its signature is released'),
        submission: present.optional().describe('Not offered: the service does not see the chain'),
      })
      .optional(),
  })
  .meta({ id: 'VelocityControlTransfers' });

const dataSource = z
  .strictObject({
    chainAssetTransfer: chainAssetTransfer.optional().describe('Transfers of assets'),
    activityExecution: z.strictObject({ filter: filter.optional() }).optional().describe('Activities that were executed'),
  })
  .meta({ id: 'VelocityControlDataSource' })
  .describe('The counted events: one of the two');

/** The time that a control looks back on. */
export const controlWindow = z
  .strictObject({
    rolling: z
      .strictObject({
        duration: z
          .string()
          .regex(/^[1-9]\d{0,8}$/, 'must be a whole number of seconds from 1 to 999999999, as a string')
          .describe('Seconds'),
      })
      .optional()
      .describe('The last given number of seconds'),
    infinite: present.optional().describe('Everything since the control was created or reset'),
    calendar: z
      .strictObject({
        unit: z.enum(calendarUnits),
        timeZone: z.string().max(64, 'must have at most 64 characters').describe('An IANA name, for example Europe/Zurich'),
      })
      .optional()
      .describe('The current day, week (from Monday) or month in a time zone'),
  })
  .meta({ id: 'VelocityControlWindow' })
  .describe('One of the three');

const groupBy = z
  .strictObject({
    organization: present.optional().describe('One bucket'),
    user: present.optional().describe('One bucket for each user who submits'),
    wallet: present.optional().describe('One bucket for each wallet. A private key counts as a wallet'),
    destination: present.optional().describe('One bucket for each receiving address'),
    contactTag: present
      .optional()
      .describe('One bucket for each tag of a receiving contact, and one for receivers without a tag'),
  })
  .meta({ id: 'VelocityControlGroupBy' })
  .describe('One of these');

/** How a control compares. */
export const controlOperator = z.enum(controlOperators).meta({ id: 'VelocityControlOperator' });

const aggregation = z
  .strictObject({
    method: z
      .enum(controlMethods)
      .describe(
        'SUM adds up amounts, COUNT counts transfers or activities. FIRST is true if a bucket was empty before this request',
      ),
    operator: controlOperator.optional().describe('How the aggregate is compared. Absent with FIRST'),
    threshold: controlThreshold.optional().describe('The value that the aggregate is compared with. Absent with FIRST'),
    window: controlWindow,
    groupBy,
  })
  .meta({ id: 'VelocityControlAggregation' });

/** A control to create. */
export const velocityControlFields = {
  name: label.describe('The display name'),
  dataSource,
  aggregation,
  identifier: controlIdentifier,
};

/** How much of a limit is used in one bucket. */
const usage = z
  .object({
    group: z.string().describe('The owner of the bucket: an id, an address or a tag. Empty if the organization has one bucket'),
    used: z.string().describe('The current usage'),
    left: z.string().optional().describe('The remaining amount below the threshold. Absent with FIRST'),
    freesUp: z.array(z.object({ amount: z.string(), at: timestamp })).describe('The next amounts that stop counting, and when'),
    text: z.string().describe('The same in one sentence'),
  })
  .meta({ id: 'VelocityControlUsage' });

/** A control as queries show it. */
export const velocityControl = z
  .object({
    velocityControlId: z.string(),
    organizationId: z.string(),
    name: z.string(),
    dataSource,
    aggregation,
    createdAt: timestamp,
    updatedAt: timestamp,
    identifier: z.string(),
    controlRules: controlRules.optional(),
    text: z.string().describe('The limit in one sentence'),
    raise: z
      .object({ threshold: z.string(), until: timestamp })
      .optional()
      .describe('The root quorum has raised the threshold until then. Absent if it has not, or if that time has passed'),
    usage: z
      .array(usage)
      .optional()
      .describe('The most recently used buckets, up to 20. Only in the response to get_velocity_control'),
  })
  .meta({ id: 'VelocityControl' });

/** A control as queries show it. */
export type VelocityControlShape = z.output<typeof velocityControl>;

export type ControlDataSourceShape = z.output<typeof dataSource>;
export type ControlAggregationShape = z.output<typeof aggregation>;
export type ControlOtherAssets = z.output<typeof controlOtherAssets>;
export type ControlWindowShape = z.output<typeof controlWindow>;
export type ControlUsageShape = z.output<typeof usage>;
