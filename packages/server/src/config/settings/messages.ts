import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { flag, list, whole } from '../setting-values.ts';

/** Mail and text messages. */
export const messageSettings = {
  smtpUrl: {
    schema: z.string().regex(/^smtps?:\/\/[^\s]+$/, 'must begin with smtp:// or smtps://'),
    describe: 'Mail server, as smtp://host:587 or smtps://host; without it, mail goes to the development mailbox',
    secret: true,
  },
  smtpUser: { schema: z.string().min(1), describe: 'User name for the mail server, if not in the URL' },
  smtpPassword: { schema: z.string().min(1), describe: 'Password for the mail server, if not in the URL', secret: true },
  smtpAllowPlain: {
    schema: flag,
    default: 'false',
    describe: 'Send mail to a server on another machine without TLS: anyone on the network path can read the secrets in it',
  },
  mailFrom: { schema: z.string().min(3), describe: 'Sender of mail, as name@domain or Name <name@domain>' },
  mailSenders: {
    schema: list,
    default: '',
    describe: 'Further senders that requests may use: addresses or @domains, comma-separated',
    form: 'list',
  },
  mailAppName: { schema: z.string().min(1).max(256), default: 'Countersign', describe: 'Application name in emails' },
  mailTemplateDir: {
    schema: z.string().min(1),
    describe: 'Directory of your own mail templates: <templateId>.html and <templateId>.txt',
  },
  invitationUrl: {
    schema: z.string().regex(/^https?:\/\/.*%s/, 'must be an http or https address with %s in it'),
    describe: 'Page that accepts invitations; %s is replaced by the secret from the email',
  },
  smsUrl: {
    schema: z.url('must be an address').regex(/^https?:/, 'must begin with http:// or https://'),
    describe: 'Gateway for text messages; it receives JSON with id, to and text by POST',
    secret: true,
  },
  smsToken: { schema: z.string().min(1), describe: 'Bearer token for the text message gateway', secret: true },
  maxOneTimeCodes: {
    schema: whole(10, 1_000_000),
    default: '10000',
    describe: 'Maximum active one-time codes in an organization',
  },
  maxWrongCodes: {
    schema: whole(10, 1_000_000),
    default: '1000',
    describe: 'Maximum wrong short one-time codes per day in the requests of one user, such as a backend',
  },
  maxMails: {
    schema: whole(1, 10_000_000),
    default: '10000',
    describe: 'Maximum emails per day sent for the users of a top-level organization, in it and in its sub-organizations',
  },
  maxMailsPerSubOrganization: {
    schema: whole(0, 1_000_000),
    default: '100',
    describe: 'Maximum emails per day sent for the users of one sub-organization',
  },
  maxMailsOfSubOrganizations: {
    schema: whole(0, 10_000_000),
    default: '1000',
    describe: 'Maximum emails per day sent for the users of all sub-organizations of one organization together',
  },
  maxTextMessages: {
    schema: whole(0, 10_000_000),
    default: '1000',
    describe: 'Maximum text messages per day sent for the users of a top-level organization, in it and in its sub-organizations',
  },
  maxTextMessagesPerSubOrganization: {
    schema: whole(0, 1_000_000),
    default: '10',
    describe: 'Maximum text messages per day sent for the users of one sub-organization',
  },
  maxTextMessagesOfSubOrganizations: {
    schema: whole(0, 10_000_000),
    default: '100',
    describe: 'Maximum text messages per day sent for the users of all sub-organizations of one organization together',
  },
  grantedFeatures: {
    schema: list.pipe(z.array(z.enum(['FEATURE_NAME_SMS_AUTH'], 'must be FEATURE_NAME_SMS_AUTH, or empty'))),
    default: '',
    describe:
      'Features that cost the operator money and that every top-level organization may turn on; the first organization always may. A sub-organization may if its parent has turned them on',
    form: 'list',
  },
} as const satisfies Record<string, Setting>;
