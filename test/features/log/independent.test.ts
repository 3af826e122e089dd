import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engines } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';

const folder = fileURLToPath(new URL('./go/', import.meta.url));
// Debian's packages are in /usr/share/gocode. GOPATH names another place.
const environment = { ...process.env, GO111MODULE: 'off', GOPATH: process.env.GOPATH ?? '/usr/share/gocode' };
const missing = () => {
  const go = (...parameters: string[]) => spawnSync('go', parameters, { cwd: folder, env: environment }).status === 0;
  if (!go('version')) return 'go is not installed';
  return go('list', 'golang.org/x/mod/sumdb/tlog') ? undefined : 'golang.org/x/mod is not installed for go';
};

const reason = missing();
if (reason !== undefined) console.warn(`The log is not read by Go's own reader: ${reason}.`);

/** What the reader says of the log at an address. */
function readByGo(url: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('go', ['run', 'verify.go', url], { cwd: folder, env: environment });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Optional: it needs Go and golang.org/x/mod (Debian: golang-go, golang-golang-x-mod-dev). */
describe.skipIf(reason !== undefined)("Go's reader of checksum databases", () => {
  test('proves every leaf of the log, and finds a tile that was changed', { timeout: 240_000 }, async () => {
    const installation = await engines.sqlite();
    const service = await startService(installation);
    onTestFinished(async () => {
      await service.close();
      await installation.remove();
    });
    const key = await createPrivateKey(service.root);
    for (let count = 0; count < 300; count++) await service.root.submit('signRawPayload', signParams(key));
    await service.root.data('listLogEntries');
    const sound = await readByGo(service.url);
    expect(sound.output).toMatch(/countersign\/\S+: 30\d leaves, each proven under the signed root/);
    expect(sound.code).toBe(0);

    const raw = await installation.raw();
    const [tile] = await raw.all('SELECT hashes FROM log_tiles WHERE level = 0 AND tile_index = 0');
    const hashes = Buffer.from(tile?.hashes as Uint8Array);
    hashes[40] = (hashes[40] as number) ^ 1;
    await raw.run('UPDATE log_tiles SET hashes = ? WHERE level = 0 AND tile_index = 0', new Uint8Array(hashes));
    expect((await readByGo(service.url)).code).toBe(1);
  });
});
