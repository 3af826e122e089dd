import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../packages/server/src/config/config-error.ts';
import { readConfig } from '../../../packages/server/src/config/read-config.ts';
import { loadSdk, sdkPackages } from '../../../packages/server/src/telemetry/sdk.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createPrivateKey, signParams } from '../../support/world.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TOKEN = 'Bearer otlp-token-5b1e';
const SIGN = '/public/v1/submit/sign_raw_payload';

interface Line {
  readonly msg: string;
  readonly traceId?: string;
  readonly [field: string]: unknown;
}

const linesOf = (service: TestService): readonly Line[] =>
  service
    .logText()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const last = <T>(items: readonly T[]): T => items.at(-1) as T;
const stagesOf = (spans: readonly ReceivedSpan[], root: ReceivedSpan) =>
  spans
    .filter(({ parentSpanId }) => parentSpanId === root.spanId)
    .sort((a, b) => a.startTimeUnixNano - b.startTimeUnixNano)
    .map(({ name }) => name);

describe('traces and metrics over OTLP', () => {
  let installation: Installation;
  let receiver: OtlpReceiver;
  let service: TestService;
  let signWith: string;

  beforeAll(async () => {
    installation = await engines.sqlite();
    receiver = await startOtlpReceiver();
    service = await startService(installation, {
      config: { otlpEndpoint: receiver.url, otlpHeaders: { Authorization: TOKEN } },
    });
    signWith = await createPrivateKey(service.root);
  });
  afterAll(async () => {
    await service?.close();
    await receiver?.close();
    await installation?.remove();
  });

  /** The span of a request, once it has arrived. */
  async function spanOf(traceId: string | undefined): Promise<ReceivedSpan> {
    const find = () => receiver.spans.find((span) => span.traceId === traceId && span.kind === 2);
    await expect.poll(find).toBeDefined();
    return find() as ReceivedSpan;
  }

  test('a signature has a line in the log, a trace with its stages, and a metric', async () => {
    expect((await service.root.submit('signRawPayload', signParams(signWith))).status).toBe(200);
    const line = last(linesOf(service).filter(({ operation }) => operation === 'sign_raw_payload'));
    const span = await spanOf(line.traceId);
    expect(span).toMatchObject({ name: 'sign_raw_payload', resource: { 'service.name': 'countersign' } });
    expect(span.attributes).toEqual({
      'countersign.request_id': line.requestId,
      'countersign.operation': 'sign_raw_payload',
      'http.response.status_code': 200,
      'client.address': line.address,
      'countersign.organization_id': line.organizationId,
      'countersign.user_id': line.userId,
      'countersign.credential_id': line.credentialId,
      'countersign.activity_id': line.activityId,
      'countersign.activity_status': 'ACTIVITY_STATUS_COMPLETED',
      'countersign.decision': 'ALLOW',
      'countersign.policy_ids': line.policyIds,
    });
    const stages = ['read', 'wait', 'authenticate', 'validate', 'plan', 'authorize', 'execute', 'commit', 'respond'];
    expect(stagesOf(receiver.spans, span)).toEqual(stages);
    for (const stage of receiver.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId)) {
      expect(stage.traceId).toBe(span.traceId);
      expect(stage.startTimeUnixNano).toBeGreaterThanOrEqual(span.startTimeUnixNano);
      expect(stage.endTimeUnixNano).toBeLessThanOrEqual(span.endTimeUnixNano);
      expect(stage.endTimeUnixNano).toBeGreaterThanOrEqual(stage.startTimeUnixNano);
    }
  });

  test('the trace of a client is continued, and its response names the span', async () => {
    const headers = { 'Content-Type': 'application/json', traceparent: `00-${TRACE}-${PARENT}-01` };
    const answer = await fetch(`${service.url}${SIGN}`, { method: 'POST', body: '{}', headers });
    const span = await spanOf(TRACE);
    expect(span.parentSpanId).toBe(PARENT);
    expect(answer.headers.get('traceparent')).toBe(`00-${TRACE}-${span.spanId}-01`);
    expect(span.attributes).toMatchObject({ 'http.response.status_code': 401, 'error.type': 'STAMP_MISSING' });
    // A rejected request is not an error of the service.
    expect(span.status?.code ?? 0).toBe(0);
    expect(linesOf(service).some((line) => line.traceId === TRACE)).toBe(true);
  });

  test('a client that does not record its trace gets none', async () => {
    const unrecorded = '11111111111111111111111111111111';
    await fetch(`${service.url}${SIGN}`, {
      method: 'POST',
      body: '{}',
      headers: { traceparent: `00-${unrecorded}-${PARENT}-00` },
    });
    await service.root.query('whoami');
    await spanOf(last(linesOf(service).filter(({ operation }) => operation === 'whoami')).traceId);
    expect(receiver.spans.filter(({ traceId }) => traceId === unrecorded)).toEqual([]);
  });

  test('queries, votes and denied requests have their stages', async () => {
    await service.root.query('whoami');
    const query = await spanOf(last(linesOf(service).filter(({ operation }) => operation === 'whoami')).traceId);
    expect(stagesOf(receiver.spans, query)).toEqual(['read', 'wait', 'authenticate', 'resolve']);
    const { caller } = await createMember(service.root);
    const denied = await caller.submit('signRawPayload', signParams(signWith));
    expect(denied.status).toBe(403);
    const span = await spanOf(last(linesOf(service).filter(({ operation }) => operation === 'sign_raw_payload')).traceId);
    expect(span.attributes).toMatchObject({ 'countersign.decision': 'DENY', 'error.type': 'POLICY_DENIED' });
    const vote = await service.root.submit('approveActivity', { fingerprint: `sha256:${'0'.repeat(64)}` });
    expect(vote.status).toBe(404);
    const voted = await spanOf(last(linesOf(service).filter(({ operation }) => operation === 'approve_activity')).traceId);
    expect(stagesOf(receiver.spans, voted)).toEqual(['read', 'wait', 'authenticate', 'validate', 'plan']);
    const failed = receiver.spans.filter(({ parentSpanId, name }) => parentSpanId === voted.spanId && name === 'plan');
    expect(failed.map(({ attributes }) => attributes)).toEqual([{ 'error.type': 'NOT_FOUND' }]);
  });

  test('D671: no span contains a body, a stamp or a result, and the token goes to the endpoint alone', async () => {
    const payload = 'text-that-must-not-leave-7c4e';
    const { r } = await service.root.result('signRawPayload', signParams(signWith, payload));
    await spanOf(last(linesOf(service).filter(({ operation }) => operation === 'sign_raw_payload')).traceId);
    const sent = receiver.bytes().toString('latin1');
    for (const secret of [payload, r, TOKEN, service.first.apiPublicKey]) {
      expect(secret).toBeTypeOf('string');
      expect(sent).not.toContain(secret);
    }
    expect(new Set(receiver.headers.map(({ authorization }) => authorization))).toEqual(new Set([TOKEN]));
    expect(service.logText()).not.toContain('otlp-token-5b1e');
  });
});

