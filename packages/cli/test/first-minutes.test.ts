import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../test/support/data-directory.ts';
import { portFileProblem } from '../../server/src/config/port-file.ts';
import { runCli } from './run-cli.ts';

const bin = join(import.meta.dirname, '../bin/countersign.js');
let folder: string;
let data: string;
const started: ChildProcess[] = [];

beforeAll(() => {
  folder = makeDataDirectory('first-minutes');
  data = join(folder, 'countersign-data');
});
afterEach(async () => {
  for (const child of started.splice(0)) await stop(child);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const env = () => ({ PATH: process.env.PATH, HOME: folder, TMPDIR: folder });

/** Runs the real command in the folder, without a terminal. */
function command(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [bin, ...argv], { cwd: folder, env: env() }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** Starts a command that runs until it is stopped, and waits for its first output. */
async function start(argv: readonly string[], stdin: 'pipe' | number = 'pipe') {
  const child = spawn(process.execPath, [bin, ...argv], { cwd: folder, env: env(), stdio: [stdin, 'pipe', 'inherit'] });
  started.push(child);
  const [first] = await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data');
  return { child, text: String(first) };
}

const serve = async (...argv: string[]) => {
  const { child, text } = await start(['serve', '--log-level', 'silent', '--json', ...argv]);
  return { child, ...(JSON.parse(text.split('\n')[0] ?? '') as { url: string; consoleUrl: string }) };
};

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
  return child.exitCode;
}

/** A port that another program uses, and the number of its requests. */
async function occupyPort() {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"activity":{"result":{"username":"a liar"}}}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, requests: () => requests, [Symbol.dispose]: () => server.close() };
}

describe('a port that is in use', () => {
  test.each([['serve'], ['serve', '--workers', '2']])('%s %s %s: reports it in one line and creates nothing', async (...argv) => {
    using other = await occupyPort();
    const refused = await command(...argv, '--port', `${other.port}`, '--data-dir', join(folder, 'never'));
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: 127.0.0.1 port ${other.port} is in use.\nFix:   Stop what listens there, or choose another --port (0 picks a free one).\n`,
    });
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  test('dev: leaves no folder', async () => {
    using other = await occupyPort();
    const refused = await command('dev', '--port', `${other.port}`);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Error: Port \d+ is in use\.\nFix: .*\n$/),
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('countersign-dev'))).toEqual([]);
  });
});

describe('the command finds the service that runs on its data directory', () => {
  test('on a free port, on another port after a restart, and reports that it does not run', async () => {
    const first = await serve('--port', '0');
    const saved = JSON.parse(await readFile(join(data, 'credentials.json'), 'utf8'));
    expect(saved.baseUrl).toBe('http://127.0.0.1:0');
    expect(await command('whoami')).toMatchObject({ code: 0, stdout: expect.stringContaining('Root user') });
    expect((await fetch(first.consoleUrl)).status).toBe(200);
    expect(await stop(first.child)).toBe(0);

    expect(await command('whoami')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('No service is running on countersign-data.'),
    });
    const { url } = await serve('--port', '0', '--workers', '2');
    expect(url).not.toBe(first.url);
    expect(await command('whoami')).toMatchObject({ code: 0 });
  });

  test('with the compatible dialect at the root, and on all addresses', async () => {
    await serve('--port', '0', '--compat-root', '--host', '0.0.0.0');
    expect(await command('whoami')).toMatchObject({ code: 0, stdout: expect.stringContaining('Root user') });
  });

  test('D510: a port file that other users can write is not used; one of the owner is', async () => {
    await serve('--port', '0');
    using other = await occupyPort();
    const file = join(data, 'listening.json');
    const written = await readFile(file, 'utf8');
    const planted = { pid: process.pid, port: other.port, url: `http://127.0.0.1:${other.port}` };
    await writeFile(file, JSON.stringify(planted));
    await chmod(file, 0o666);
    expect(await command('whoami')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/listening\.json can be written by other users \(mode 0666\)\.\nFix: /),
    });
    expect(other.requests()).toBe(0);

    await chmod(file, 0o600);
    expect((await command('whoami')).stdout).toContain('a liar');
    // A process that ended, such as a server that was killed: the address is not used.
    await writeFile(file, JSON.stringify({ ...planted, pid: 2 ** 22 + 1 }));
    expect(await command('whoami')).toMatchObject({ code: 4 });
    expect(other.requests()).toBe(1);
    await writeFile(file, written);
    expect(await command('whoami')).toMatchObject({ code: 0, stdout: expect.stringContaining('Root user') });
  });

  test('D510: only this user, root and the owner of the data directory write a port file', () => {
    const file = (uid: number, mode = 0o100600, isFile = true) => ({ uid, mode, isFile: () => isFile });
    for (const uid of [1000, 0, 2000]) expect(portFileProblem(file(uid), { uid: 2000 }, 1000)).toBeUndefined();
    expect(portFileProblem(file(3000), { uid: 2000 }, 1000)).toBe('belongs to another user (uid 3000)');
    expect(portFileProblem(file(3000), { uid: 0 }, 1000)).toBe('belongs to another user (uid 3000)');
    expect(portFileProblem(file(1000, 0o100620), { uid: 1000 }, 1000)).toContain('mode 0620');
    expect(portFileProblem(file(1000, 0o10600, false), { uid: 1000 }, 1000)).toBe('is not a file');
  });
});

