import { activities, type DialectName, dialects, errorCodes, queries } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { createMember, createPrivateKey, madeUpId, signParams } from '../../support/world.ts';

const basePaths = Object.values(dialects).map(({ basePath }) => basePath);

const paths = (base: string) => [
  ...Object.values(activities).map(({ path }) => `${base}/public/v1/submit/${path}`),
  ...Object.values(queries).map(({ path }) => `${base}/public/v1/query/${path}`),
];

describeEngines(
  'HTTP',
  (subject) => {
    const request = (path: string, init?: RequestInit) => fetch(subject().service.url + path, init);

    test.each(['/healthz', '/public/v1/query/whoami'])('%s is also served in absolute form', async (path) => {
      const { url } = subject().service;
      const method = path === '/healthz' ? 'GET' : 'POST';
      const requests = [path, url + path, `HTTP://countersign.example${path}?a=1`].map((target) =>
        sendRaw(url, [`${method} ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`]),
      );
      const [plain, ...absolute] = (await Promise.all(requests)).map(({ status }) => status);
      expect(plain).toBe(path === '/healthz' ? 200 : 400);
      expect(absolute).toEqual([plain, plain]);
    });

    test.each([
      '/public/v1/submit/sign',
      '/public/v1/query/sign_raw_payload',
      '/public/v1/submit/whoami',
      '/public/v2/query/whoami',
      '/public/v1/query/whoami/',
      '/public/v1/query/WHOAMI',
      '/public/v1/query/whoami%00',
      '/public/v1/query/%77hoami',
      '/public/v1/query/../query/x',
      '/compat/public/v1/query/whoami',
      '/compat/turnkey/public/v1/query/nothing',
      '/toString',
    ])('%s does not exist', async (path) => {
      const response = await request(path, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
      expect(response.status).toBe(404);
      const body = await response.json();
      expect(body.errorCode ?? body.turnkeyErrorCode).toBe(
        path.startsWith('/compat/turnkey') ? 'REQUEST_INVALID' : 'PATH_NOT_FOUND',
      );
    });

    test.each(['//public/v1/query/whoami', '/public//v1///query/whoami', '/public/v1/query/whoami?x=1'])(
      '%s is normalized to its plain path',
      async (path) => {
        const { root } = subject().service;
        const body = JSON.stringify({ organizationId: root.organizationId });
        expect((await root.send(path, body)).status).toBe(200);
        expect((await root.send(`/compat/turnkey${path}`, body)).status).toBe(200);
      },
    );

    test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('the method %s is refused', async (method) => {
      for (const base of basePaths) {
        const response = await request(`${base}/public/v1/query/whoami`, { method });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('POST, OPTIONS');
        expect((await response.json()).code).toBe(errorCodes.METHOD_NOT_ALLOWED.grpc);
      }
    });

    test('every operation exists in both dialects and needs a stamp', async () => {
      const before = await countRows(subject().raw);
      for (const path of basePaths.flatMap(paths)) {
        const response = await request(path, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
        const { errorCode, turnkeyErrorCode } = await response.json();
        expect([path, response.status, errorCode ?? turnkeyErrorCode]).toEqual([
          path,
          401,
          path.startsWith('/compat') ? 'SIGNATURE_MISSING' : 'STAMP_MISSING',
        ]);
      }
      expect(await countRows(subject().raw)).toEqual(before);
    });

    test('operations answer with JSON that must not be cached or sniffed', async () => {
      const { headers } = await subject().service.root.query('whoami');
      expect(
        Object.fromEntries(['content-type', 'cache-control', 'x-content-type-options'].map((name) => [name, headers.get(name)])),
      ).toEqual({
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    });

    describe('pages for operators', () => {
      test.each([
        ['/healthz', 'text/plain; charset=utf-8', /^ok\n$/],
        ['/readyz', 'text/plain; charset=utf-8', /^ready\n$/],
        [
          '/metrics',
          'text/plain; version=0.0.4; charset=utf-8',
          /countersign_requests_total\{operation="whoami",status="200"\} \d+/,
        ],
        ['/openapi.json', 'application/json', /"openapi":"3\.1\.\d"/],
      ])('%s', async (path, type, content) => {
        await subject().service.root.query('whoami');
        const response = await request(path);
        expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
        expect(await response.text()).toMatch(content);
        const head = await request(path, { method: 'HEAD' });
        expect([head.status, await head.text()]).toEqual([200, '']);
        const posted = await request(path, { method: 'POST' });
        expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      });

      test('made-up paths and ids do not become metric labels', async () => {
        const { root } = subject().service;
        await request('/public/v1/query/made_up_path', { method: 'POST' });
        await root.query('getWallet', { walletId: 'made-up-id' });
        const text = await (await request('/metrics')).text();
        expect(text).not.toMatch(/made_up_path|made-up-id/);
        expect(text).not.toContain(root.organizationId);
      });
    });

    describe('browsers', () => {
      const origin = 'https://app.example.com';

      test('every operation answers a preflight, without credentials', async () => {
        for (const path of basePaths.flatMap(paths)) {
          const response = await request(path, {
            method: 'OPTIONS',
            headers: {
              origin,
              'access-control-request-method': 'POST',
              'access-control-request-headers': 'x-stamp,content-type',
            },
          });
          expect([path, response.status]).toEqual([path, 204]);
          expect(response.headers.get('access-control-allow-origin')).toBe('*');
          expect(response.headers.get('access-control-allow-methods')).toBe('POST');
          expect(response.headers.get('access-control-allow-headers')).toBe(
            'Content-Type, X-Client-Version, X-Stamp, X-Stamp-Webauthn, X-Stamp-Attested, X-Session, X-Auth-Proxy-Config-ID, X-Captcha-Token, X-Request-Id, traceparent',
          );
          expect(response.headers.get('access-control-allow-credentials')).toBeNull();
        }
        expect((await request('/nothing', { method: 'OPTIONS', headers: { origin } })).status).toBe(404);
      });

      test('D307: no other origin reads metrics or the development mailbox, even if all may call the API', async () => {
        for (const path of ['/metrics', '/dev/mail'])
          expect((await request(path, { headers: { origin } })).headers.get('access-control-allow-origin')).toBeNull();
        expect((await request('/metrics', { headers: { origin } })).status).toBe(200);
      });

      test('a page can read errors too', async () => {
        const { root } = subject().service;
        const refused = await root.send('/public/v1/query/whoami', '{}', { origin });
        expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, '*']);
        expect((await root.query('whoami')).headers.get('access-control-allow-origin')).toBeNull();
      });
    });

    test.each(Object.keys(dialects) as DialectName[])('errors have the form that clients expect (%s)', async (dialect) => {
      const root = subject().service.root.with({ dialect });
      const { caller } = await createMember(root);
      const path = root.submitPath('signRawPayload');
      const key = await createPrivateKey(root);
      const text = expect.stringMatching(/^\S.+\.?$/);
      /** An error body: first the code of the specification's dialect, then that of the compatible one. */
      const error = (status: number, code: number, errorCode: string, turnkeyErrorCode: string, details: object[] = []) => ({
        status,
        body:
          dialect === 'spec'
            ? { code, message: text, details, errorCode }
            : {
                code,
                message: text,
                details: [...details, { '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail', turnkeyErrorCode }],
                turnkeyErrorCode,
              },
      });
      const fields = (...names: string[]) => ({
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: names.map((field) => ({ field, description: text })),
      });
      const activity = { '@type': 'countersign/Activity', activityId: expect.any(String) };
      const denial = {
        '@type': 'type.googleapis.com/errors.v1.PolicyEnginePermissionError',
        message: text,
        policyEvaluations: expect.any(Array),
      };
      const reason = { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en', message: text };
      const answers = [
        [await root.send(path, '{'), error(400, 3, 'JSON_INVALID', 'REQUEST_INVALID')],
        [
          await root.submit('createWallet', { walletName: 1, accounts: 1 }),
          error(400, 3, 'REQUEST_INVALID', 'REQUEST_INVALID', [fields('walletName', 'accounts')]),
        ],
        [await root.send(path, '{}', { 'x-stamp': 'x' }), error(401, 16, 'STAMP_MALFORMED', 'SIGNATURE_MISSING')],
        [
          await root.with({ organizationId: madeUpId() }).query('whoami'),
          error(401, 16, 'PUBLIC_KEY_NOT_FOUND', 'PUBLIC_KEY_NOT_FOUND'),
        ],
        [
          await caller.submit('signRawPayload', signParams(key)),
          error(403, 7, 'POLICY_DENIED', 'REQUEST_NOT_AUTHORIZED', dialect === 'spec' ? [activity] : [denial, reason, activity]),
        ],
        [
          await root.query('getWallet', { walletId: madeUpId() }),
          error(404, 5, 'NOT_FOUND', 'REQUEST_INVALID', [fields('walletId')]),
        ],
      ] as const;
      for (const [{ status, body }, expected] of answers) expect({ status, body }).toEqual(expected);
    });
  },
  // Hundreds of requests without a stamp come from one address here.
  { config: { failedStampsPerAddress: 0, allowedOrigins: ['*'] } },
);

describeEngines(
  'HTTP with allowed origins',
  (subject) => {
    test('only pages of these origins may read an answer', async () => {
      const { root } = subject().service;
      const from = (origin: string) =>
        root.send('/public/v1/query/whoami', JSON.stringify({ organizationId: root.organizationId }), { origin });
      const allowed = await from('https://app.example.com');
      expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
      expect(allowed.headers.get('vary')).toBe('Origin');
      for (const origin of ['https://app.example.com.evil.com', 'http://app.example.com', 'https://APP.example.com', 'null']) {
        const { headers } = await from(origin);
        expect([origin, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([origin, null, 'Origin']);
      }
    });
  },
  { config: { allowedOrigins: ['https://app.example.com', 'https://other.example.com'] } },
);

describeEngines('browsers, by default', (subject) => {
  test('D307: pages of other origins read nothing and use no relay, and the log names the setting', async () => {
    const { service } = subject();
    const { root, url } = service;
    const origin = 'https://page.example.com';
    const asked = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } };
    const paths = ['/public/v1/query/whoami', '/compat/turnkey/public/v1/query/whoami', '/auth-proxy/v1/otp_init'];
    // A preflight to the relay does not name the organization that decides.
    for (const path of [...paths, '/metrics', '/.well-known/countersign-keys', '/log/checkpoint'])
      for (const init of [...(path.startsWith('/auth-proxy') ? [] : [asked]), { headers: { origin } }])
        expect((await fetch(url + path, init)).headers.get('access-control-allow-origin')).toBeNull();
    const own = await root.send('/public/v1/query/whoami', JSON.stringify({ organizationId: root.organizationId }), {
      origin: url,
    });
    expect(own.status).toBe(200);
    const lines = service
      .logText()
      .split('\n')
      .filter((line) => line.includes('--allowed-origins'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(origin);
    // Strangers choose origins, and must not fill the log.
    for (let index = 0; index < 40; index++)
      await fetch(`${url}/log/key`, { headers: { origin: `https://p${index}.example.com` } });
    expect(service.logText().split('--allowed-origins').length - 1).toBeLessThanOrEqual(20);
  });
});