describe('an endpoint that does not answer', () => {
  let installation: Installation;
  let receiver: OtlpReceiver;
  beforeAll(async () => {
    installation = await engines.sqlite();
    receiver = await startOtlpReceiver();
  });
  afterAll(async () => {
    await receiver?.close();
    await installation?.remove();
  });

  test('D671: its errors are logged by their code, without what it sent back', async () => {
    receiver.answerWith(({ headers }) => ({ status: 401, body: `wrong ${headers.authorization}`, headers: { 'X-Echo': 'x' } }));
    const config = { otlpEndpoint: receiver.url, otlpHeaders: { Authorization: TOKEN } };
    const service = await startService(installation, { config });
    expect((await service.root.query('whoami')).status).toBe(200);
    await expect.poll(() => service.logText()).toContain('the OTLP endpoint does not take traces or metrics');
    await service.close();
    const line = linesOf(service).find(({ msg }) => msg.startsWith('the OTLP endpoint'));
    expect(line).toMatchObject({ signal: 'spans', outcome: 'failed', reason: '401' });
    expect(service.logText()).not.toContain('otlp-token-5b1e');
  });

  test('requests are answered while it hangs, and the service stops', async () => {
    receiver.answerWith(() => 'hang');
    const service = await startService(installation, { config: { otlpEndpoint: receiver.url } });
    const before = receiver.headers.length;
    for (const _ of [1, 2, 3]) expect((await service.root.query('whoami')).status).toBe(200);
    await expect.poll(() => receiver.headers.length).toBeGreaterThan(before);
    expect((await service.root.query('whoami')).status).toBe(200);
    await service.close();
  });

  test('metrics are sent when the service stops, with the values of /metrics', async () => {
    receiver.answerWith(() => ({ status: 200 }));
    const service = await startService(installation, { config: { otlpEndpoint: receiver.url, otlpSampleRatio: 0 } });
    const before = receiver.spans.length;
    for (let count = 0; count < 3; count++) await service.root.query('whoami');
    await service.close();
    expect(receiver.spans.length).toBe(before);
    const of = (name: string) => receiver.points.filter((point) => point.name === name);
    const whoami = { operation: 'whoami' };
    expect(of('countersign_requests_total')).toContainEqual(
      expect.objectContaining({ kind: 'sum', labels: { ...whoami, status: '200' }, value: 3 }),
    );
    const [seconds] = of('countersign_request_seconds').filter(({ labels }) => labels.operation === 'whoami');
    expect(seconds).toMatchObject({ kind: 'histogram', unit: 's', labels: whoami });
    expect(seconds?.bucketCounts?.reduce((sum, count) => sum + count)).toBe(3);
    expect(seconds?.bucketCounts).toHaveLength((seconds?.explicitBounds?.length ?? 0) + 1);
    expect(of('countersign_build_info')).toHaveLength(1);
    expect(of('countersign_process_cpu_seconds_total')).toHaveLength(1);
  });
});

