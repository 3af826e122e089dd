import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startCommand } from '../../../test/faults/fault/support/command-process.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { runCli, temporaryFolder } from './run-cli.ts';

const wait = { timeout: 60_000, interval: 50 };

/** A service in processes of its own: it ends some of them when it is sealed. */
function startServe(argv: readonly string[]) {
  const command = startCommand(['serve', '--json', '--log-level', 'silent', ...argv]);
  onTestFinished(() => void command.kill());
  return {
    ready: () => command.firstLine(),
    async stop() {
      command.signal('SIGTERM');
      expect(await command.ended).toMatchObject({ code: 0 });
    },
  };
}

test('D583: a service starts sealed and says so; operators unseal, seal and share its root key again', async () => {
  await using folder = await temporaryFolder();
  const identities = await Promise.all([1, 2, 3].map(() => generateIdentity()));
  const recipients = await Promise.all(identities.map((identity) => identityToRecipient(identity)));
  const identityFiles = await Promise.all(identities.map((identity, at) => folder.write(`identity-${at}`, identity)));
  const [data, socket, shares] = [join(folder.path, 'data'), join(folder.path, 'socket'), join(folder.path, 'shares')];
  const port = await freePort();
  const sharing = ['--share-threshold', '2', '--share-recipients', recipients.join(','), '--share-directory', shares];
  const serve = () => startServe(['--data-dir', data, '--port', String(port), '--unseal-socket', socket, ...sharing]);
  const status = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, (await response.text()).split(':')[0]?.trim()];
  };
  const folderOf = (generation: number) => {
    const [name] = readdirSync(shares).filter((each) => each.endsWith(`-${generation}`));
    return join(shares, name as string);
  };
  const file = (at: number, generation = 1) => join(folderOf(generation), `share-${at + 1}.age`);
  const textOf = async (at: number) => {
    const decrypter = new Decrypter();
    decrypter.addIdentity(identities[at] as string);
    return decrypter.decrypt(readFileSync(file(at)), 'text');
  };
  const unseal = (at: number, { to = socket, generation = 1 } = {}) =>
    runCli(['unseal', file(at, generation), '--identity', identityFiles[at] as string, '--unseal-socket', to]);

  const first = serve();
  await vi.waitFor(() => expect(readdirSync(folderOf(1))).toHaveLength(3), wait);
  expect(await status('/readyz')).toEqual([503, 'sealed']);
  expect(await status('/console/')).toEqual([503, 'sealed']);
  expect(await status('/healthz')).toEqual([200, 'ok']);
  // An encrypted file, then the terminal.
  await vi.waitFor(async () => expect((await unseal(0)).stdout).toMatch(/is sealed: 1 of 2 shares\.\n$/), wait);
  const refused = await runCli(['unseal', '--unseal-socket', socket], { stdin: 'countersign-share-of-something' });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('The share was refused') });
  const typed = await runCli(['unseal', '--unseal-socket', socket], { terminal: true, answers: [await textOf(1)] });
  expect(typed.stdout).toMatch(/is unsealed\.\n$/);
  await first.ready();
  expect(await status('/readyz')).toEqual([200, 'ready']);

  const sealed = await runCli(['seal', '--unseal-socket', socket, '--json']);
  expect(JSON.parse(sealed.stdout)).toMatchObject({ keys: [{ sealed: true, shares: 0 }] });
  expect(await status('/readyz')).toEqual([503, 'sealed']);
  for (const at of [1, 2]) expect((await unseal(at)).code).toBe(0);
  await vi.waitFor(async () => expect(await status('/readyz')).toEqual([200, 'ready']), wait);
  await first.stop();

  const other = join(folder.path, 'other');
  const again = runCli(['vault', 'reshare', '--data-dir', data, '--log-level', 'silent', '--unseal-socket', other, ...sharing]);
  for (const at of [0, 2]) await vi.waitFor(async () => expect((await unseal(at, { to: other })).code).toBe(0), wait);
  expect(await again).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 3 shares open it') });

  const second = serve();
  await vi.waitFor(async () => expect((await unseal(0)).stderr).toContain('the root key was shared again since'), wait);
  for (const at of [0, 1]) expect((await unseal(at, { generation: 2 })).code).toBe(0);
  await second.ready();
  expect(await status('/readyz')).toEqual([200, 'ready']);
  await second.stop();
});
