import { afterAll, expect, test } from 'vitest';
import { type CommandProcess, runCommand, startCommand } from '../faults/fault/support/command-process.ts';
import { makeDataDirectory } from '../support/data-directory.ts';
import { packageFolder, SoftHsm } from './softhsm.ts';

const hsm = new SoftHsm(makeDataDirectory('softhsm'));
hsm.initToken('countersign');
const environment = { NODE_PATH: packageFolder, SOFTHSM2_CONF: hsm.configFile };
const dataDir = makeDataDirectory('pkcs11');
const flags = [
  ...['--data-dir', dataDir, '--pkcs11-uri', `pkcs11:token=countersign?module-path=${hsm.library}`],
  ...['--pkcs11-pin-file', hsm.pinFile],
];
let server: CommandProcess | undefined;
afterAll(() => server?.kill());

test('D547: the real command with a token: it starts, reports the loss, stops, and continues when the token is back', async () => {
  server = startCommand(['serve', '--json', '--port', '0', '--root-key-grace-seconds', '0', ...flags], { environment });
  const { url, warnings } = JSON.parse(await server.firstLine()) as { url: string; warnings: readonly unknown[] };
  expect(warnings).toEqual([]);
  const { origin } = new URL(url);
  const read = async (path: string) => {
    const response = await fetch(`${origin}${path}`);
    return { status: response.status, text: await response.text() };
  };
  expect(await read('/readyz')).toEqual({ status: 200, text: 'ready\n' });
  expect((await read('/metrics')).text).toMatch(/^countersign_root_key_available 1$/m);

  hsm.pullOut();
  await expect.poll(() => read('/readyz')).toEqual({ status: 503, text: 'the root key is not available\n' });
  expect((await read('/metrics')).text).toMatch(/^countersign_root_key_available 0$/m);
  await expect.poll(() => server?.stderr()).toContain('the root key was lost');
  const broken = await runCommand(['doctor', ...flags], { environment });
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/✗ vault +.*PKCS #11 token/) });

  hsm.plugIn();
  await expect.poll(() => read('/readyz')).toEqual({ status: 200, text: 'ready\n' });
  const sound = await runCommand(['doctor', ...flags], { environment });
  expect(sound).toMatchObject({ code: 0, stdout: expect.stringMatching(/✓ vault +root key [0-9a-f]{16} from PKCS #11 token/) });
  expect(sound.stdout).not.toContain('same file system');
});
