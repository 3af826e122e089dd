import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOwnTemplate, readVariables, renderOwnTemplate } from '../../../src/notify/mail/own-template.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-templates-'));
  const save = (name: string, text: string) => writeFileSync(join(folder, name), text);
  save('welcome.html', '<h1>{{ headline }}</h1><a href="{{link}}">{{secret}}</a>{{missing}}');
  save('welcome.txt', 'Subject: {{headline}} at {{appName}}\n\n{{secret}} {{ link }}\n');
  save('half.html', '<p></p>');
  save('secret.key', 'x');
});
afterAll(() => rmSync(folder, { recursive: true }));

const own = { appName: 'Ledger', secret: 'S<1>', link: 'https://a.example/?x=1&y=2', subject: 'Sign in' };
const welcome = () => {
  const template = findOwnTemplate(folder, 'welcome');
  if (template === undefined) throw new Error('the template is not there');
  return template;
};

describe('an own template', () => {
  test('is filled in both parts, escaped in the HTML part, and has its own subject', () => {
    expect(renderOwnTemplate(welcome(), own, '{"headline":"<b>Hi</b>"}')).toEqual({
      subject: '<b>Hi</b> at Ledger',
      text: 'S<1> https://a.example/?x=1&y=2\n',
      html: '<h1>&lt;b&gt;Hi&lt;/b&gt;</h1><a href="https://a.example/?x=1&amp;y=2">S&lt;1&gt;</a>',
    });
  });

  test('a request can neither replace the service’s secret or link nor add placeholders', () => {
    const variables = JSON.stringify({ link: 'https://evil.example', secret: 'x', headline: '{{secret}}' });
    const { html, subject } = renderOwnTemplate(welcome(), own, variables);
    expect(html).toContain('<h1>{{secret}}</h1><a href="https://a.example/');
    expect(subject).toBe('{{secret}} at Ledger');
  });

  test('a subject is one line', () => {
    const { subject } = renderOwnTemplate(welcome(), own, JSON.stringify({ headline: 'a\r\nBcc: x@evil.example' }));
    expect(subject).toBe('a Bcc: x@evil.example at Ledger');
  });

  test.each([
    '../welcome',
    'welcome.html',
    './welcome',
    'secret.key',
    'half',
    'none',
    '',
    'a/b',
    'welcome\u0000',
    '%2e%2e/welcome',
  ])('%j is not a template', (templateId) => expect(findOwnTemplate(folder, templateId)).toBeUndefined());

  test('without a folder there are no templates', () => {
    expect(findOwnTemplate(undefined, 'welcome')).toBeUndefined();
  });
});

test.each([['[]'], ['"x"'], ['{"a":1}'], ['{"a":{}}'], ['nonsense'], ['null']])('%s are not variables', (text) => {
  expect(readVariables(text)).toBeUndefined();
});

test('names that objects inherit are ordinary names', () => {
  const template = { html: '{{constructor}}{{__proto__}}', text: '{{toString}}' };
  expect(renderOwnTemplate(template, own, '{"constructor":"c"}')).toMatchObject({ html: 'c{{__proto__}}', text: '' });
});
