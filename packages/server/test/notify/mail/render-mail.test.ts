import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tagsOf } from '../../../../../test/features/sign-in/tags-of.ts';
import { type Message, messagePurposes } from '../../../src/notify/mail/message.ts';
import { type MailStyle, renderMail } from '../../../src/notify/mail/render-mail.ts';
import { renderSms } from '../../../src/notify/mail/render-sms.ts';

const style: MailStyle = { appName: 'Countersign', findTemplate: () => undefined };

const message = (fields: Partial<Message> = {}): Message => ({
  channel: 'EMAIL',
  purpose: 'EMAIL_AUTH',
  to: 'someone@example.com',
  secret: 'SECRET123',
  expiresAtMs: Date.UTC(2026, 10, 15, 12, 34),
  organizationName: 'Acme',
  look: {},
  sender: {},
  ...fields,
});

/** The tags of the layout itself. A message must add none. */
const ownTags = (fields: Partial<Message>) => tagsOf(renderMail(message(fields), style).html);

describe.each(messagePurposes.filter((purpose) => purpose !== 'APPROVALS'))('%s', (purpose) => {
  test('has the same content in both parts, and no secret in the subject', () => {
    const { subject, text, html } = renderMail(message({ purpose, inviter: 'Operations' }), style);
    for (const part of [text, html]) {
      expect(part).toContain('SECRET123');
      expect(part).toContain('15 November 2026, 12:34 UTC');
      expect(part).toContain('Countersign');
    }
    expect(subject).not.toContain('SECRET123');
    expect(subject.length).toBeGreaterThan(5);
    expect(text).not.toMatch(/undefined|\[object/);
    expect(html).not.toMatch(/undefined|\[object/);
  });

  test('no value adds a tag or an attribute to the mail', () => {
    const plain = { purpose, inviter: 'x', organizationName: 'x', look: { appName: 'x' } };
    const expected = ownTags(plain);
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.constantFrom('', '"', "'", '<', '<img src=x onerror=x>'),
        (noise, tail) => {
          const text = `${noise}${tail}`;
          const look = { appName: text === '' ? 'x' : text };
          expect(ownTags({ purpose, inviter: text, organizationName: text, secret: `s${text}`, look })).toEqual(expected);
        },
      ),
    );
  });
});

test('a link and a logo add one tag each, whatever they contain', () => {
  const plain = ownTags({ look: { magicLinkTemplate: 'https://a.example/%s', logoUrl: 'https://a.example/x' } });
  expect(plain.filter(({ name }) => name === 'img' || name === 'a')).toHaveLength(2);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (noise) => {
      const look = {
        magicLinkTemplate: `https://a.example/%s${noise}"><b onx='y'>`,
        logoUrl: `https://a.example/${noise}"><script>`,
      };
      expect(ownTags({ look })).toEqual(plain);
    }),
  );
});

test.each([
  'javascript:alert(%s)',
  'JavaScript:alert(%s)',
  ' javascript:%s',
  'data:text/html,%s',
  'vbscript:%s',
  'file:///%s',
  '/relative/%s',
  '%s',
  'https://no-place.example',
])('no link is made from %j', (magicLinkTemplate) => {
  const { html, text } = renderMail(message({ look: { magicLinkTemplate } }), style);
  expect(html).not.toContain('href=');
  expect(text).not.toContain('Sign in:');
});

test.each(['https://app.example/%s', 'http://localhost:3000/auth?x=1&b=%s#here', 'myapp://auth/%s'])(
  'a link is made from %j',
  (template) => {
    const { html, text } = renderMail(message({ secret: 'a/b+c', look: { magicLinkTemplate: template } }), style);
    const link = template.replace('%s', 'a%2Fb%2Bc');
    expect(text).toContain(link);
    expect(html).toContain(`href="${link.replaceAll('&', '&amp;')}"`);
  },
);

test.each(['http://static.example/logo.png', 'data:image/png;base64,AAAA', 'javascript:x', '//static.example/x', 'nonsense'])(
  'no logo is shown from %j',
  (logoUrl) => {
    expect(renderMail(message({ look: { logoUrl } }), style).html).not.toContain('<img');
  },
);

