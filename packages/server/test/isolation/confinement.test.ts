import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { edgeEnvironment, planConfinement } from '../../src/isolation/confinement.ts';
import { permissionFlags } from '../../src/isolation/permission-flags.ts';

const program = makeDataDirectory('program');
const entry = pathToFileURL(join(program, 'edge-entry.js'));
const isolated = (settings: Record<string, string> = {}) =>
  readConfig({ dataDir: makeDataDirectory('data'), isolate: 'true', ...settings }, {});

test('an edge reads its program, and not the data directory', () => {
  const { readable } = planConfinement(isolated(), entry);
  expect(readable).toContain(program);
  expect(readable).not.toContain('/etc');
});

test('D586: keys and data where edges read are refused, also by way of a folder that does not exist yet', () => {
  for (const dataDir of [program, join(program, 'data'), join(program, 'new', 'data')])
    expect(() => planConfinement(isolated({ dataDir }), entry)).toThrow('cannot protect');
  expect(() => planConfinement(isolated({ rootKeyFile: join(program, 'root.key') }), entry)).toThrow('cannot protect');
});

test('D665: other secret files where edges read are refused', () => {
  const file = join(program, 'secret');
  for (const settings of [
    { tlsCert: join(program, 'cert.pem'), tlsKey: file },
    { unsealSocket: file },
    { transitUrl: 'https://vault.example', transitTokenFile: file },
  ])
    expect(() => planConfinement(isolated(settings), entry)).toThrow(`cannot protect ${file}`);
  const elsewhere = join(makeDataDirectory('tls'), 'key.pem');
  expect(planConfinement(isolated({ tlsCert: join(program, 'cert.pem'), tlsKey: elsewhere }), entry).readable).toContain(program);
});

test('edges do not run as root', () => {
  expect(() => isolated({ edgeUser: '0:0' })).toThrow();
});

test('D586: an edge gets only variables that name public files', () => {
  const environment = {
    COUNTERSIGN_ROOT_PASSPHRASE: 'x',
    PGPASSWORD: 'y',
    NODE_OPTIONS: '--inspect',
    TZ: 'UTC',
    SSL_CERT_FILE: '/c',
  };
  expect(edgeEnvironment(environment)).toEqual({ TZ: 'UTC', SSL_CERT_FILE: '/c' });
});

test('the permission model of Node is used where it is stable', () => {
  expect(permissionFlags(['/a'], new Set(['--experimental-permission']))).toEqual([]);
  expect(permissionFlags(['/a'], new Set(['--permission', '--allow-net']))).toEqual([
    '--permission',
    '--allow-net',
    '--allow-fs-read=/a',
  ]);
});
