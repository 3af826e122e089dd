import type { EmailCustomization } from '@countersign/contract';
import { z } from 'zod';

/** What a message is for. */
export const messagePurposes = ['EMAIL_AUTH', 'RECOVERY', 'CODE', 'INVITATION'] as const;

export type MessagePurpose = (typeof messagePurposes)[number];

/** Who a mail comes from, where that is not the operator. */
export interface MessageSender {
  readonly address?: string;
  readonly name?: string;
  readonly replyTo?: string;
}

/** A message as it lies in the outbox, sealed: what it says and to whom. How it looks is decided when it is delivered. */
export interface Message {
  readonly channel: 'EMAIL' | 'SMS';
  readonly purpose: MessagePurpose;
  readonly to: string;
  /** The bundle, code or key that the receiver needs. */
  readonly secret: string;
  readonly expiresAtMs: number;
  readonly organizationName: string;
  /** Who invites. */
  readonly inviter?: string;
  readonly look: EmailCustomization;
  readonly sender: MessageSender;
  /** The text of a text message, where it is not the usual one. */
  readonly smsTemplate?: string;
}

const optionalText = z.string().optional();

const stored = z.object({
  channel: z.enum(['EMAIL', 'SMS']),
  purpose: z.enum(messagePurposes),
  to: z.string(),
  secret: z.string(),
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

/** Reads what was sealed. Throws where this release does not know its form. */
export function parseMessage(text: string): Message {
  return stored.parse(JSON.parse(text)) as Message;
}