describe('dev', () => {
  test('opens the console as ready-made people, and stops cleanly without a terminal', async () => {
    const nothing = openSync('/dev/null', 'r');
    const { child, text } = await start(['dev', '--port', '0', '--json'], nothing);
    closeSync(nothing);
    const { url, consoleUrl, people } = JSON.parse(text.split('\n')[0] ?? '') as {
      url: string;
      consoleUrl: string;
      people: { name: string; email: string; file: string; consoleLink: string }[];
    };
    expect((await fetch(consoleUrl)).status).toBe(200);
    expect(people.map(({ name, email }) => [name, email])).toEqual([
      ['Ann', 'ann@example.com'],
      ['Ben', 'ben@example.com'],
    ]);
    const { organizationId } = JSON.parse(await readFile(people[0]?.file ?? '', 'utf8'));
    for (const { consoleLink } of people)
      expect(consoleLink).toMatch(
        new RegExp(`^${consoleUrl}#/setup\\?organization=${organizationId}&user=[^&]+&token=[0-9a-f]{64}$`),
      );
    const relay = (path: string, body: object) =>
      fetch(`${url}/auth-proxy/v1/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Auth-Proxy-Config-ID': organizationId },
        body: JSON.stringify(body),
      });
    expect(await (await relay('wallet_kit_config', {})).json()).toMatchObject({ enabledProviders: ['email'] });
    const sent = await relay('otp_init', { otpType: 'OTP_TYPE_EMAIL', contact: 'ann@example.com' });
    expect(sent.status).toBe(200);
    expect(await stop(child)).toBe(0);
  });
});

describe('mistakes', () => {
  test.each([
    [['walet'], 'Error: "walet" is not a command. Did you mean wallet?\n'],
    [['wallet', 'creat'], 'Error: "wallet creat" is not a command. Did you mean wallet create?\n'],
    [['wallet'], 'Error: "wallet" needs a verb.\nFix:   The verbs of wallet are create,'],
    [['help', 'whoam'], 'Error: "whoam" is not a command. Did you mean whoami?\n'],
    [['xyzzyx'], 'Error: "xyzzyx" is not a command.\n'],
    [['serve', '--port', 'eighty'], 'Error: --port must be a whole number (given: "eighty")\n'],
    [['dev', '--port', 'eighty'], 'Error: --port must be a number.\n'],
    [['request', '--path', 'x', '--body', '{}'], 'Error: --path must start with a slash: x\n'],
    [['audit', 'export', '--from', 'yesterday', 'file'], 'Error: --from must be a day or a time.\n'],
    [
      ['audit', 'verify', 'file', '--data-dir', 'none'],
      'Error: The log key is missing, and no service that runs on none shows it.\n',
    ],
  ])('%j exits with 2', async (argv, message) => {
    const refused = await runCli(argv, { environment: { COUNTERSIGN_DATA_DIR: data } });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr.startsWith(message), refused.stderr).toBe(true);
  });

  test('the process ends with the same code', async () => {
    expect(await command('walet')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Did you mean wallet?'),
    });
  });

  test('"help" and known commands are shown', async () => {
    for (const argv of [['help'], ['wallet', 'create', '--help'], ['help', 'whoami']])
      expect(await runCli(argv)).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: countersign') });
  });
});

test('the first steps: sign, explain, export, verify, diagnose and read the documents', async () => {
  const { url, child } = await serve('--port', '0');
  expect(await command('wallet', 'create', 'Treasury', '--account', 'ethereum')).toMatchObject({ code: 0 });
  const read = async (...argv: string[]) => (await command(...argv)).stdout.trim();
  const address = await read('list-wallet-accounts', '--wallet-id', 'Treasury', '--query', 'accounts[0].address');
  const sign = (payload: string) =>
    command('sign-raw-payload', address, '--payload', payload, '--encoding', 'hexadecimal', '--hash-function', 'keccak256');
  expect(await sign('zz')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('characters that are not hexadecimal digits'),
  });
  expect(await sign('abc')).toMatchObject({ code: 2, stderr: expect.stringContaining('even number of hexadecimal digits') });
  expect(await sign('ab')).toMatchObject({ code: 0 });

  const id = await read('list-activities', '--query', 'activities[0].id');
  const explained = await command('explain', id);
  expect(explained.stdout).toContain('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD');
  const ids = (await read('list-activities', '--query', 'activities[].id')).split('\n');
  const unique = Array.from({ length: id.length }, (_, at) => id.slice(0, at)).find(
    (prefix) => prefix.length >= 4 && ids.filter((each) => each.startsWith(prefix)).length === 1,
  );
  expect(await command('explain', unique ?? '')).toEqual(explained);
  expect(await command('explain', 'ffff')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('No activity has the name or id prefix'),
  });

  const exported = await command('audit', 'export', 'all.jsonl');
  expect(exported.stderr).toMatch(
    /^Wrote \d+ log leaves to all\.jsonl \([\d,]+ bytes\)\.\nSave the log key once: curl -s http:\/\/127\.0\.0\.1:\d+\/log\/key > log-key\.txt\nVerify the file: .*\nLast leaf: \d+:[0-9a-f]{64}\n$/,
  );
  expect(await command('audit', 'verify', 'all.jsonl')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Verified\./),
    stderr: expect.stringContaining(`Log key from ${url}/log/key.`),
  });
  const doctor = await command('doctor');
  expect(doctor).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 organization, with keys and activities, verifies'),
  });
  expect(doctor.stdout).toContain('1 organization and 0 usage buckets: each has the newest state in the log');

  const docs = await fetch(`${url}/docs/`);
  expect(docs.status).toBe(200);
  expect(await docs.text()).toContain('Countersign');
  expect(await stop(child)).toBe(0);
});
