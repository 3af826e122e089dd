import { afterEach, describe, expect, test } from 'vitest';
import { type Inbox, startInbox } from '../../../../../test/features/sign-in/smtp-inbox.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { DeliveryError } from '../../../src/notify/delivery/delivery-error.ts';
import { smtpChannel } from '../../../src/notify/mail/smtp-channel.ts';

const mailFrom = 'Countersign <no-reply@countersign.example>';
const base = { mailFrom, smtpAllowPlain: false };
const mail = { id: 'm1', to: 'someone@example.com', sender: {}, subject: 'Ünï · 🔑', text: 'text ü', html: '<p>html ü</p>' };

let inbox: Inbox | undefined;
afterEach(async () => {
  await inbox?.stop();
  inbox = undefined;
});

async function sendBy(settings: object): Promise<unknown> {
  const channel = smtpChannel({ ...base, ...settings });
  try {
    return await channel?.send(mail).catch((error: unknown) => error);
  } finally {
    channel?.close();
  }
}

/** Not a loopback address, although it reaches this machine. */
const beyond = (port: number) => `smtp://0.0.0.0:${port}`;

describe('a mail server', () => {
  test('gets both parts, with an id that is the same at every attempt', async () => {
    inbox = await startInbox();
    await sendBy({ smtpUrl: inbox.url });
    await sendBy({ smtpUrl: inbox.url });
    const [first, second] = inbox.mails;
    expect(first).toMatchObject({ subject: mail.subject, text: mail.text, html: mail.html, to: mail.to });
    expect(first?.headers['message-id']).toBe('<m1@countersign.example>');
    expect(second?.headers['message-id']).toBe('<m1@countersign.example>');
  });

  test('gets the login of the URL or of the settings', async () => {
    const login = { user: 'mailer', password: 'p@ss:wörd' };
    inbox = await startInbox({ login });
    const { port } = inbox;
    await sendBy({ smtpUrl: `smtp://mailer:${encodeURIComponent(login.password)}@127.0.0.1:${port}` });
    await sendBy({ smtpUrl: inbox.url, smtpUser: login.user, smtpPassword: login.password });
    expect(inbox.mails.map(({ user }) => user)).toEqual(['mailer', 'mailer']);
  });

  test('that refuses the login is retried: the mail is not at fault', async () => {
    inbox = await startInbox({ login: { user: 'mailer', password: 'right' } });
    const fault = await sendBy({ smtpUrl: inbox.url, smtpUser: 'mailer', smtpPassword: 'wrong' });
    expect(fault).toBeInstanceOf(DeliveryError);
    expect(fault).toMatchObject({ permanent: false, message: expect.stringContaining('EAUTH') });
    expect((fault as Error).message).not.toContain('wrong');
  });

  test('on this machine gets TLS if it offers it, with any certificate', async () => {
    inbox = await startInbox({ tls: true });
    await sendBy({ smtpUrl: inbox.url });
    expect(inbox.mails).toMatchObject([{ secure: true }]);
  });

  test('elsewhere gets nothing without TLS unless the operator allows it', async () => {
    inbox = await startInbox();
    const smtpUrl = beyond(inbox.port);
    expect(await sendBy({ smtpUrl })).toMatchObject({ name: 'DeliveryError', permanent: false });
    expect(inbox.mails).toEqual([]);
    await sendBy({ smtpUrl, smtpAllowPlain: true });
    expect(inbox.mails).toMatchObject([{ secure: false }]);
  });

  test('elsewhere gets nothing with an untrusted certificate', async () => {
    inbox = await startInbox({ tls: true });
    const smtpUrl = beyond(inbox.port);
    for (const smtpAllowPlain of [false, true])
      expect(await sendBy({ smtpUrl, smtpAllowPlain })).toMatchObject({ name: 'DeliveryError', permanent: false });
    expect(inbox.mails).toEqual([]);
  });

  test('that refuses permanently, and one that refuses temporarily', async () => {
    inbox = await startInbox();
    inbox.refuse(() => ({ code: 550, text: '5.7.1 not wanted' }));
    expect(await sendBy({ smtpUrl: inbox.url })).toMatchObject({ permanent: true });
    inbox.refuse(() => ({ code: 451, text: '4.7.1 later' }));
    expect(await sendBy({ smtpUrl: inbox.url })).toMatchObject({ permanent: false });
  });
});

describe('settings', () => {
  test('without a server there is no channel', () => {
    expect(smtpChannel(base)).toBeUndefined();
  });

  test.each([
    ['no sender', { smtpUrl: 'smtp://localhost', mailFrom: undefined }],
    ['a sender that is not an address', { smtpUrl: 'smtp://localhost', mailFrom: 'Countersign' }],
    ['a URL without a host', { smtpUrl: 'smtp://user:secret@' }],
    ['an invalid URL', { smtpUrl: 'smtp://user:secret@host:port' }],
  ])('%s: refused without quoting a password', (_, settings) => {
    const start = () => smtpChannel({ ...base, ...settings } as Parameters<typeof smtpChannel>[0]);
    expect(start).toThrow(ConfigError);
    expect(start).not.toThrow(/secret/);
  });
});
