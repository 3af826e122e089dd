import type { EmailCustomization } from '@countersign/contract';
import { z } from 'zod';

/** The purpose of a message. */
export const messagePurposes = ['EMAIL_AUTH', 'RECOVERY', 'CODE', 'INVITATION', 'APPROVALS', 'FREEZES', 'ENDPOINTS'] as const;

export type MessagePurpose = (typeof messagePurposes)[number];

/** The sender of a mail, if it is not the operator. */
export interface MessageSender {
  readonly address?: string;
  readonly name?: string;
  readonly replyTo?: string;
}

/** Activities in a notice: pending ones that need the approval of a user, or freezes. */
export interface NoticedActivities {
  readonly organizationId: string;
  readonly items: readonly { readonly activityId: string; readonly sentence?: string }[];
  /** Lower bound of how many more activities there are. */
  readonly more: number;
}

/** The sealed content of a push message for one subscription of the organization. */
export interface PushMessage {
  readonly channel: 'PUSH';
  readonly subscriptionId: string;
  /** Present if the activities are freezes. */
  readonly about?: 'FREEZES';
  readonly approvals: NoticedActivities;
  readonly expiresAtMs: number;
}

/** The sealed content of a message in the outbox. It is rendered at delivery. */
export interface Message {
  readonly channel: 'EMAIL' | 'SMS';
  readonly purpose: MessagePurpose;
  readonly to: string;
  /** The bundle, code or key that the receiver needs. May be empty. */
  readonly secret: string;
  /** Present in notices about pending approvals, freezes and disabled endpoints. The last ones are only counted. */
  readonly approvals?: NoticedActivities;
  readonly expiresAtMs: number;
  readonly organizationName: string;
  /** The person who invites. */
  readonly inviter?: string;
  readonly look: EmailCustomization;
  readonly sender: MessageSender;
  /** The text of a text message, if it is not the default. */
  readonly smsTemplate?: string;
}

const optionalText = z.string().optional();

const noticedActivities = z.object({
  organizationId: z.string(),
  items: z.array(z.object({ activityId: z.string(), sentence: optionalText })),
  more: z.number(),
});

const storedPush = z.object({
  channel: z.literal('PUSH'),
  subscriptionId: z.string(),
  about: z.literal('FREEZES').optional(),
  approvals: noticedActivities,
  expiresAtMs: z.number(),
});

const stored = z.object({
  channel: z.enum(['EMAIL', 'SMS']),
  purpose: z.enum(messagePurposes),
  to: z.string(),
  secret: z.string(),
  approvals: noticedActivities.optional(),
  expiresAtMs: z.number(),
  organizationName: z.string(),
  inviter: optionalText,
  look: z.object({
    appName: optionalText,
    logoUrl: optionalText,
    magicLinkTemplate: optionalText,
    templateVariables: optionalText,
    templateId: optionalText,
  }),
  sender: z.object({ address: optionalText, name: optionalText, replyTo: optionalText }),
  smsTemplate: optionalText,
});

/** Parses a decrypted message. Throws if this release does not know its format. */
export function parseMessage(text: string): Message | PushMessage {
  return z.discriminatedUnion('channel', [stored, storedPush]).parse(JSON.parse(text)) as Message | PushMessage;
}
