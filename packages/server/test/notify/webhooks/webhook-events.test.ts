import { type ActivityStatus, activityStatus, activityTypes, type WebhookSubscription } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFilters, subscribersOf } from '../../../src/notify/webhooks/webhook-events.ts';
import { organizationWith } from './organization.ts';

const sign = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
const wallet = 'ACTIVITY_TYPE_CREATE_WALLET';
const [completed, failed] = ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED'] as const;

const subscription = (filters?: object, isActive?: boolean): WebhookSubscription => ({
  eventType: 'ACTIVITY_UPDATES',
  ...(filters && { filtersJson: JSON.stringify(filters) }),
  ...(isActive !== undefined && { isActive }),
});

/** Whether an endpoint with these subscriptions gets an activity. */
function wants(subscriptions: readonly WebhookSubscription[], type: string, status: ActivityStatus): boolean {
  const [subscriber] = subscribersOf(organizationWith({ endpoints: { e: { subscriptions } } }));
  return subscriber?.wants({ type, status }) ?? false;
}

describe('the subscribers of an organization', () => {
  test('are its active endpoints, with their addresses', () => {
    const organization = organizationWith({ endpoints: { a: {}, b: { isActive: false }, c: {} } });
    expect(subscribersOf(organization).map(({ endpointId, url }) => [endpointId, url])).toEqual([
      ['a', 'https://a.example.com/'],
      ['c', 'https://c.example.com/'],
    ]);
  });

  test('include the address of FEATURE_NAME_WEBHOOK, for everything', () => {
    const features = [{ name: 'FEATURE_NAME_SMS_AUTH' as const }, { name: 'FEATURE_NAME_WEBHOOK' as const, value: 'https://f/' }];
    const subscribers = subscribersOf(organizationWith({ endpoints: { a: {} }, features }));
    expect(subscribers.map(({ endpointId, url }) => [endpointId, url])).toEqual([
      ['a', 'https://a.example.com/'],
      ['o', 'https://f/'],
    ]);
    expect(subscribers[1]?.wants({ type: sign, status: failed })).toBe(true);
  });

  test('are none by default', () => {
    expect(subscribersOf(organizationWith())).toEqual([]);
  });

  test('are computed once for each version of the organization', () => {
    const organization = organizationWith({ endpoints: { a: {} } });
    expect(subscribersOf(organization)).toBe(subscribersOf(organization));
    expect(subscribersOf(organizationWith())).toEqual([]);
  });
});

describe('what an endpoint subscribes to', () => {
  test.each([
    ['everything', [subscription()], [true, true, true, true]],
    ['a type', [subscription({ types: [sign] })], [true, true, false, false]],
    ['a status', [subscription({ statuses: [failed] })], [false, true, false, true]],
    ['a type in a status', [subscription({ types: [sign], statuses: [failed] })], [false, true, false, false]],
    ['one of several types', [subscription({ types: [sign, wallet] })], [true, true, true, true]],
    [
      'what any of its subscriptions selects',
      [subscription({ types: [wallet], statuses: [completed] }), subscription({ types: [sign], statuses: [failed] })],
      [false, true, true, false],
    ],
    ['nothing by a subscription that is off', [subscription({}, false)], [false, false, false, false]],
    [
      'what the others select when one is off',
      [subscription({}, false), subscription({ types: [sign] }, true)],
      [true, true, false, false],
    ],
    ['nothing without a subscription', [], [false, false, false, false]],
    [
      'nothing by filters that cannot be read',
      [{ eventType: 'ACTIVITY_UPDATES' as const, filtersJson: '{"types":[]}' }],
      [false, false, false, false],
    ],
  ])('%s', (_what, subscriptions, expected) => {
    const asked = [
      [sign, completed],
      [sign, failed],
      [wallet, completed],
      [wallet, failed],
    ] as const;
    expect(asked.map(([type, status]) => wants(subscriptions, type, status))).toEqual(expected);
  });

  test('filters exclude exactly what they do not name', () => {
    const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
    fc.assert(
      fc.property(
        fc.record({ types: some(activityTypes), statuses: some(activityStatus.options) }, { requiredKeys: [] }),
        fc.constantFrom(...activityTypes),
        fc.constantFrom(...activityStatus.options),
        (filters, type, status) => {
          const named = (filters.types?.includes(type) ?? true) && (filters.statuses?.includes(status) ?? true);
          expect(wants([subscription(filters)], type, status)).toBe(named);
        },
      ),
    );
  });
});

describe('filters', () => {
  test.each([{}, { types: [sign] }, { statuses: [completed, failed] }, { types: [wallet], statuses: [failed] }])(
    '%j is valid',
    (filters) => {
      expect(readFilters(JSON.stringify(filters))).toEqual(filters);
    },
  );

  test.each([
    ['', 'must be JSON'],
    ['{', 'must be JSON'],
    ['{"types":["A"]} x', 'must be JSON'],
    ['[]', 'must be an object'],
    ['null', 'must be an object'],
    ['"types"', 'must be an object'],
    ['{"type":["ACTIVITY_TYPE_CREATE_WALLET"]}', 'must be an object'],
    ['{"types":[]}', 'types: must not be empty'],
    ['{"statuses":[]}', 'statuses: must not be empty'],
    ['{"types":"ACTIVITY_TYPE_CREATE_WALLET"}', 'types: '],
    ['{"types":["ACTIVITY_TYPE_MADE_UP"]}', 'types.0: '],
    ['{"statuses":["COMPLETED"]}', 'statuses.0: '],
    ['{"__proto__":{"types":[]}}', 'must be an object'],
  ])('%s is refused with the reason', (json, problem) => {
    expect(readFilters(json)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
