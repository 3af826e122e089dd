import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { email, milliseconds, organizationId, paginationOptions } from '../../shapes/primitives.ts';

const types = ['Send', 'Delivery', 'Bounce', 'DeliveryDelay'] as const;

const emailEvent = z
  .object({
    id: z.string(),
    organizationId: z.string(),
    messageId: z.string().describe('The same for all events of one email. It is the first part of its Message-ID'),
    eventType: z
      .string()
      .describe(
        'Send: the mail server of this service accepted the email. Bounce: it rejected it. DeliveryDelay: it did not accept it yet, and the service tries again',
      ),
    fromAddress: z.string(),
    toAddress: z.string().describe('The address of the request'),
    timestamp: milliseconds,
    createdAt: milliseconds,
    details: z.object({
      bounceType: z.string().optional().describe('Only for Bounce: Permanent. The service does not try again'),
      bounceSubType: z.string().optional().describe('Only for Bounce: General'),
      diagnosticCode: z.string().optional().describe('The reply codes of the mail server, or why there is none. Not for Send'),
      deliveryDelayType: z.string().optional().describe('Only for DeliveryDelay: General'),
    }),
  })
  .meta({ id: 'EmailEvent' });

export const listEmailEvents = defineQuery({
  name: 'listEmailEvents',
  path: 'list_email_events',
  subject: 'sign-in',
  summary: 'List what the mail server said about emails to an address in the last 7 days, newest first',
  reads: { resources: ['USER', 'ACTIVITY'] },
  input: z.strictObject({
    organizationId,
    email: email.describe('The address of the recipient'),
    eventType: z
      .enum(types)
      .optional()
      .describe(
        'Only events of this type. Delivery finds nothing: nobody reports to this service that an email reached a mailbox',
      ),
    paginationOptions: paginationOptions.optional(),
  }),
  output: z.object({ emailEvents: z.array(emailEvent) }),
});
