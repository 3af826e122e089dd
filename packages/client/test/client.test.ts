import { ApiKeyStamper, CountersignError, completed, createClient, generateApiKey } from '@countersign/client';
import { activities, queries } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { type Answer, startWire } from './wire-server.ts';

const organizationId = '01981b2c-7d3e-7f40-8a51-6b2c3d4e5f60';
const stamper = new ApiKeyStamper(generateApiKey());
const clientFor = (baseUrl: string, retry = false) => createClient({ baseUrl, organizationId, stamper, retry });

const signParameters = {
  signWith: 'k1',
  payload: '00ff',
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
} as const;

const envelope = (status: string, result: object) => ({
  activity: {
    id: 'a1',
    status,
    type: activities.signRawPayload.type,
    organizationId,
    timestampMs: '1767225600000',
    result: {
      activity: {
        type: activities.signRawPayload.type,
        intent: { signRawPayloadIntent: { privateKeyId: 'k1', payload: '00ff' } },
        result,
      },
    },
  },
});
const signed: Answer = {
  status: 200,
  body: envelope('ACTIVITY_STATUS_COMPLETED', { signRawPayloadResult: { r: '01', s: '02', v: '00' } }),
};
const answered = (result: object): Answer => ({
  status: 200,
  body: {
    activity: {
      id: 'q',
      status: 'ACTIVITY_STATUS_COMPLETED',
      type: 'ACTIVITY_TYPE_UNKNOWN_V1',
      organizationId,
      timestampMs: '1',
      result,
    },
  },
});
const unavailable: Answer = {
  status: 503,
  body: { code: 14, message: 'The server is stopping.', details: [], errorCode: 'UNAVAILABLE' },
};

describe('createClient', () => {
  test('has one method per activity and query', () => {
    const client = clientFor('http://127.0.0.1:1');
    for (const name of [...Object.keys(activities), ...Object.keys(queries)]) {
      expect(client[name as 'whoami']).toBeTypeOf('function');
    }
  });

  test('submit sends a stamped envelope and returns activity and result', async () => {
    await using wire = await startWire(() => signed);
    const { activity, result } = await clientFor(`${wire.url}/`).signRawPayload(signParameters, { timestampMs: 1767225600000 });
    expect(result).toEqual({ r: '01', s: '02', v: '00' });
    expect(activity).toEqual({
      id: 'a1',
      status: 'ACTIVITY_STATUS_COMPLETED',
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
      organizationId,
      timestampMs: '1767225600000',
      intent: { privateKeyId: 'k1', payload: '00ff' },
    });

    const [request] = wire.arrived;
    expect(request).toMatchObject({ method: 'POST', path: '/public/v1/submit/sign_raw_payload' });
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', accept: 'application/json' });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
      timestampMs: '1767225600000',
      organizationId,
      parameters: signParameters,
    });
    // The stamp covers the received bytes.
    expect(request?.headers['x-stamp']).toBe((await stamper.stamp(request?.body ?? '')).stampHeaderValue);
  });

  test('the timestamp defaults to now, and the organization can be overridden', async () => {
    await using wire = await startWire(() => signed);
    const before = Date.now();
    await clientFor(wire.url).signRawPayload(signParameters, { organizationId: 'other' });
    const body = JSON.parse(wire.arrived[0]?.body ?? '');
    expect(Number(body.timestampMs)).toBeGreaterThanOrEqual(before);
    expect(Number(body.timestampMs)).toBeLessThanOrEqual(Date.now());
    expect(body.organizationId).toBe('other');
  });

  test('a query sends its fields at the top level and returns the data', async () => {
    await using wire = await startWire(() => answered({ wallets: [] }));
    const client = clientFor(wire.url);
    expect(await client.listWallets()).toEqual({ wallets: [] });
    await client.getWallet({ walletId: 'w1', organizationId: 'other' });
    const timestampMs = expect.stringMatching(/^\d{13}$/);
    expect(wire.arrived.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      ['/public/v1/query/list_wallets', { organizationId, timestampMs, operation: 'list_wallets' }],
      ['/public/v1/query/get_wallet', { organizationId: 'other', walletId: 'w1', timestampMs, operation: 'get_wallet' }],
    ]);
  });

  test('request sends a string unchanged and returns the unchanged response', async () => {
    await using wire = await startWire(() => ({ status: 200, body: { anything: [1] } }));
    const body = '{ "organizationId" : "x" }\n';
    expect(await clientFor(wire.url).request('/public/v1/query/whoami', body)).toEqual({ anything: [1] });
    expect(wire.arrived[0]?.body).toBe(body);
  });

  test('a pending activity has no result, and completed() throws', async () => {
    await using wire = await startWire(() => ({ status: 200, body: envelope('ACTIVITY_STATUS_CONSENSUS_NEEDED', {}) }));
    const submitted = await clientFor(wire.url).signRawPayload(signParameters);
    expect(submitted.result).toBeUndefined();
    expect(() => completed(submitted)).toThrow(/a1 is not complete: its status is ACTIVITY_STATUS_CONSENSUS_NEEDED/);
    expect(completed({ ...submitted, result: { r: '', s: '', v: '' } })).toEqual({ r: '', s: '', v: '' });
  });
});

