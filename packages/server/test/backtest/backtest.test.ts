import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOW, organization } from '../../../judgement/test/support/world.ts';
import { changedRules } from '../../src/backtest/changed-rules.ts';
import { readCursor, writeCursor } from '../../src/backtest/cursor.ts';
import { encodeValue } from '../../src/backtest/encode-value.ts';
import { HistoryCursor } from '../../src/backtest/history-cursor.ts';
import { createSlots } from '../../src/backtest/slots.ts';
import { compareTimestamps, lowestIdAt } from '../../src/backtest/timestamp.ts';

describe('slots', () => {
  test('D146: only a few backtests run in an organization and in a process, and each makes room when it ends', async () => {
    const slots = createSlots();
    const ends: (() => void)[] = [];
    const begin = (organizationId: string) =>
      slots.run(organizationId, () => new Promise<string>((end) => ends.push(() => end('done')))).catch(({ code }) => code);
    const running = [begin('a'), begin('a')];
    expect(await begin('a')).toBe('RATE_LIMIT_EXCEEDED');
    running.push(begin('b'), begin('c'));
    expect(await begin('d')).toBe('RATE_LIMIT_EXCEEDED');
    ends.shift()?.();
    expect(await running[0]).toBe('done');
    running.push(begin('a'));
    for (const end of ends) end();
    expect(await Promise.all(running)).toEqual(running.map(() => 'done'));
  });

  test('a task that fails makes room too', async () => {
    const slots = createSlots();
    for (let count = 0; count < 10; count++)
      await expect(slots.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

test('the lowest id of a time is above all ids of earlier times, and below those of its own', () => {
  const id = (ms: number) => `${lowestIdAt(ms).slice(0, 14)}7abc-8def-0123456789ab`;
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 31 }), (ms) => {
      const at = ms * 1000;
      expect(lowestIdAt(at) < id(at)).toBe(true);
      expect(at === 0 || id(at - 1) < lowestIdAt(at)).toBe(true);
    }),
  );
});

test('a cursor is read as it was written, and nothing else is one', () => {
  const uuid = fc.uuid();
  fc.assert(
    fc.property(uuid, uuid, fc.nat(), fc.option(uuid, { nil: undefined }), (afterId, endId, startedAtMs, replay) => {
      const cursor = { afterId, endId, startedAtMs, replay };
      expect(readCursor(writeCursor(cursor))).toEqual(cursor);
    }),
  );
  const refused = (text: string) => {
    expect(() => readCursor(text)).toThrow('cursor');
  };
  fc.assert(fc.property(fc.string(), refused));
});

test('values are written as case files read them', () => {
  const value = { n: 5n, list: [true, 'x'], map: new Map([['k', 7n]]) };
  expect(encodeValue(value)).toEqual({ n: { $int: '5' }, list: [true, 'x'], map: { $map: { k: { $int: '7' } } } });
});

test('a history cursor yields the same organization at a timestamp, from any position', () => {
  const user = (userName: string) => ({ userName, userTags: [], createdAtMs: 0, updatedAtMs: 0 });
  const profile = {
    name: 'O',
    parentId: null,
    rootQuorum: { threshold: 1, userIds: [] },
    features: [],
    createdAtMs: 0,
    updatedAtMs: 0,
  };
  const change = fc.record({ id: fc.constantFrom('a', 'b', 'c'), name: fc.string() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), fc.array(fc.nat({ max: 13 }), { minLength: 1 }), (changes, visits) => {
      const history = {
        organizationId: 'o',
        version: 1,
        builtAtMs: 100,
        base: [{ put: 'organization', id: 'o', body: profile }],
        changes: changes.map(({ id, name }, index) => ({
          timestamp: { atMs: Math.floor(index / 2), voteId: `${index % 2}` },
          changes: [{ put: 'user', id, body: user(name) }],
        })),
        knownSinceMs: 0,
      };
      const cursor = new HistoryCursor(history);
      for (const visit of visits) {
        const timestamp = { atMs: Math.floor(visit / 2), voteId: `${visit % 2}` };
        const before = history.changes.filter((each) => compareTimestamps(each.timestamp, timestamp) < 0);
        const expected = new Map(before.map((_, index) => [changes[index]?.id ?? '', user(changes[index]?.name ?? '')]));
        expect(new Map(cursor.at(timestamp).organization().users)).toEqual(expected);
      }
    }),
  );
});

test('D177: the policies of a change are a version of those in force, so that only what changed is compiled', () => {
  const where = organization([{ id: 'a' }], { p: { language: 2, condition: 'true' }, q: { language: 2, condition: 'false' } });
  const update = [{ policyId: 'p', policyNotes: 'changed' }];
  const added = { policyName: 'N', effect: 'EFFECT_DENY' as const, condition: 'true', notes: '' };
  const { policies } = changedRules(where, { policies: { update, remove: ['q'], add: [added] }, velocityControls: {} }, NOW);
  expect([...policies].map(([id, { notes }]) => [id, notes])).toEqual([
    ['new:N', ''],
    ['p', 'changed'],
  ]);
  expect((policies as typeof where.policies).lineage).toBe(where.policies.lineage);
  expect(changedRules(where, { policies: {}, velocityControls: {} }, NOW).policies).toBe(where.policies);
});
