import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { browserName } from '../src/offline/browser-push.ts';
import { noticeOf } from '../src/offline/notices.ts';

const organizationId = '019a8c5e-0000-7000-8000-000000000001';
const activityId = '019a8c5e-0000-7000-8000-000000000002';
const notice = (more: object) => noticeOf(JSON.stringify({ organizationId, activityId, more: 0, ...more }));

describe('notification of a push message', () => {
  test('contains the sentence, the number of other pending requests and the page of the newest', () => {
    expect(notice({ sentence: 'Ann asks: send 25,000 USDC to Acme', more: 2 })).toEqual({
      title: 'Your approval is needed',
      body: 'Ann asks: send 25,000 USDC to Acme\n2 more are pending.',
      tag: `approvals ${organizationId}`,
      page: `#/approvals/${activityId}?organization=${organizationId}`,
      badge: 3,
    });
    expect(notice({ about: 'FREEZES' }).badge).toBeUndefined();
    expect(noticeOf('{').badge).toBeUndefined();
    expect(notice({}).body).toBe('A request needs your approval.');
    expect(notice({ more: 3 }).body).toBe('4 requests need your approval.');
    expect(notice({ sentence: 'Ann asks: pay', more: 1 }).body).toBe('Ann asks: pay\nOne more is pending.');
  });

  test('A83: any message opens a page of the console; an invalid one opens the list', () => {
    const strange = [
      undefined,
      '',
      '{',
      'null',
      '[]',
      '"text"',
      JSON.stringify({ organizationId, activityId: '../x#/setup?token=1' }),
    ];
    for (const text of strange) expect(noticeOf(text).page).toBe('#/approvals');
    const anything = fc.oneof(fc.string(), fc.json(), fc.constant(activityId), fc.webUrl());
    fc.assert(
      fc.property(anything, anything, anything, fc.jsonValue(), (organization, activity, sentence, more) => {
        const text = JSON.stringify({
          organizationId: organization,
          activityId: activity,
          sentence,
          more,
          url: 'https://evil.example',
        });
        const { page, body } = noticeOf(text);
        expect(page).toMatch(/^#\/approvals(\/[\w-]{1,64}\?organization=[\w-]{1,64})?$/);
        const scope = 'https://keys.example.com/eu/console/';
        expect(new URL(page, scope).href.startsWith(`${scope}#/approvals`)).toBe(true);
        expect(body).not.toBe('');
        expect(body.length).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });
});

test('browserName names the browser and the system', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
  expect(browserName(chrome)).toBe('Chrome, Linux');
  expect(browserName(`${chrome} Edg/156.0.0.0`)).toBe('Edge, Linux');
  expect(browserName('Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0')).toBe('Firefox, Android');
  expect(browserName('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1')).toBe(
    'Safari, iPhone',
  );
  expect(browserName('')).toBe('Browser');
});
