import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeStamp, stampFields } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { createPrivateKey, errorOf, signParams } from '../../support/world.ts';

/** Far above what a refusal takes, and far below what a quadratic parser would take for the largest body. */
const MAX_CPU_MICROSECONDS = 20_000_000;

describeEngines('request bodies', (subject) => {
  let root: Caller;
  let signWith: string;
  const path = '/public/v1/submit/sign_raw_payload';

  beforeAll(async () => {
    root = subject().service.root;
    signWith = await createPrivateKey(root);
  });

  const signBody = () => root.submitBody('signRawPayload', signParams(signWith));
  const stampOf = (body: string | Uint8Array) => encodeStamp(stampFields(root.key, Buffer.from(body)));

  /** Sends a body with a valid stamp and expects a cheap refusal that leaves no row behind. The service runs in this process. */
  async function expectRefused(body: string | Uint8Array, code: string, status = 400): Promise<string> {
    const before = await countRows(subject().raw);
    const startedAt = process.cpuUsage();
    const answer = await root.send(path, body);
    expect(process.cpuUsage(startedAt).user).toBeLessThan(MAX_CPU_MICROSECONDS);
    expect(errorOf(answer)).toMatchObject({ status, code });
    expect(await countRows(subject().raw)).toEqual(before);
    return answer.body.message;
  }

  describe('D02: a name given twice', () => {
    test.each([
      ['at the top', (body: string) => body.replace('"timestampMs"', '"organizationId":"x","timestampMs"')],
      ['in the parameters', (body: string) => body.replace('"payload"', '"signWith":"x","payload"')],
      ['once in escapes', (body: string) => body.replace('"payload"', '"s\\u0069gnWith":"x","payload"')],
    ])('%s is refused', async (_where, twice) => {
      const body = twice(signBody());
      expect(JSON.parse(body)).toBeTypeOf('object');
      expect(await expectRefused(body, 'JSON_INVALID')).toContain('twice');
    });
  });

  test.each(['__proto__', 'constructor', 'prototype'])('D03: the name %s is refused at every level', async (name) => {
    const places = [
      signBody().replace('{', `{"${name}":{"isAdmin":true},`),
      signBody().replace('"payload"', `"${name}":{"isAdmin":true},"payload"`),
      signBody().replace('"payload"', `"${name.replace('o', '\\u006f')}":1,"payload"`),
    ];
    for (const body of places) await expectRefused(body, 'JSON_INVALID');
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  test('D04: the type of another operation is refused, and the answer names the right one', async () => {
    for (const type of [
      'ACTIVITY_TYPE_EXPORT_PRIVATE_KEY',
      'ACTIVITY_TYPE_CREATE_WALLET',
      'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
      '',
    ]) {
      const body = root.submitBody('signRawPayload', signParams(signWith), { type });
      expect(await expectRefused(body, 'TYPE_MISMATCH')).toContain('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2');
    }
  });

  describe('D13: hostile bodies', () => {
    test.each<[string, () => string | Uint8Array, string, number?]>([
      ['10 MB', () => signBody().replace('Message', 'x'.repeat(10_000_000)), 'BODY_TOO_LARGE', 413],
      [
        '10,000 levels',
        () => signBody().replace('"payload"', `"x":${'['.repeat(10_000)}${']'.repeat(10_000)},"payload"`),
        'JSON_INVALID',
      ],
      ['10,000 levels that never close', () => '{"a":'.repeat(10_000), 'JSON_INVALID'],
      ['a list of 400,000', () => signBody().replace('"payload"', `"x":[${'0,'.repeat(400_000)}0],"payload"`), 'JSON_INVALID'],
      ['1e400', () => signBody().replace('"payload"', '"x":1e400,"payload"'), 'JSON_INVALID'],
      ['a number beyond 2^53', () => signBody().replace('"payload"', '"x":9007199254740993,"payload"'), 'JSON_INVALID'],
      ['half a surrogate pair', () => signBody().replace('Message', '\\ud800'), 'JSON_INVALID'],
      ['bytes that are not UTF-8', () => Buffer.from(signBody().replace('Message', '\u00ff'), 'latin1'), 'JSON_INVALID'],
      [
        'an overlong encoding',
        () => Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')]),
        'JSON_INVALID',
      ],
      ['a byte order mark', () => `\ufeff${signBody()}`, 'JSON_INVALID'],
      ['NUL in a name', () => signBody().replace('"payload"', '"pay\\u0000load":1,"payload"'), 'JSON_INVALID'],
      ['NUL after the text', () => `${signBody()}\0`, 'JSON_INVALID'],
      ['two values', () => `${signBody()}{}`, 'JSON_INVALID'],
      ['nothing', () => '', 'JSON_INVALID'],
      ['a list', () => `[${signBody()}]`, 'JSON_INVALID'],
      ['a string', () => '"text"', 'JSON_INVALID'],
      ['a comment', () => signBody().replace('{', '{/* */'), 'JSON_INVALID'],
      ['a trailing comma', () => signBody().replace(/}$/, ',}'), 'JSON_INVALID'],
      ['white space that JSON does not allow', () => `\u00a0${signBody()}`, 'JSON_INVALID'],
    ])('%s: refused', async (_what, body, code, status) => {
      await expectRefused(body(), code, status);
    });

    test('many at once are all refused, and the service keeps serving', async () => {
      const nested = signBody().replace('"payload"', `"x":${'['.repeat(9_000)}${']'.repeat(9_000)},"payload"`);
      const large = 'x'.repeat(2_000_000);
      const bodies = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? nested : large));
      const answers = await Promise.all(bodies.map((body) => root.send(path, body)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 413]));
      expect((await root.query('whoami')).status).toBe(200);
    });

    test('NUL and other control characters in display names are refused', async () => {
      for (const walletName of ['a\u0000b', 'a\nb', '\u007f', '   ', '', 'x'.repeat(257)]) {
        const answer = await root.submit('createWallet', { walletName, accounts: [] });
        expect(errorOf(answer)).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
        expect(new Set(errorOf(answer).fields)).toEqual(new Set(['walletName']));
      }
    });
  });

  describe('D14: how a body is sent', () => {
    test.each([
      '',
      'text/plain',
      'application/octet-stream',
      'application/x-www-form-urlencoded; charset=utf-16',
      'application/x-www-form-urlencoded, application/json',
      'application/json5',
      'application/json; charset=utf-16',
      'application/json, text/plain',
      'multipart/form-data; boundary=x',
    ])('is refused as %s', async (type) => {
      const answer = await root.send(path, signBody(), { 'content-type': type });
      expect(errorOf(answer)).toEqual({ status: 415, code: 'CONTENT_TYPE_UNSUPPORTED' });
    });

    const accepted = [
      ['application/json', 'Content-Type: application/json\r\n'],
      ['Application/JSON', 'Content-Type: Application/JSON\r\n'],
      ['application/json; charset=utf-8', 'Content-Type: application/json; charset=utf-8\r\n'],
      ['application/json;charset="UTF-8"', 'Content-Type: application/json;charset="UTF-8"\r\n'],
      ['what curl -d declares', 'Content-Type: application/x-www-form-urlencoded\r\n'],
      ['nothing in particular', ''],
    ] as const;

    test.each(accepted)('is accepted as %s, without an Accept header', async (_type, header) => {
      const body = signBody();
      const { status, text } = await sendRaw(root.url, [request(body, `${header}X-Stamp: ${stampOf(body)}\r\n`)]);
      expect(status, text).toBe(200);
    });

    test.each(accepted)('is refused as %s without a stamp, as a page of another origin can send it', async (_type, header) => {
      const before = await countRows(subject().raw);
      for (const body of [signBody(), `${signBody()}=`, `body=${encodeURIComponent(signBody())}`]) {
        const { status, text } = await sendRaw(root.url, [
          request(body, `${header}Origin: https://elsewhere.example\r\nCookie: X-Stamp=${stampOf(body)}; session=x\r\n`),
        ]);
        expect(status, text).toBe(body.startsWith('{') && body.endsWith('}') ? 401 : 400);
      }
      expect(await countRows(subject().raw)).toEqual(before);
    });

    test('is never parsed as a form, regardless of its content type', async () => {
      const body = `organizationId=${root.organizationId}`;
      const answer = await root.send(path, body, { 'content-type': 'application/x-www-form-urlencoded' });
      expect(errorOf(answer)).toMatchObject({ status: 400, code: 'JSON_INVALID' });
    });

    test('is refused with any content encoding, and never decompressed', async () => {
      const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20));
      for (const encoding of ['gzip', 'deflate', 'br', 'identity, gzip']) {
        const answer = await root.send(path, bomb, { 'content-encoding': encoding });
        expect(errorOf(answer)).toEqual({ status: 415, code: 'CONTENT_TYPE_UNSUPPORTED' });
      }
      const chunked = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`;
      expect((await sendRaw(root.url, [chunked])).status).toBeGreaterThanOrEqual(400);
    });

    test('is refused with both a length and chunks', async () => {
      const body = signBody();
      const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const before = await countRows(subject().raw);
      for (const order of [
        'Content-Length: 5\r\nTransfer-Encoding: chunked',
        'Transfer-Encoding: chunked\r\nContent-Length: 5',
      ]) {
        const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Stamp: ${stampOf(body)}\r\n${order}\r\n\r\n`;
        const { status, text } = await sendRaw(root.url, [head, chunk]);
        expect(status, text).toBe(400);
        expect(text).toContain('"errorCode":"REQUEST_INVALID"');
      }
      const twice = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n${body}`;
      expect((await sendRaw(root.url, [twice])).status).toBe(400);
      expect(await countRows(subject().raw)).toEqual(before);
    });

    test('is read whole from chunks of any size', async () => {
      const body = signBody();
      const cut = [body.slice(0, 7), body.slice(7, 8), body.slice(8)];
      const chunks = cut.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`);
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Stamp: ${stampOf(body)}\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const { status, text } = await sendRaw(root.url, [head, ...chunks, '0\r\n\r\n']);
      expect(status, text).toBe(200);
    });

    test('is refused as soon as its chunks exceed the limit', async () => {
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Stamp: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const chunk = `40000\r\n${'x'.repeat(0x40000)}\r\n`;
      expect((await sendRaw(root.url, [head, ...Array(6).fill(chunk)])).status).toBe(413);
    });

    test('is not processed when shorter than declared', async () => {
      const body = signBody();
      const before = await countRows(subject().raw);
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Stamp: ${stampOf(body)}\r\nContent-Length: ${body.length + 1}\r\n\r\n`;
      expect((await sendRaw(root.url, [head, body], 300)).status).toBe(0);
      expect(await countRows(subject().raw)).toEqual(before);
    });

    test('the surplus of a body longer than declared is not a second request', async () => {
      const body = signBody();
      const before = await countRows(subject().raw);
      const honest = request(body, `Content-Type: application/json\r\nX-Stamp: ${stampOf(body)}\r\n`);
      const { text } = await sendRaw(root.url, [`${honest}${body}`]);
      expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      const after = await countRows(subject().raw);
      expect(after.activities - before.activities).toBeLessThanOrEqual(1);
    });

    test('bytes that are not HTTP get an answer and a closed connection', async () => {
      const { status, text } = await sendRaw(root.url, ['\x16\x03\x01\x00\xa5\x01\x00']);
      expect(status).toBe(400);
      expect(text).toContain('Connection: close');
    });
  });

  describe('fields', () => {
    test('null is absent in an optional field, and missing in a required one', async () => {
      const taken = await root.submit('createWallet', { walletName: 'With nulls', accounts: [], mnemonicLength: null });
      expect(taken.status).toBe(200);
      expect((await root.query('listSuborgs', { filterType: null, paginationOptions: { limit: null } })).status).toBe(200);
      const missing = await root.submit('createWallet', { walletName: null, accounts: [] });
      expect(errorOf(missing)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['walletName'] });
      expect(missing.body.message).toContain('is required');
      expect(errorOf(await root.submit('createUsers', { users: [null] }))).toMatchObject({ fields: ['users.0'] });
    });

    test('unknown fields are refused and named, at every level', async () => {
      const refused = async (body: object) => errorOf(await root.send(path, JSON.stringify(body)));
      const whole = JSON.parse(signBody());
      expect(await refused({ ...whole, dryRun: true })).toMatchObject({ fields: ['dryRun'] });
      expect(await refused({ ...whole, generateAppProofs: true })).toMatchObject({ fields: ['generateAppProofs'] });
      const deep = { ...whole, parameters: { ...whole.parameters, hash: 'x', extra: 'y' } };
      expect(await refused(deep)).toMatchObject({ fields: ['hash', 'extra'] });
      const account = {
        curve: 'CURVE_SECP256K1',
        pathFormat: 'PATH_FORMAT_BIP32',
        path: 'm/0',
        addressFormat: 'ADDRESS_FORMAT_COMPRESSED',
      };
      const nested = await root.submit('createWallet', { walletName: 'x', accounts: [{ ...account, index: 1 }] });
      expect(errorOf(nested)).toMatchObject({ fields: ['accounts.0.index'] });
      expect(errorOf(await root.query('whoami', { verbose: true }))).toMatchObject({ fields: ['verbose'] });
    });

    test('generateAppProofs is accepted on the compatible path only', async () => {
      const caller = root.with({ dialect: 'turnkey' });
      const body = { ...JSON.parse(signBody()), generateAppProofs: true };
      expect((await caller.send(caller.submitPath('signRawPayload'), JSON.stringify(body))).status).toBe(200);
    });

    test('one answer names every wrong field of a request', async () => {
      const answer = await root.submit('signRawPayload', { signWith: 5, payload: null, encoding: 'UTF8', hashFunction: [] });
      expect(errorOf(answer)).toEqual({
        status: 400,
        code: 'REQUEST_INVALID',
        fields: ['signWith', 'payload', 'encoding', 'hashFunction'],
      });
      const parameters = await root.send(path, JSON.stringify({ ...JSON.parse(signBody()), parameters: [] }));
      expect(errorOf(parameters)).toMatchObject({ fields: ['parameters'] });
    });

    test('a query needs its organization', async () => {
      for (const body of ['{}', '{"organizationId":null}', '{"organizationId":5}']) {
        expect(errorOf(await root.send('/public/v1/query/whoami', body))).toMatchObject({ fields: ['organizationId'] });
      }
    });
  });

  /** A request as bytes: declares its length and has only the given headers. */
  function request(body: string, headers: string): string {
    return `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  }
});
