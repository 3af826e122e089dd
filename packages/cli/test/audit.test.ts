import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, serveInFolder } from './run-cli.ts';

let serving: Awaited<ReturnType<typeof serveInFolder>>;
let folder: (typeof serving)['folder'];
let connection: string[];
let keyFile: string;
let file: string;
let lastLeaf: string;

beforeAll(async () => {
  serving = await serveInFolder();
  ({ folder, connection } = serving);
  keyFile = await folder.write('log-key.txt', await (await fetch(`${serving.url}/log/key`)).text());
  file = join(folder.path, 'audit.jsonl');
  const privateKeys = '[{"privateKeyName":"k","curve":"CURVE_SECP256K1","privateKeyTags":[],"addressFormats":[]}]';
  const made = await runCli(['create-private-keys', '--private-keys', privateKeys, '--json', ...connection]);
  const privateKeyId = /"privateKeyId":\s*"([^"]+)"/.exec(made.stdout)?.[1] ?? '';
  const payload = ['--payload', 'hello', '--encoding', 'PAYLOAD_ENCODING_TEXT_UTF8', '--hash-function', 'HASH_FUNCTION_SHA256'];
  expect((await runCli(['sign-raw-payload', '--sign-with', privateKeyId, ...payload, ...connection])).code).toBe(0);
  const exported = await runCli(['audit', 'export', file, ...connection]);
  expect(exported).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/^Wrote 3 log leaves to .*\nLast leaf: 3:[0-9a-f]{64}\n$/s),
  });
  lastLeaf = exported.stderr.split('Last leaf: ')[1]?.trim() ?? '';
});

afterAll(() => serving?.close());

describe('audit', () => {
  test('verifies an exported file offline, with readable and JSON output', async () => {
    const { code, stdout } = await runCli(['audit', 'verify', file, '--log-key', keyFile]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Verified\.\nOrganization .*: 3 activities, 2 stamps, 2 decisions repeated, 1 signature\.\n/);
    expect(stdout).toContain('Leaves 1 to 3, none missing between them,');
    expect(stdout).toContain(`Last leaf: ${lastLeaf}\n`);
    const asJson = await runCli(['audit', 'verify', file, '--log-key', (await readFile(keyFile, 'utf8')).trim(), '--json']);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: true, report: { activities: 3, signatures: 1, createdBy: null } });
  });

  test('D102: rejects a changed file with the line, the reason and exit code 1', async () => {
    const bent = join(folder.path, 'bent.jsonl');
    await writeFile(bent, (await readFile(file, 'utf8')).replace('hello', 'hallo'));
    const { code, stdout } = await runCli(['audit', 'verify', bent, '--log-key', keyFile]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Not verified\. line 4, activity [0-9a-f-]{36}: its fingerprint is not that of the stamped body\.\n$/,
    );
    const asJson = await runCli(['audit', 'verify', bent, '--log-key', keyFile, '--json']);
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: false, failure: { line: 4 } });
  });

  test('D262: --expect-head accepts a file that contains the leaf, and rejects any other file', async () => {
    const verify = (head: string) => runCli(['audit', 'verify', file, '--log-key', keyFile, '--expect-head', head]);
    expect((await verify(lastLeaf)).stdout).toContain('Reaches the head that you expected.\n');
    const later = await verify(`4:${lastLeaf.slice(2)}`);
    expect(later).toMatchObject({ code: 1, stdout: expect.stringContaining('leaf 4, which you expect, is not in the file') });
    const other = await verify(`3:${'0'.repeat(64)}`);
    expect(other).toMatchObject({ code: 1, stdout: expect.stringContaining('leaf 3 is not the one that you expect') });
    expect((await verify('three')).stderr).toContain('--expect-head must be the number and the hash of a leaf');
  });

  test('exports to standard output by default; reports invalid times and missing files', async () => {
    const { stdout } = await runCli(['audit', 'export', '--from', '2999-01-01', ...connection]);
    expect(stdout.split('\n')[3]).not.toContain('"content"');
    expect((await runCli(['audit', 'export', '--from', 'yesterday', ...connection])).stderr).toContain('--from must be a day');
    expect((await runCli(['audit', 'verify', 'no-such-file', '--log-key', keyFile])).stderr).toContain('cannot be read');
    expect((await runCli(['audit', 'verify', file, '--log-key', 'no-such-key'])).stderr).toContain('cannot be read');
  });
});
