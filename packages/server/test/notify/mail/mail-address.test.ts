import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { maySendFrom, parseMailFrom } from '../../../src/notify/mail/mail-address.ts';

test.each([
  ['a@b.example', { name: '', address: 'a@b.example' }],
  ['Name <a@b.example>', { name: 'Name', address: 'a@b.example' }],
  ['"Name, Inc." <a@b.example>', { name: 'Name, Inc.', address: 'a@b.example' }],
])('%s is a sender', (text, expected) => expect(parseMailFrom(text)).toEqual(expected));

test.each(['', 'Name', 'Name <>', 'a@b.example, c@d.example', 'Name <a@b.example> x', 'a@b.example\r\nBcc: x@y.example'])(
  '%j is not a sender',
  (text) => expect(() => parseMailFrom(text)).toThrow(ConfigError),
);

const settings = {
  sendsMail: true,
  mailFrom: 'no-reply@ours.example',
  mailSenders: ['help@partner.example', '@Brand.example'],
};

test.each(['a@ours.example', 'A@OURS.example', 'help@partner.example', 'any@brand.example'])('%s may send', (address) =>
  expect(maySendFrom(settings, address)).toBe(true),
);

test.each([
  'a@partner.example',
  'a@evil-ours.example',
  'a@sub.ours.example',
  'a@ours.example.evil.example',
  '"a@ours.example"@evil.example',
])('%s may not', (address) => expect(maySendFrom(settings, address)).toBe(false));

test('the development mailbox sends nothing, and accepts any sender', () => {
  expect(maySendFrom({ sendsMail: false, mailSenders: [] }, 'anybody@anywhere.example')).toBe(true);
});
