import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { createTraces, type TraceParts } from '../../src/telemetry/request-trace.ts';
import { loadSdk, type Tracer } from '../../src/telemetry/sdk.ts';
import { createSpanQueue } from '../../src/telemetry/span-queue.ts';

/** The part of the package that only tests use. */
interface TestSdk {
  readonly InMemorySpanExporter: new () => object & { getFinishedSpans(): { name: string }[]; reset(): void };
  readonly SimpleSpanProcessor: new (options: object) => object;
}

const sdk = loadSdk();
const { InMemorySpanExporter, SimpleSpanProcessor } = createRequire(import.meta.url)('@opentelemetry/sdk-trace') as TestSdk;

function startTraces(parts: Partial<TraceParts> = {}) {
  const exporter = new InMemorySpanExporter();
  const provider = new sdk.TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer: Tracer = provider.getTracer('test', '1');
  const begin = createTraces({ sdk, tracer, mayQueue: () => true, omitted: () => undefined, ...parts });
  return { begin, names: () => exporter.getFinishedSpans().map(({ name }) => name) };
}

const recorded = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), flags: '01' };
const answered = { requestId: 'r', operation: 'whoami', status: 401 };

test('D670: strangers who ask for traces get fifty in a second, and users keep all of theirs', () => {
  let nowMs = 0;
  let omitted = 0;
  const { begin, names } = startTraces({
    now: () => nowMs,
    omitted: (spans) => {
      omitted += spans;
    },
  });
  for (let count = 0; count < 1_000; count++) begin('stranger', recorded).end(answered);
  for (let count = 0; count < 100; count++) begin('user', recorded).end({ ...answered, credentialId: 'known' });
  expect(names().filter((name) => name === 'stranger')).toHaveLength(50);
  expect(names().filter((name) => name === 'user')).toHaveLength(100);
  expect(omitted).toBe(950);
  nowMs = 1_000;
  begin('stranger', recorded).end(answered);
  expect(names().filter((name) => name === 'stranger')).toHaveLength(51);
});

test('a trace beyond the queue is dropped whole, and counted', () => {
  const dropped: number[] = [];
  const queue = createSpanQueue((signal, outcome, count) => {
    expect([signal, outcome]).toEqual(['spans', 'dropped']);
    dropped.push(count);
  }, 5);
  expect([queue.take(3), queue.take(3), queue.take(2)]).toEqual([true, false, true]);
  expect(dropped).toEqual([3]);
  queue.leave(4);
  expect(queue.take(4)).toBe(true);
  const { begin, names } = startTraces({ mayQueue: () => false });
  begin('user', undefined).end({ ...answered, credentialId: 'known' });
  expect(names()).toEqual([]);
});

test('a request that is retried shows a bounded number of stages, and a stage keeps its value and its error', async () => {
  const { begin, names } = startTraces();
  const trace = begin('user', undefined);
  expect(await trace.timer?.run('plan', async () => 7)).toBe(7);
  const failure = new Error('broken');
  await expect(trace.timer?.run('commit', () => Promise.reject(failure))).rejects.toBe(failure);
  for (let count = 0; count < 500; count++) await trace.timer?.run('authorize', async () => undefined);
  trace.end({ ...answered, credentialId: 'known' });
  expect(names().slice(0, 3)).toEqual(['plan', 'commit', 'authorize']);
  expect(names()).toHaveLength(65);
});
