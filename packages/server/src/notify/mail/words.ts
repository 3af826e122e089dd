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
        ? `Press the button to sign in to ${app}. Use the browser in which you started to sign in: it works only there.`
        : `Paste this code where you started to sign in to ${app}. It works only in that browser.`,
    action: 'Sign in',
    secretLabel: copied,
    typed: false,
    unexpected: 'If you did not try to sign in, ignore this email. No one can sign in without it.',
  },
  RECOVERY: {
    subject: ({ app }) => `Recover your ${app} account`,
    lead: ({ app, hasLink }) =>
      hasLink
        ? `Press the button to register a new passkey for your ${app} account. Use the browser in which you requested it.`
        : `Paste this code where you started to recover your ${app} account. It registers one new passkey.`,
    action: 'Recover account',
    secretLabel: copied,
    typed: false,
    unexpected: 'If you did not request this, ignore this email and inform the operator of the service.',
  },
  CODE: {
    subject: ({ app }) => `Your ${app} code`,
    lead: ({ app }) => `Enter this code to continue with ${app}.`,
    action: 'Continue',
    secretLabel: () => 'Your code:',
    typed: true,
    unexpected: 'If you did not request a code, ignore this email. Never share the code.',
  },
  INVITATION: {
    subject: ({ app, message }) => `${inviterOf(message)} invites you to ${message.organizationName || app}`,
    lead: ({ app, message }) =>
      `${inviterOf(message)} invites you to join ${message.organizationName || 'an organization'} on ${app}. Accept, and register a passkey to sign in with.`,
    action: 'Accept the invitation',
    secretLabel: ({ hasLink }) => (hasLink ? 'Or use this invitation key:' : 'Your invitation key:'),
    typed: false,
    unexpected: 'If you do not know who invites you, ignore this email. Its key works once and only for this invitation.',
  },
  APPROVALS: {
    // SECURITY: no description of an activity here, because locked screens show subjects.
    subject: ({ app, message }) => `${howMany(message)} your approval on ${app}`,
    lead: ({ message }) =>
      `${howMany(message)} your approval${message.organizationName === '' ? '' : ` in ${message.organizationName}`}. Opening this email or its links approves nothing: review the request, and approve or reject it with your passkey.`,
    action: 'Review',
    secretLabel: () => '',
    typed: false,
    unexpected:
      'You receive this email because your organization notifies approvers by email. Its administrators can turn this off.',
  },
  FREEZES: {
    // SECURITY: no reason and no name here, because locked screens show subjects.
    subject: ({ app }) => `Something was frozen or unfrozen on ${app}`,
    lead: ({ message }) =>
      `Something was frozen or unfrozen${message.organizationName === '' ? '' : ` in ${message.organizationName}`}. If you do not expect this, ask the people of your organization. Only the root quorum can end a freeze.`,
    action: 'Show it',
    secretLabel: () => '',
    typed: false,
    unexpected:
      'You receive this email because you are in the root quorum of an organization that sends notices. Its administrators can turn this off.',
  },
  ENDPOINTS: {
    subject: ({ app }) => `Webhooks were disabled on ${app}`,
    lead: ({ message }) => {
      const [subject, verb] = endpoints(message);
      const owner = message.organizationName === '' ? '' : ` of ${message.organizationName}`;
      return `${subject}${owner} accepted no event for too long and ${verb} disabled: events are no longer sent there. Check the receiver, resume the endpoint, and read the missing events with list_events.`;
    },
    action: 'Show webhooks',
    secretLabel: () => '',
    typed: false,
    unexpected:
      'You receive this email because you are in the root quorum of an organization that sends notices. Its administrators can turn this off.',
  },
});

/** The endpoints of a notice, and the verb for them. */
function endpoints({ approvals }: Message): readonly [subject: string, verb: string] {
  const { more: count } = approvals ?? { more: 1 };
  return count === 1 ? ['A webhook endpoint', 'is'] : [`${count} webhook endpoints`, 'are'];
}

function howMany({ approvals }: Message): string {
  const count = (approvals?.items.length ?? 0) + (approvals?.more ?? 0);
  return count === 1 ? 'One request is pending' : `${count} requests are pending`;
}

/** A time for readers in any time zone: `15 November 2026, 12:34 UTC`. */
export function showTime(timeMs: number): string {
  const time = new Date(timeMs);
  const date = time.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  return `${date}, ${time.toISOString().slice(11, 16)} UTC`;
}
