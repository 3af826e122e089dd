import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';

describe('--audit-required', () => {
  let installation: Installation;
  let service: TestService;
  let sink: Server;
  let isBroken = false;
  const records: Record<string, unknown>[] = [];

  beforeAll(async () => {
    sink = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        if (!isBroken)
          records.push(
            ...body
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line)),
          );
        response.writeHead(isBroken ? 500 : 204).end();
      });
    });
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    installation = await engines.sqlite();
    const auditSink = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
    service = await startService(installation, { config: { auditSink, auditRequired: true } });
  });
  afterAll(async () => {
    isBroken = false;
    await service?.close();
    sink?.close();
    await installation?.remove();
  });

  const readiness = async () => (await fetch(`${service.url}/readyz`)).status;

  test('the sink has the record of a request before its response arrives', async () => {
    const { root } = service;
    const signWith = await createPrivateKey(root);
    const { body } = await root.submit('signRawPayload', signParams(signWith));
    const record = records.at(-1);
    expect(record).toMatchObject({
      operation: 'sign_raw_payload',
      status: 200,
      decision: 'ALLOW',
      address: '127.0.0.1',
      organizationId: service.first.organizationId,
      userId: service.first.userId,
      activityId: body.activity.id,
    });
    expect(Object.keys(record ?? {}).sort()).toEqual(
      ['time', 'instance', 'sequence', 'requestId', 'operation', 'status', 'durationMs', 'address', 'organizationId', 'userId']
        .concat(['credentialId', 'activityId', 'activityStatus', 'decision', 'policyIds'])
        .sort(),
    );
  });

  test('D608: a sink that takes nothing stops signatures, and a lost response can be asked for again', async () => {
    const { root } = service;
    const signWith = await createPrivateKey(root);
    const activities = async () => (await root.data('listActivities', {})).activities.length;
    const before = await activities();
    isBroken = true;
    const body = root.submitBody('signRawPayload', signParams(signWith));
    const send = () => root.send(root.submitPath('signRawPayload'), body);
    expect((await send()).status).toBe(503);
    // The next one is not even executed.
    expect((await root.submit('signRawPayload', signParams(signWith))).status).toBe(503);
    expect(await readiness()).toBe(503);
    isBroken = false;
    await expect.poll(readiness).toBe(200);
    expect((await send()).status).toBe(200);
    expect(await activities()).toBe(before + 1);
    const sequences = records.map(({ sequence }) => sequence as number);
    expect(sequences).toEqual(sequences.map((_, index) => index));
  });
});