describe('the turnkey dialect', () => {
  const client = (baseUrl: string) => createClient({ baseUrl, organizationId, stamper, dialect: 'turnkey' });

  test('submit uses the compatible base path and parses versioned keys', async () => {
    const { type, versions } = activities.createPrivateKeys;
    const result = { createPrivateKeysResultV2: { privateKeys: [] } };
    const intent = { createPrivateKeysIntentV2: { privateKeys: [] } };
    const body = { activity: { id: 'a1', organizationId, status: 'ACTIVITY_STATUS_COMPLETED', type, intent, result, votes: [] } };
    await using wire = await startWire(() => ({ status: 200, body }));
    const submitted = await client(wire.url).createPrivateKeys({ privateKeys: [] });
    expect(submitted.result).toEqual({ privateKeys: [] });
    expect(submitted.activity.intent).toEqual({ privateKeys: [] });
    expect(wire.arrived[0]?.path).toBe('/compat/turnkey/public/v1/submit/create_private_keys');
    expect(JSON.parse(wire.arrived[0]?.body ?? '').type).toBe(versions.at(-1)?.type);
  });

  test('a query returns the unchanged body', async () => {
    await using wire = await startWire(() => ({ status: 200, body: { wallets: [] } }));
    expect(await client(wire.url).listWallets()).toEqual({ wallets: [] });
    expect(wire.arrived[0]?.path).toBe('/compat/turnkey/public/v1/query/list_wallets');
  });
});

test('a vote returns its activity', async () => {
  await using wire = await startWire(() => signed);
  const { activity, result } = await clientFor(wire.url).approveActivity({ fingerprint: `sha256:${'00'.repeat(32)}` });
  expect(activity.type).toBe('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2');
  expect(result).toEqual({ r: '01', s: '02', v: '00' });
});

describe('failures', () => {
  const failure = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(CountersignError);
    return error as CountersignError;
  };

  test('an error body becomes a CountersignError with status, code, message and details', async () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'payload', description: 'is odd' }] },
    ];
    const body = { code: 3, message: 'The payload is not hexadecimal.', details, errorCode: 'PAYLOAD_INVALID' };
    await using wire = await startWire(() => ({ status: 400, body }));
    const error = await failure(clientFor(wire.url).signRawPayload(signParameters));
    expect(error).toMatchObject({ status: 400, code: 'PAYLOAD_INVALID', message: body.message, details });
  });

  test('parses the error code of the compatible base path', async () => {
    const body = { code: 16, message: 'no', details: [], turnkeyErrorCode: 'SIGNATURE_INVALID' };
    await using wire = await startWire(() => ({ status: 401, body }));
    const error = await failure(clientFor(wire.url).request('/compat/turnkey/public/v1/query/whoami', {}));
    expect(error).toMatchObject({ status: 401, code: 'SIGNATURE_INVALID', details: [] });
  });

  test.each([
    { status: 502, body: '<html>Bad gateway</html>' },
    { status: 200, body: 'OK' },
    { status: 404, body: { error: 'nothing here' } },
  ])('reports a response of another service: $status', async (answer) => {
    await using wire = await startWire(() => answer);
    const error = await failure(clientFor(wire.url).whoami());
    expect(error).toMatchObject({ status: answer.status, code: 'RESPONSE_INVALID' });
  });

  test('rejects a success without the envelope', async () => {
    await using wire = await startWire(() => ({ status: 200, body: { activity: {} } }));
    expect(await failure(clientFor(wire.url).whoami())).toMatchObject({ code: 'RESPONSE_INVALID' });
  });

  test('reports a missing response with its cause', async () => {
    const error = await failure(clientFor('http://127.0.0.1:1').whoami());
    expect(error).toMatchObject({ status: 0, code: 'UNREACHABLE' });
    expect(error.message).toContain('Is the server running');
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('does not follow redirects with a stamped body', async () => {
    await using other = await startWire(() => signed);
    const { createServer } = await import('node:http');
    const redirecting = createServer((_, response) => response.writeHead(307, { Location: other.url }).end());
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    const { port } = redirecting.address() as { port: number };
    const error = await failure(clientFor(`http://127.0.0.1:${port}`).whoami());
    redirecting.close();
    expect(error.code).toBe('UNREACHABLE');
    expect(other.arrived).toEqual([]);
  });
});

describe('retry', () => {
  test('with retry, sends the same bytes again after a dropped connection and after 503', async () => {
    const script: Answer[] = ['drop', unavailable, signed];
    await using wire = await startWire((_, count) => script[count - 1] ?? signed);
    const { result } = await clientFor(wire.url).signRawPayload(signParameters, { retry: true });
    expect(result).toEqual({ r: '01', s: '02', v: '00' });
    expect(wire.arrived).toHaveLength(3);
    expect(new Set(wire.arrived.map(({ body, headers }) => `${headers['x-stamp']} ${body}`)).size).toBe(1);
  });

  test('stops after two retries', async () => {
    await using wire = await startWire(() => unavailable);
    await expect(clientFor(wire.url, true).whoami()).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(wire.arrived).toHaveLength(3);
  });

  test('does not happen by default, nor for another failure', async () => {
    await using wire = await startWire(() => unavailable);
    await expect(clientFor(wire.url).whoami()).rejects.toMatchObject({ status: 503 });
    expect(wire.arrived).toHaveLength(1);

    const internal: Answer = { status: 500, body: { code: 13, message: 'x', details: [], errorCode: 'INTERNAL' } };
    await using failing = await startWire(() => internal);
    await expect(clientFor(failing.url, true).whoami()).rejects.toMatchObject({ status: 500 });
    expect(failing.arrived).toHaveLength(1);
  });

  test('an abort rejects with its reason, also between attempts', async () => {
    await using wire = await startWire(() => unavailable);
    const stopped = new Error('stopped');
    const controller = new AbortController();
    const call = clientFor(wire.url, true).whoami({}, { signal: controller.signal });
    setTimeout(() => controller.abort(stopped), 100);
    await expect(call).rejects.toBe(stopped);
    expect(wire.arrived).toHaveLength(1);
    await expect(clientFor(wire.url).whoami({}, { signal: controller.signal })).rejects.toBe(stopped);
  });
});
