import { activityByType } from '@countersign/contract';
import type { JudgedOrganization, Judgement, VelocityControlRecord } from '@countersign/judgement';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageReplay } from '../../src/backtest/usage-replay.ts';

const dates = { createdAtMs: 0, updatedAtMs: 0 };
const WINDOW_SECONDS = 10;
const control: VelocityControlRecord = {
  name: 'Signatures',
  identifier: 'signatures',
  dataSource: { activityExecution: {} },
  aggregation: {
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
    operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
    threshold: '5',
    window: { rolling: { duration: `${WINDOW_SECONDS}` } },
    groupBy: { organization: {} },
  },
  epoch: 0,
  ...dates,
};
const organization: JudgedOrganization = {
  id: 'o',
  profile: { rootQuorum: { threshold: 1, userIds: [] }, features: [] },
  users: new Map(),
  apiKeys: new Map(),
  authenticators: new Map(),
  policies: new Map([
    ['p', { policyName: 'P', effect: 'EFFECT_ALLOW', condition: 'controls.signatures', notes: '', language: 2, ...dates }],
  ]),
  records: {
    mfaPolicy: new Map(),
    contact: new Map(),
    token: new Map(),
    oauthProvider: new Map(),
    smartContractInterface: new Map(),
    velocityControl: new Map([['c', control]]),
    freeze: new Map(),
  },
  apiKeyByPublicKey: new Map(),
};

function judgementAt(nowMs: number): Judgement {
  const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
  const definition = activityByType.get(type)?.definition as Judgement['definition'];
  return { organization, target: organization, votes: [], definition, type, params: {}, subject: {}, nowMs };
}

test('the usage of a window is what a naive sum over all requests says', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 30_000 }), { maxLength: 30 }), (times) => {
      const replay = new UsageReplay();
      const counted: number[] = [];
      for (const atMs of times.toSorted((a, b) => a - b)) {
        const [usage] = [...(replay.before(judgementAt(atMs)).usage?.values() ?? [])];
        const expected = counted.filter((each) => each > atMs - WINDOW_SECONDS * 1000).length;
        expect(usage?.used).toBe(BigInt(expected) * 10n ** 18n);
        expect(usage?.revision).toBe(counted.length);
        replay.add(judgementAt(atMs));
        counted.push(atMs);
      }
    }),
  );
});
