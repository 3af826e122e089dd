import type { EmailCustomization } from '@countersign/contract';
import { z } from 'zod';

/** The purpose of a message. */
export const messagePurposes = ['EMAIL_AUTH', 'RECOVERY', 'CODE', 'INVITATION', 'APPROVALS'] as const;

export type MessagePurpose = (typeof messagePurposes)[number];

/** The sender of a mail, if it is not the operator. */
export interface MessageSender {
  readonly address?: string;
  readonly name?: string;
  readonly replyTo?: string;
}

/** What waits for somebody's approval. */
export interface WaitingApprovals {
  readonly organizationId: string;
  readonly items: readonly { readonly activityId: string; readonly sentence?: string }[];
  /** How many more there are, at least. */
  readonly more: number;
}

/** The sealed content of a message to a browser: which of the subscriptions of the organization, and what to say there. */
export interface PushMessage {
  readonly channel: 'PUSH';
  readonly subscriptionId: string;
  readonly approvals: WaitingApprovals;
  readonly expiresAtMs: number;
}

/** The sealed content of a message in the outbox: what it says and to whom. Its look is decided at delivery. */
export interface Message {
  readonly channel: 'EMAIL' | 'SMS';
  readonly purpose: MessagePurpose;
  readonly to: string;
  /** The bundle, code or key that the receiver needs. Empty where the message carries none. */
  readonly secret: string;
  /** Of a message that says what waits for the receiver's approval. */
  readonly approvals?: WaitingApprovals;
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

const waitingApprovals = z.object({
  organizationId: z.string(),
  items: z.array(z.object({ activityId: z.string(), sentence: optionalText })),
  more: z.number(),
});

const storedPush = z.object({
  channel: z.literal('PUSH'),
  subscriptionId: z.string(),
  approvals: waitingApprovals,
  expiresAtMs: z.number(),
});

const stored = z.object({
  channel: z.enum(['EMAIL', 'SMS']),
  purpose: z.enum(messagePurposes),
  to: z.string(),
  secret: z.string(),
  approvals: waitingApprovals.optional(),
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

/** Reads an opened message. Throws if this release does not know its form. */
export function parseMessage(text: string): Message | PushMessage {
  return z.discriminatedUnion('channel', [stored, storedPush]).parse(JSON.parse(text)) as Message | PushMessage;
}
