import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { cases, missing } from '../cases/index.js';
import { operationMethods, stampingMethods } from '../support/methods.js';
import { renderPage } from '../support/page.js';
import { publishedExamples } from '../support/published-examples.js';
import { connect, openWorld } from '../support/world.js';

const page = new URL('../../../docs/reference/interop.md', import.meta.url);
const unstarted = connect({ compatibleUrl: 'http://127.0.0.1:9' }, '', { publicKey: '', privateKey: '' });
const methods = operationMethods(unstarted);

describe('every method of the API client', () => {
  let world;
  const rows = [];
  /** The last request and the status of its answer, which the client does not reveal. */
  let last = {};
  const { fetch } = globalThis;

  before(async () => {
    world = await openWorld();
    globalThis.fetch = async (url, options) => {
      const response = await fetch(url, options);
      last = { path: new URL(url).pathname.replace('/compat/turnkey', ''), status: response.status };
      return response;
    };
  });

  after(async () => {
    globalThis.fetch = fetch;
    await world.close();
  });

  test('cases and gaps name existing methods, each once', () => {
    for (const name of [...Object.keys(cases), ...Object.keys(missing)]) assert.ok(methods.includes(name), name);
    for (const name of Object.keys(missing)) assert.ok(!(name in cases), name);
    const shown = Object.values(publishedExamples).flatMap((scripts) => scripts.flatMap(([, , names]) => names));
    for (const name of shown) assert.ok(methods.includes(name), name);
  });

  for (const method of methods) {
    test(method, async () => {
      const path = await pathOf(method);
      if (method in cases) {
        await cases[method](world);
        rows.push({ method, path, outcome: 'works', note: '' });
        return;
      }
      const error = await world.client[method]({}).then(
        () => assert.fail('it has an answer: write a case for it'),
        (refusal) => refusal,
      );
      assert.equal(last.path, path);
      if (method in missing) {
        assert.equal(last.status, 400);
        assert.match(error.message, /This path takes the type ACTIVITY_TYPE_/);
        rows.push({ method, path, outcome: 'missing', note: missing[method] });
        return;
      }
      assert.equal(last.status, 501, error.message);
      assert.equal(error.code, 12);
      const [, reason] = /^Turnkey error 12: This operation is not offered by this server: (.*?\.) \(Details: /.exec(
        error.message,
      );
      rows.push({ method, path, outcome: 'not offered', note: reason });
    });
  }

  test('every method that stamps without sending gives a request for the same base URL', async () => {
    const names = stampingMethods(world.client);
    assert.equal(names.length, methods.length);
    for (const name of names) {
      const { url, body, stamp } = await world.client[name]({});
      assert.ok(url.startsWith(`${world.server.compatibleUrl}/public/v1/`), name);
      assert.deepEqual([typeof body, stamp.stampHeaderName], ['string', 'X-Stamp']);
    }
  });

  test('docs/reference/interop.md says the same (npm run page writes it)', async () => {
    const { devDependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    const packages = Object.entries(devDependencies)
      .filter(([name]) => name.startsWith('@turnkey/') || name === 'viem')
      .map(([name, version]) => `${name}@${version}`);
    const text = renderPage({ packages, rows, examples: publishedExamples });
    if (process.env.INTEROP_WRITE === '1') await writeFile(page, text);
    assert.equal(await readFile(page, 'utf8'), text);
  });

  /** Where a method goes, from its twin that only stamps. */
  async function pathOf(method) {
    const { url } = await world.client[`stamp${method.charAt(0).toUpperCase()}${method.slice(1)}`]({});
    return url.replace(world.server.compatibleUrl, '');
  }
});