test('empty customization counts as none', () => {
  const look = { appName: '', logoUrl: '', magicLinkTemplate: '', templateVariables: '', templateId: '' };
  expect(renderMail(message({ look }), style)).toEqual(renderMail(message(), style));
});

test('a text message has the code and the application’s name', () => {
  expect(renderSms(message({ channel: 'SMS', purpose: 'CODE' }), 'Countersign')).toBe(
    'SECRET123 is your Countersign code. Do not share it.',
  );
});

describe('an invitation', () => {
  const invitation = message({ purpose: 'INVITATION', secret: 'org.inv.user.key', inviter: 'Ann' });
  const console = { ...style, consoleUrl: 'https://keys.example.com/console/' };
  const link = 'https://keys.example.com/console/#/accept?organization=org&invitation=inv&user=user&token=key';

  test('links to the console, with the key in the fragment, and holds the key as before', () => {
    const { text, html } = renderMail(invitation, console);
    expect(text).toContain(`\n${link}\n`);
    expect(html).toContain(`href="${link.replaceAll('&', '&amp;')}"`);
    expect(text).toContain('org.inv.user.key');
  });

  test("links to the operator's own page where there is one, and nowhere without either", () => {
    const own = renderMail(invitation, { ...console, invitationUrl: 'https://app.example.com/join#%s' });
    expect(own.text).toContain('https://app.example.com/join#org.inv.user.key');
    expect(own.text).not.toContain('keys.example.com');
    expect(renderMail(invitation, style).text).not.toContain('http');
  });
});

describe('what waits for approval', () => {
  const items = [
    { activityId: 'a1', sentence: 'Ann asks: send 25 USDC to Acme' },
    { activityId: 'a2', sentence: '<b>Bob</b> asks: "x"' },
  ];
  const approvals = { organizationId: 'org', items, more: 3 };
  const waiting = message({ purpose: 'APPROVALS', secret: '', approvals });
  const console = { ...style, consoleUrl: 'https://keys.example.com/console/' };

  test('is a list of sentences, each with the page of its activity', () => {
    const { subject, text, html } = renderMail(waiting, console);
    expect(subject).toBe('5 requests are pending your approval on Countersign');
    expect(text).toContain('Ann asks: send 25 USDC to Acme\nhttps://keys.example.com/console/#/approvals/a1?organization=org\n');
    expect(text).toContain('and 3 more');
    expect(text).toContain('Review:\nhttps://keys.example.com/console/#/approvals?organization=org');
    expect(html).toContain('&lt;b&gt;Bob&lt;/b&gt;');
    expect(text).not.toMatch(/Valid until|undefined|Your code/);
    expect(html).not.toMatch(/Valid until|undefined|Your code/);
  });

  test('one activity is one press away', () => {
    const one = { ...waiting, approvals: { ...approvals, items: items.slice(0, 1), more: 0 } };
    const { subject, text } = renderMail(one, console);
    expect(subject).toBe('One request is pending your approval on Countersign');
    expect(text).toContain('Review:\nhttps://keys.example.com/console/#/approvals/a1?organization=org');
  });

  test('D197: no link approves: every one opens a page, and without a console there is none', () => {
    const links = renderMail(waiting, console).html.match(/href="[^"]*"/g) ?? [];
    expect(links).toHaveLength(3);
    for (const link of links) expect(link).toMatch(/^href="https:\/\/keys\.example\.com\/console\/#\/approvals/);
    expect(renderMail(waiting, style).html).not.toContain('href');
  });

  test('no sentence adds a tag or an attribute to the mail', () => {
    const tagsWith = (sentence: string) =>
      tagsOf(renderMail({ ...waiting, approvals: { ...approvals, items: [{ activityId: 'a', sentence }] } }, console).html);
    const expected = tagsWith('x');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (noise) => void expect(tagsWith(noise)).toEqual(expected)),
    );
  });
});