describe('settings of OpenTelemetry', () => {
  const read = (environment: Record<string, string>) => readConfig({}, environment);

  test.each([
    'http://collector.example.com:4318',
    'https://user:password@collector.example.com',
    'https://collector.example.com/?key=secret',
    'ftp://127.0.0.1',
    'collector:4318',
  ])('D671: the endpoint %s is refused', (endpoint) => {
    expect(() => read({ COUNTERSIGN_OTLP_ENDPOINT: endpoint })).toThrow(ConfigError);
  });

  test.each([
    'https://collector.example.com',
    'https://c.example.com:4318/otlp/',
    'http://127.0.0.1:4318',
    'http://localhost:4318',
  ])('the endpoint %s is accepted', (endpoint) => {
    expect(read({ COUNTERSIGN_OTLP_ENDPOINT: endpoint }).otlpEndpoint).toBe(endpoint);
  });

  test('headers are pairs with percent-encoded values, and no error repeats them', () => {
    const headers = (text: string) => read({ COUNTERSIGN_OTLP_HEADERS: text }).otlpHeaders;
    expect(headers('Authorization=Bearer%20a%2Cb, X-Scope=t1')).toEqual({ Authorization: 'Bearer a,b', 'X-Scope': 't1' });
    for (const text of ['hunter2', 'a=%0d%0aX: hunter2', 'a=%hunter2', 'a b=hunter2']) {
      expect(() => headers(text)).toThrow(ConfigError);
      expect(() => headers(text)).not.toThrow(/hunter2/);
    }
  });

  test('missing packages are named with the command that installs the tested versions', () => {
    const load = () => {
      throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
    };
    const words = Object.entries(sdkPackages).map(([name, version]) => `${name}@${version}`);
    try {
      loadSdk(load);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as ConfigError).fix).toContain(`npm install ${words.join(' ')}`);
    }
    const root = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
    expect(root.devDependencies).toMatchObject(sdkPackages);
  });
});
