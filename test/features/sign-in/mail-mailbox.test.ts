import { afterAll, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { startService } from '../../support/service.ts';
import { errorOf } from '../../support/world.ts';
import { createCustomer, createReachable, keyFrom, mailSettings, newAddress, outboxRows, until } from './mail-support.ts';
import { startInbox } from './smtp-inbox.ts';
import { tagsOf } from './tags-of.ts';
import { newTarget } from './transfer-support.ts';

/** The tags that pages and mails consist of. */
const harmless = new Set(
  'html head meta title style body header h1 h2 h3 p main nav a b span article dl dt dd code pre iframe div table tr td img strong'.split(
    ' ',
  ),
);

const inbox = await startInbox();
afterAll(() => inbox.stop());

describeEngines('the development mailbox', (subject) => {
  const root = () => subject().service.root;
  const token = () => subject().service.services.vault.integrity.mailboxToken;
  const kept = (organizationId: string, count = 1) =>
    until('the message is kept', async () => {
      const rows = await outboxRows(subject().raw, organizationId);
      return rows.filter(({ state }) => state === 'kept').length === count;
    });

  async function page(query: string): Promise<{ status: number; body: string; headers: Headers }> {
    const response = await fetch(`${subject().service.url}/dev/mail${query}`);
    return { status: response.status, body: await response.text(), headers: response.headers };
  }

  test('without a mail server a mail is kept, sealed, and its key signs in', async () => {
    const { backend, own, email, userId, organizationId } = await createCustomer(root());
    const target = newTarget();
    await backend.result('emailAuth', { email, targetPublicKey: target.hex, sendFromEmailAddress: 'anybody@anywhere.example' });
    await kept(organizationId);
    const { status, body, headers } = await page(`?token=${token()}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const bundle = /class="secret">([^<]+)</.exec(body)?.[1] ?? '';
    expect(await own.with({ key: keyFrom(bundle, target) }).data('whoami')).toMatchObject({ userId });
    expect((await subject().raw.dump()).includes(bundle)).toBe(false);
    expect(subject().service.logText()).not.toContain(bundle);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('a text message is kept too, and not in the log', async () => {
    const { own, backend, phoneNumber, organizationId } = await createCustomer(root());
    for (const caller of [root(), own])
      await caller.result('setOrganizationFeature', { name: 'FEATURE_NAME_SMS_AUTH', value: '' });
    await backend.result('initOtpAuth', { otpType: 'OTP_TYPE_SMS', contact: phoneNumber });
    await kept(organizationId);
    const { body } = await page(`?token=${token()}`);
    const code = /class="secret">([^<]+)</.exec(body)?.[1] ?? '';
    expect(code).toMatch(/^[0-9A-Z]{9}$/);
    expect(body).toContain(`${code} is your Countersign code.`);
    expect(body).not.toContain('<iframe');
    expect(subject().service.logText()).not.toContain(code);
  });

  test('the page needs its token and a host name of this machine', async () => {
    const { service } = subject();
    for (const query of ['', '?token=', '?token=x', `?token=${token().slice(0, -1)}x`, `?token=${token()}x`, `#${token()}`]) {
      const { status, body } = await page(query);
      expect(status, query).toBe(403);
      expect(body).not.toContain('@example.com');
    }
    const ask = (host: string) => sendRaw(service.url, [`GET /dev/mail?token=${token()} HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '8.8.8.8'])
      expect((await ask(host)).status, host).toBe(403);
    for (const host of ['localhost', `127.0.0.1:${new URL(service.url).port}`, '[::1]'])
      expect((await ask(host)).status, host).toBe(200);
  });

  test('nothing from a request becomes markup in the page', async () => {
    const { email, userId } = await createReachable(root());
    const nasty = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;
    await root().result('updateUser', { userId, userName: nasty });
    await root().result('emailAuth', {
      email,
      targetPublicKey: newTarget().hex,
      emailCustomization: {
        appName: nasty,
        magicLinkTemplate: `https://x.example/%s${nasty}`,
        logoUrl: `https://x.example/${nasty}`,
      },
    });
    const rows = async () => (await outboxRows(subject().raw, root().organizationId)).filter(({ state }) => state === 'kept');
    await until('it is kept', async () => (await rows()).length > 0);
    const id = (await rows()).at(-1)?.id;
    const { body } = await page(`?token=${token()}&id=${id}`);
    expect(body).toContain('alert(1)');
    expect(tagsOf(body).filter(({ name }) => !harmless.has(name))).toEqual([]);
    // The mail itself is in an attribute, escaped once more. The browser shows it in a frame that runs nothing.
    const mail = (/srcdoc="([^"]*)"/.exec(body)?.[1] ?? '').replace(
      /&(amp|lt|gt|quot|#39);/g,
      (entity) => ({ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" })[entity] as string,
    );
    expect(mail).toMatch(/^<!doctype html>/);
    expect(
      tagsOf(mail).filter(({ name, attributes }) => !harmless.has(name) || attributes.some((each) => each.startsWith('on'))),
    ).toEqual([]);
    expect(body).toMatch(/<iframe [^>]*sandbox="allow-popups allow-popups-to-escape-sandbox"/);
  });

  test('neither a server that others can reach nor one with a mail server has the page', async () => {
    const { installation } = subject();
    for (const config of [{ host: '0.0.0.0' }, mailSettings(inbox)]) {
      const other = await startService(installation, { config });
      const response = await fetch(`${other.url}/dev/mail?token=${token()}`);
      expect(errorOf({ status: response.status, body: await response.json() })).toEqual({ status: 404, code: 'PATH_NOT_FOUND' });
      await other.close();
    }
  });

  test('with a mail server, kept messages are deleted and not sent', async () => {
    const { installation, raw } = subject();
    const contact = newAddress();
    await root().result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact });
    await until('it is kept', async () => (await raw.all("SELECT id FROM outbox WHERE state = 'kept'")).length > 0);
    const other = await startService(installation, { config: mailSettings(inbox) });
    await until('the mailbox is empty', async () => (await raw.all("SELECT id FROM outbox WHERE state = 'kept'")).length === 0);
    await other.close();
    expect(inbox.mails.filter(({ to }) => to === contact)).toEqual([]);
  });
});
