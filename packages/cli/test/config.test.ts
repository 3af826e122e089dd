import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { selfSigned } from '../../../test/support/self-signed.ts';
import { runCli, temporaryFolder } from './run-cli.ts';

const SECRET = 'correct horse battery staple';

async function withFile(text: string) {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'countersign.yaml');
  await writeFile(path, text, { mode: 0o600 });
  return { folder, path };
}

describe('config', () => {
  test('shows every setting with its origin, from the file that a variable names, too', async () => {
    const { folder, path } = await withFile('host: 0.0.0.0\nport: 9000\nlogLevel: warn\n');
    await using _folder = folder;
    const environment = { COUNTERSIGN_CONFIG: path, COUNTERSIGN_PORT: '9001' };
    const { stdout, code } = await runCli(['config', 'show', '--log-level', 'debug', '--json'], { environment });
    expect(code).toBe(0);
    const { file, settings } = JSON.parse(stdout) as { file: string; settings: { name: string }[] };
    expect(file).toBe(path);
    const found = (name: string) => settings.find((setting) => setting.name === name);
    expect(found('host')).toEqual({ name: 'host', value: '0.0.0.0', origin: `${path}:1 host`, reload: false });
    expect(found('port')).toMatchObject({ value: '9001', origin: 'COUNTERSIGN_PORT' });
    expect(found('logLevel')).toEqual({ name: 'logLevel', value: 'debug', origin: '--log-level', reload: true });
    expect(found('workers')).toMatchObject({ value: '1', origin: 'default' });
    expect(found('tlsCert')).toMatchObject({ origin: 'not set' });
    const readable = await runCli(['config', 'show', '--config', path]);
    expect(readable.stdout).toMatch(new RegExp(`\nport +9000 +\\(${path}:2 port\\)\n`));
    expect(readable.stdout).toMatch(/\nlogLevel +warn +\(.*, applied on SIGHUP\)\n/);
  });

  test('D605: shows no secret, wherever it comes from', async () => {
    const { folder, path } = await withFile(`smtpPassword: ${SECRET}\nrootPassphraseFile: SECRET_FILE\n`);
    await using _folder = folder;
    const secretFile = join(folder.path, 'secret');
    await writeFile(secretFile, SECRET, { mode: 0o600 });
    await writeFile(path, `smtpPassword: ${SECRET}\nrootPassphraseFile: ${secretFile}\n`);
    const environment = {
      COUNTERSIGN_DATABASE_URL: `postgres://me:${SECRET.replaceAll(' ', '')}@db.example.com/x`,
      COUNTERSIGN_SMS_TOKEN_FILE: secretFile,
    };
    for (const words of [['show'], ['show', '--json'], ['check'], ['check', '--json']]) {
      const { stdout, stderr, code } = await runCli(['config', ...words, '--config', path], { environment });
      expect(code).toBe(0);
      expect(stdout + stderr).not.toMatch(/horse/);
    }
    const { stdout } = await runCli(['config', 'show', '--config', path], { environment });
    for (const name of ['smtpPassword', 'rootPassphrase', 'databaseUrl', 'smsToken'])
      expect(stdout).toMatch(new RegExp(`\n${name} +\\*{8} `));
  });

  test('D605: a password on the command line is refused by every command, and a URL without one is accepted', async () => {
    for (const url of ['postgres://me:hunter2@db/x', 'postgres://db/x?user=me&password=hunter2']) {
      const refused = await runCli(['doctor', '--database-url', url]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('--database-url contains a password');
      expect(refused.stderr).not.toContain('hunter2');
    }
    expect((await runCli(['config', 'check', '--database-url', 'postgres://me@127.0.0.1:5432/x'])).code).toBe(0);
  });

  test('check lists every problem, and certificates that cannot be used', async () => {
    const { folder, path } = await withFile('port: 70000\nworkers: many\n');
    await using _folder = folder;
    const invalid = await runCli(['config', 'check', '--config', path]);
    expect(invalid.code).toBe(1);
    expect(invalid.stderr).toContain(`${path}:1 port must be at most 65535`);
    expect(invalid.stderr).toContain(`${path}:2 workers must be a whole number`);
    const { problems } = JSON.parse((await runCli(['config', 'check', '--json', '--config', path])).stdout);
    expect(problems).toHaveLength(2);

    const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
    await writeFile(cert, selfSigned().cert);
    await writeFile(key, selfSigned().key, { mode: 0o600 });
    await writeFile(path, `tlsCert: ${cert}\ntlsKey: ${key}\n`);
    expect((await runCli(['config', 'check', '--config', path])).stderr).toContain('does not belong to the certificate');
    await writeFile(path, 'tlsCrt: x\n');
    expect((await runCli(['config', 'check', '--config', path])).stderr).toContain('Did you mean tlsCert?');
    await writeFile(path, 'port: 9000\n');
    const valid = await runCli(['config', 'check', '--config', path]);
    expect(valid).toMatchObject({ code: 0, stderr: '' });
    expect(valid.stdout).toContain(`The settings are valid. Configuration file: ${path}`);
  });

  test('commands read the file that is named, and config prints its schema', async () => {
    const { folder, path } = await withFile('dataDir: DIRECTORY\n');
    await using _folder = folder;
    await writeFile(path, `dataDir: ${join(folder.path, 'data')}\nlogLevel: silent\n`);
    const made = await runCli(['init', '--config', path, '--json']);
    expect(made.code).toBe(0);
    expect(existsSync(join(folder.path, 'data', 'root.key'))).toBe(true);
    const schema = JSON.parse((await runCli(['config', 'schema'])).stdout);
    expect(schema).toMatchObject({ additionalProperties: false, properties: { dataDir: { default: 'countersign-data' } } });
  });

  test('serve applies the changed log level on SIGHUP, and names what needs a restart', async () => {
    const { folder, path } = await withFile('');
    await using _folder = folder;
    await writeFile(path, `dataDir: ${join(folder.path, 'data')}\nlogLevel: silent\nport: 0\n`);
    let hangUp = () => {};
    let stop = () => {};
    let errors = '';
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    const ready = deferred();
    const served = runCli(['serve', '--json', '--config', path], {
      untilStopped: () => stopped,
      onOutput: () => ready.resolve(),
      onError: (text) => (errors += text),
      onHangup: (listener) => (hangUp = listener),
    });
    await ready.promise;
    await writeFile(path, `dataDir: ${join(folder.path, 'data')}\nlogLevel: error\nport: 0\nworkers: 2\n`);
    hangUp();
    await expect.poll(() => errors).toContain('Changed settings: logLevel.');
    expect(errors).toContain('These changed settings need a restart: workers.');
    await writeFile(path, 'prot: 0\n');
    hangUp();
    await expect.poll(() => errors).toContain('was not reloaded');
    expect(errors).toContain('Did you mean port?');
    stop();
    expect((await served).code).toBe(0);
  });
});

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
