import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const folder = fileURLToPath(new URL('./go/', import.meta.url));
const sources = readdirSync(folder).filter((name) => name.endsWith('.go'));
// Debian's packages are in /usr/share/gocode. GOPATH names another place.
const environment = { ...process.env, GO111MODULE: 'off', GOPATH: process.env.GOPATH ?? '/usr/share/gocode' };
const go = (...parameters: string[]) => spawnSync('go', parameters, { cwd: folder, env: environment, encoding: 'utf8' });
const missing = () => {
  if (go('version').status !== 0) return 'go is not installed';
  return go('list', 'golang.org/x/mod/sumdb/tlog').status === 0 ? undefined : 'golang.org/x/mod is not installed for go';
};

const reason = missing();
if (reason !== undefined) console.warn(`The vectors of conformance/log are not made again with Go: ${reason}.`);

describe.skipIf(reason !== undefined)('vectors made by Go', () => {
  test.each(['inclusion', 'consistency', 'tiles', 'notes', 'leaves'])('conformance/log/%s.json is what Go writes', (name) => {
    const { stdout, stderr, status } = go('run', ...sources, name);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(readFileSync(new URL(`../../../conformance/log/${name}.json`, import.meta.url), 'utf8'));
  });
});
