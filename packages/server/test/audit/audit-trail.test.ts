import { afterEach, describe, expect, test, vi } from 'vitest';
import type { AuditSink } from '../../src/audit/audit-sink.ts';
import { type AuditOptions, type AuditTrail, createAuditTrail } from '../../src/audit/audit-trail.ts';

/** A sink in memory that can refuse. */
class MemorySink implements AuditSink {
  readonly lines: string[] = [];
  isBroken = false;
  writes = 0;

  async write(lines: readonly string[]): Promise<void> {
    this.writes++;
    if (this.isBroken) throw new Error('the disk is full');
    this.lines.push(...lines);
  }

  async close(): Promise<void> {}

  records() {
    return this.lines.map((line) => JSON.parse(line));
  }
}

describe('audit trail', () => {
  const trails: AuditTrail[] = [];
  afterEach(async () => {
    vi.useRealTimers();
    for (const trail of trails.splice(0)) await trail.close();
  });

  function open(sink: MemorySink, options: Partial<AuditOptions> = {}) {
    const counts: Record<string, number> = {};
    const trail = createAuditTrail({
      sink,
      required: true,
      version: '1.2.3',
      log: { error: () => undefined, warn: () => undefined },
      onRecords: (outcome, count) => {
        counts[outcome] = (counts[outcome] ?? 0) + count;
      },
      ...options,
    });
    trails.push(trail);
    return { trail, counts };
  }

  const request = (fields: object = {}) => ({
    requestId: 'r1',
    operation: 'sign_raw_payload',
    status: 200,
    durationMs: 1,
    credentialId: 'c1',
    ...fields,
  });

  test('numbers the records of a process without a gap, and says when it started', async () => {
    const sink = new MemorySink();
    const { trail, counts } = open(sink);
    await Promise.all([1, 2, 3].map((number) => trail.record(request({ requestId: `r${number}` }))));
    expect(sink.records()).toMatchObject([
      { sequence: 0, event: 'started', version: '1.2.3' },
      { sequence: 1, requestId: 'r1', operation: 'sign_raw_payload', status: 200, credentialId: 'c1' },
      { sequence: 2, requestId: 'r2' },
      { sequence: 3, requestId: 'r3' },
    ]);
    expect(new Set(sink.records().map(({ instance }) => instance)).size).toBe(1);
    expect(sink.writes).toBe(1);
    expect(counts).toEqual({ taken: 4 });
  });

  test('D608: a record that the sink does not take rejects its response and the next requests, until the sink takes it', async () => {
    const sink = new MemorySink();
    const { trail } = open(sink);
    await trail.record(request());
    sink.isBroken = true;
    await expect(trail.record(request({ requestId: 'lost?' }))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(() => trail.requireAvailable()).toThrow('Nothing was executed');
    expect(trail.problem()).toBe('the audit sink does not take records');
    sink.isBroken = false;
    await expect.poll(() => trail.problem()).toBeUndefined();
    expect(sink.records().map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
    expect(sink.records().at(-1)).toMatchObject({ requestId: 'lost?' });
    trail.requireAvailable();
    await trail.record(request());
  });

  test('without the requirement, responses do not wait, and what is too much is dropped and leaves a gap', async () => {
    const sink = new MemorySink();
    sink.isBroken = true;
    const { trail, counts } = open(sink, { required: false });
    for (let count = 0; count < 10_100; count++) expect(trail.record(request())).toBeUndefined();
    trail.requireAvailable();
    expect(counts.dropped).toBe(101);
    sink.isBroken = false;
    await expect.poll(() => sink.lines.length).toBe(10_000);
    trail.record(request());
    await expect.poll(() => sink.lines.length).toBe(10_001);
    expect(sink.records().at(-1).sequence).toBe(10_101);
  });

  test('D609: strangers get fifty records in a second, and users keep all of theirs', async () => {
    const sink = new MemorySink();
    let nowMs = 1_000;
    const { trail } = open(sink, { required: false, nowMs: () => nowMs });
    for (let count = 0; count < 1_000; count++) trail.record(request({ credentialId: undefined, status: 401 }));
    for (let count = 0; count < 100; count++) trail.record(request());
    nowMs = 2_000;
    trail.record(request({ credentialId: undefined, status: 401 }));
    await expect.poll(() => sink.lines.length).toBe(1 + 50 + 100 + 2);
    expect(sink.records().at(-2)).toMatchObject({ event: 'omitted', requests: 950 });
  });

  test('a record names a bounded number of policies', async () => {
    const sink = new MemorySink();
    const { trail } = open(sink);
    await trail.record(request({ policyIds: Array.from({ length: 1_000 }, (_, index) => `policy-${index}`) }));
    const [, record] = sink.records();
    expect(record.policyIds).toHaveLength(32);
    expect(record.policies).toBe(1_000);
  });
});
