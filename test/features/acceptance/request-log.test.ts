import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createPrivateKey, signParams } from '../../support/world.ts';

describe('the line that a request leaves in the log', () => {
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    installation = await engines.sqlite();
    service = await startService(installation);
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
  });

  const lines = () =>
    service
      .logText()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'request');
  const whoami = (headers: Record<string, string> = {}) =>
    fetch(`${service.url}/public/v1/query/whoami`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: '{"organizationId":"x"}',
    });

  test('names who asked for what, which activity it became, and what decided', async () => {
    const { root } = service;
    const privateKeyId = await createPrivateKey(root);
    await root.result('signRawPayload', signParams(privateKeyId));
    const line = lines().at(-1);
    const { organizationId, userId } = service.first;
    expect(line).toMatchObject({
      level: 30,
      operation: 'sign_raw_payload',
      organizationId,
      userId,
      activityStatus: 'ACTIVITY_STATUS_COMPLETED',
      decision: 'ALLOW',
      policyIds: [],
      status: 200,
      address: '127.0.0.1',
    });
    for (const name of ['requestId', 'credentialId', 'activityId']) expect(line[name]).toMatch(/^[0-9a-f-]{36}$/);
    expect(line.durationMs).toBeGreaterThan(0);
    expect(Object.keys(line).sort()).toEqual(
      ['level', 'time', 'pid', 'hostname', 'msg', 'requestId', 'operation', 'status', 'durationMs', 'address']
        .concat(['organizationId', 'userId', 'credentialId', 'activityId', 'activityStatus', 'decision', 'policyIds'])
        .sort(),
    );
  });

  test('names the activity and the reason of a denial', async () => {
    const { caller: member } = await createMember(service.root);
    const { status } = await member.submit('createWallet', { walletName: 'Denied', accounts: [] });
    expect(lines().at(-1)).toMatchObject({
      operation: 'create_wallet',
      status,
      error: 'POLICY_DENIED',
      decision: 'DENY',
      activityId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      credentialId: expect.any(String),
    });
  });

  test('has the ids that the client chose, which the response has too', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const given = { 'X-Request-Id': 'order-17', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const { headers } = await whoami(given);
    expect(headers.get('x-request-id')).toBe('order-17');
    expect(headers.get('traceparent')).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(headers.get('traceparent')).not.toBe(given.traceparent);
    expect(lines().at(-1)).toMatchObject({ requestId: 'order-17', traceId, error: 'STAMP_MISSING', status: 401 });
    expect(lines().at(-1)).not.toHaveProperty('userId');
  });

  test.each(['a b', '"', 'x'.repeat(129), 'ü'])('D557: an id that a log could misread is replaced: %s', async (id) => {
    const { headers } = await whoami({ 'X-Request-Id': Buffer.from(id).toString('latin1'), traceparent: '00-0-0-00' });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('traceparent')).toBeNull();
  });
});
