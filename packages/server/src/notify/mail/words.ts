import type { Message, MessagePurpose } from './message.ts';

/** The input for the text of a mail. */
export interface Occasion {
  readonly app: string;
  readonly message: Message;
  /** Whether the mail has a button. */
  readonly hasLink: boolean;
}

/** The text of a mail. */
export interface Words {
  subject(occasion: Occasion): string;
  /** Instructions in one or two sentences. */
  lead(occasion: Occasion): string;
  /** The label of the button. */
  readonly action: string;
  /** The label above the secret, for readers who copy it by hand. */
  secretLabel(occasion: Occasion): string;
  /** Whether the secret is short enough to type. */
  readonly typed: boolean;
  readonly unexpected: string;
}

const copied = ({ hasLink }: Occasion) => (hasLink ? 'Or paste this instead:' : 'Your code:');

const inviterOf = ({ inviter }: Message) => inviter || 'Somebody';

/** The text of each kind of mail. SECURITY: no subject holds the secret, because servers log subjects and locked screens show them. */
export const words: Readonly<Record<MessagePurpose, Words>> = Object.freeze({
  EMAIL_AUTH: {
    subject: ({ app }) => `Sign in to ${app}`,
    lead: ({ app, hasLink }) =>
      hasLink
        ? `Press the button to sign in to ${app}. Use the same browser in which you asked to sign in: it works in no other.`
        : `Paste this code where you asked to sign in to ${app}. It works in that browser only.`,
    action: 'Sign in',
    secretLabel: copied,
    typed: false,
    unexpected: 'If you did not ask to sign in, ignore this mail. Nobody gets in without it.',
  },
  RECOVERY: {
    subject: ({ app }) => `Recover your ${app} account`,
    lead: ({ app, hasLink }) =>
      hasLink
        ? `Press the button to register a new passkey for your ${app} account. Use the same browser in which you asked for it.`
        : `Paste this code where you asked to recover your ${app} account. You can register one new passkey with it.`,
    action: 'Recover account',
    secretLabel: copied,
    typed: false,
    unexpected: 'If you did not ask for this, ignore the mail, and tell the people who run the service that somebody did.',
  },
  CODE: {
    subject: ({ app }) => `Your ${app} code`,
    lead: ({ app }) => `Enter this code to continue with ${app}.`,
    action: 'Continue',
    secretLabel: () => 'Your code:',
    typed: true,
    unexpected: 'If you did not ask for a code, ignore this mail, and never tell the code to anybody.',
  },
  INVITATION: {
    subject: ({ app, message }) => `${inviterOf(message)} invites you to ${message.organizationName || app}`,
    lead: ({ app, message }) =>
      `${inviterOf(message)} invites you to join ${message.organizationName || 'an organization'} on ${app}. Accept, and register a passkey to sign in with.`,
    action: 'Accept the invitation',
    secretLabel: ({ hasLink }) => (hasLink ? 'Or use this invitation key:' : 'Your invitation key:'),
    typed: false,
    unexpected: 'If you do not know who invites you, ignore this mail. The key in it works once and for this invitation only.',
  },
  APPROVALS: {
    // SECURITY: no description of an activity here, because locked screens show subjects.
    subject: ({ app, message }) => `${howMany(message)} for your approval on ${app}`,
    lead: ({ message }) =>
      `${howMany(message)} for your approval${message.organizationName === '' ? '' : ` in ${message.organizationName}`}. Nothing is approved by opening this mail or its links: look at it, and approve or reject with your passkey.`,
    action: 'Review',
    secretLabel: () => '',
    typed: false,
    unexpected: 'You get this mail because your organization tells approvers by mail. Its administrators can turn that off.',
  },
});

function howMany({ approvals }: Message): string {
  const count = (approvals?.items.length ?? 0) + (approvals?.more ?? 0);
  return count === 1 ? 'One request waits' : `${count} requests wait`;
}

/** A time for readers in any time zone: `15 November 2026, 12:34 UTC`. */
export function showTime(timeMs: number): string {
  const time = new Date(timeMs);
  const date = time.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  return `${date}, ${time.toISOString().slice(11, 16)} UTC`;
}
