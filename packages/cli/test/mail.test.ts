import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqliteFile } from '../../../test/support/sqlite-file.ts';
import { runCli, temporaryFolder } from './run-cli.ts';

/** Runs the service during the callback. */
async function whileServing(dataDir: string, use: (url: string) => Promise<void>): Promise<void> {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let ended: Promise<unknown> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    const argv = ['serve', '--port', '0', '--data-dir', dataDir, '--log-level', 'silent', '--json'];
    const onOutput = (text: string) => resolve(JSON.parse(text).url);
    ended = runCli(argv, { untilStopped: () => stopped, onOutput }).then(({ stderr }) => reject(new Error(stderr)));
  });
  try {
    await use(url);
  } finally {
    stop();
    await ended;
  }
}

describe('mail', () => {
  test('shows the messages of the running service and the address of their page', async () => {
    await using folder = await temporaryFolder();
    const data = ['--data-dir', folder.path];
    await whileServing(folder.path, async (url) => {
      const empty = await runCli(['mail', ...data]);
      expect(empty).toMatchObject({ code: 0, stdout: expect.stringContaining('The development mailbox is empty.') });
      const asked = await runCli([
        ...['init-otp', '--otp-type', 'email', '--contact', 'someone@example.com', '--otp-length', '6'],
        ...['--alphanumeric', 'false', '--json', '--url', url, ...data],
      ]);
      expect(asked).toMatchObject({ code: 0, stderr: '' });
      const { otpId } = JSON.parse(asked.stdout).activity.result.activity.result.initOtpResult;

      // The server picked its port; the settings of this command contain another.
      let shown = await runCli(['mail', '--limit', '1', ...data]);
      while (shown.stdout.includes('empty')) shown = await runCli(['mail', '--limit', '1', '--port', '0', ...data]);
      expect(shown.stdout).toContain(`${url}/dev/mail?token=`);
      expect(shown.stdout).toContain('Your Countersign code');
      const code = /^ {2}(\d{6})$/m.exec(shown.stdout)?.[1] ?? '';
      const verified = await runCli(['verify-otp', '--otp-id', otpId, '--otp-code', code, '--json', '--url', url, ...data]);
      expect(verified).toMatchObject({ code: 0, stderr: '' });

      const page = /http:\/\/127\.0\.0\.1:\d+\/dev\/mail\?token=\S+/.exec(shown.stdout)?.[0] ?? '';
      const response = await fetch(page);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain(code);

      expect(await runCli(['mail', '--parked', ...data])).toMatchObject({
        code: 0,
        stdout: 'No messages were rejected permanently.\n',
      });

      const json = JSON.parse((await runCli(['mail', '--json', ...data])).stdout);
      expect(json.entries).toMatchObject([{ to: 'someone@example.com', secret: code, html: expect.stringContaining(code) }]);
    });
  });

  test('shows the configured port after the server stopped, and no unknown port', async () => {
    await using folder = await temporaryFolder();
    const data = ['--data-dir', folder.path];
    await whileServing(folder.path, async (url) => {
      expect((await runCli(['mail', ...data])).stdout).toContain(`${url}/dev/mail`);
    });
    expect((await runCli(['mail', ...data])).stdout).toContain('http://127.0.0.1:8787/dev/mail');
    expect((await runCli(['mail', '--port', '0', ...data])).stdout).not.toContain('/dev/mail');
    // Left by a killed server: no process has this id.
    await writeFile(
      join(folder.path, 'listening.json'),
      JSON.stringify({ pid: 2 ** 22 + 1, port: 4000, url: 'http://127.0.0.1:4000' }),
    );
    expect((await runCli(['mail', ...data])).stdout).toContain('http://127.0.0.1:8787/dev/mail');
    for (const damaged of [
      '',
      '{',
      '{"pid":"1","port":4000,"url":"http://127.0.0.1:4000"}',
      `{"pid":${process.pid},"port":"4000/evil","url":"http://127.0.0.1:4000"}`,
    ]) {
      await writeFile(join(folder.path, 'listening.json'), damaged);
      expect((await runCli(['mail', ...data])).stdout, damaged).toContain('http://127.0.0.1:8787/dev/mail');
    }
  });

  test('--parked shows the reason but not the content of rejected messages', async () => {
    await using folder = await temporaryFolder();
    const data = ['--data-dir', folder.path];
    await runCli(['init', ...data, '--log-level', 'silent']);
    const database = openSqliteFile(join(folder.path, 'countersign.db'));
    database
      .prepare(
        "INSERT INTO outbox SELECT organization_id, 'm1', 'parked', 1000, 2000, 3, 'no \u001b[2J mailbox', x'00' FROM organizations",
      )
      .run();
    database.close();
    const { code, stdout } = await runCli(['mail', '--parked', ...data]);
    expect(code).toBe(0);
    expect(stdout).toContain('m1: no \\u001b[2J mailbox');
    expect(stdout).toContain('1970-01-01T00:00:01.000Z');
    const [parked] = JSON.parse((await runCli(['mail', '--parked', '--json', ...data])).stdout);
    expect(parked).toEqual({
      id: 'm1',
      organizationId: expect.any(String),
      attempts: 3,
      fault: 'no \u001b[2J mailbox',
      parkedAtMs: 1000,
      expiresAtMs: 2000,
    });
  });

  test('does not create an installation', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'none');
    const { code, stdout, stderr } = await runCli(['mail', '--data-dir', dataDir]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: .* contains no installation\.\nFix: /);
  });

  test.each(['0', '101', 'x', '-1', '1.5'])('rejects --limit %s', async (limit) => {
    const { code, stderr } = await runCli(['mail', `--limit=${limit}`]);
    expect(code).toBe(2);
    expect(stderr).toContain('--limit must be a whole number from 1 to 100.');
  });
});
