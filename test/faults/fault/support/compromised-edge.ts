import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Config } from '../../../../packages/server/src/config/settings.ts';
import { type Confinement, planConfinement } from '../../../../packages/server/src/isolation/confinement.ts';
import { type Isolation, startIsolated } from '../../../../packages/server/src/process/workers/isolated-worker.ts';
import type { Worker } from '../../../../packages/server/src/process/workers/worker.ts';
import { waitUntil } from './wait-until.ts';

/** What an intruder in an edge tried, and what came of it: `done`, or the error. */
export type Loot = Readonly<Record<string, string>>;

/** What the intruder knows about the machine. */
interface Targets {
  readonly core: number;
  readonly parent: number;
  readonly dataDir: string;
  readonly socket: string;
  readonly reportTo: number;
}

const BUNDLE = new URL('../../../../packages/cli/run/', import.meta.url);

/** The program of an intruder: code of their choice instead of the edge. It reports over TCP. */
const intruder = (targets: Targets) => `
import { spawnSync } from 'node:child_process';
import { chmodSync, fstatSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
const targets = ${JSON.stringify(targets)};
const loot = {};
const attempt = (name, action) => {
  try { action(); loot[name] = 'done'; } catch (error) { loot[name] = error.code ?? error.message; }
};
const later = (name, start) => new Promise((resolve) => {
  const end = (text) => { loot[name] = text; resolve(); };
  try { start(() => end('done'), (error) => end(error.code)); } catch (error) { end(error.code ?? error.message); }
});
async function attack() {
  for (const file of ['root.key', 'countersign.db', 'credentials.json'])
    attempt('read ' + file, () => readFileSync(targets.dataDir + '/' + file));
  attempt('write to the data directory', () => writeFileSync(targets.dataDir + '/planted', ''));
  attempt('read the environment of the core', () => readFileSync('/proc/' + targets.core + '/environ'));
  attempt('open the memory of the core', () => openSync('/proc/' + targets.core + '/mem', 'r+'));
  attempt('list the files of the core', () => readdirSync('/proc/' + targets.core + '/fd'));
  attempt('change the mode of the data directory', () => chmodSync(targets.dataDir, 0o777));
  attempt('read the environment of the parent', () => readFileSync('/proc/' + targets.parent + '/environ'));
  attempt('signal the core', () => process.kill(targets.core, 0));
  attempt('read a file of the system', () => readFileSync('/etc/passwd'));
  attempt('write a file', () => writeFileSync(targets.socket + '.planted', ''));
  attempt('start a program', () => { const { error } = spawnSync('/bin/true'); if (error) throw error; });
  await later('connect to a local socket', (done, failed) => connect(targets.socket, done).on('error', failed));
  await later('listen on a port', (done, failed) => createServer().on('error', failed).listen(0, done));
  loot.environment = Object.keys(process.env).sort().join(' ');
  const files = [];
  for (let fd = 0; fd < 64; fd++) {
    try { const status = fstatSync(fd); if (status.isFile() || status.isDirectory()) files.push(fd); } catch {}
  }
  loot.files = files.join(' ');
  connect(targets.reportTo, '127.0.0.1').end(JSON.stringify(loot));
}
process.on('disconnect', () => process.exit(0));
process.on('message', ({ kind }) => {
  if (kind === 'ping') process.send({ kind: 'pong' });
  if (kind === 'stop') process.exit(0);
  if (kind === 'start') {
    process.send({ kind: 'ready' });
    attack();
  }
});
process.send({ kind: 'awake' });
`;

/** The program of an edge that does one thing after its start: to say what no edge says to the process that started it. */
const rude = (bytes: string) => `
import { writeSync } from 'node:fs';
process.on('disconnect', () => process.exit(0));
process.on('message', ({ kind }) => {
  if (kind === 'ping') process.send({ kind: 'pong' });
  if (kind === 'start') {
    process.send({ kind: 'ready' });
    setTimeout(() => writeSync(4, ${JSON.stringify(bytes)}), 100);
  }
});
process.send({ kind: 'awake' });
`;

/** Starts a worker whose edge writes these bytes to its channel. Returns whether it was replaced, and whether the core still runs. */
export async function consequencesOf(
  config: Config,
  bytes: string,
): Promise<{ readonly isReplaced: boolean; readonly isCoreUp: boolean }> {
  const { program, files, confinement, remove } = placeIntruder(config);
  writeFileSync(program, rude(bytes), { mode: 0o644 });
  let ends = 0;
  let hasEnded = false;
  const log = {
    info() {},
    error(about: object) {
      if ('edge' in about) ends++;
    },
  };
  const worker = startBundled({ config, files, confinement, log });
  void worker.ended.then(() => {
    hasEnded = true;
  });
  try {
    await worker.ready;
    // The replacement does the same.
    const isReplaced = await waitUntil(20_000, () => ends > 1);
    return { isReplaced, isCoreUp: !hasEnded };
  } finally {
    await worker.stop();
    remove();
  }
}

/** Where the program of an intruder is, and what confines it. */
function placeIntruder(config: Config) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-intruder-'));
  chmodSync(folder, 0o755);
  const program = join(folder, 'edge.mjs');
  const files = {
    workerEntry: new URL('worker-entry.js', BUNDLE),
    ignoreDebuggerSignal: new URL('ignore-debugger-signal.js', BUNDLE),
    edgeEntry: pathToFileURL(program),
  };
  const planned = planConfinement(config, files.edgeEntry);
  // The edge loads a file of the bundle first.
  const confinement = { ...planned, readable: [...planned.readable, fileURLToPath(BUNDLE)] };
  return { folder, program, files, confinement, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The core is that of the bundle, which does not know the flags of the test runner. */
function startBundled(isolation: Isolation): Worker {
  const flags = process.execArgv.splice(0);
  const worker = startIsolated(isolation);
  process.execArgv.push(...flags);
  return worker;
}

/** What the intruder gets in the edge of an isolated service. `change` makes the confinement weaker. */
export async function lootOf(
  config: Config,
  change: (planned: Confinement) => Confinement = (planned) => planned,
): Promise<Loot> {
  const { folder, program, files, confinement: planned, remove } = placeIntruder(config);
  const socket = join(folder, 'socket');
  const local = createServer((connection) => connection.end()).listen(socket, () => chmodSync(socket, 0o777));
  const reports = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(reports, 'listening');
  const worker = startBundled({ config, files, confinement: change(planned), log: { info() {}, error() {} } });
  try {
    const { port: reportTo } = reports.address() as AddressInfo;
    const targets = { core: worker.pid as number, parent: process.pid, dataDir: config.dataDir, socket, reportTo };
    // The core takes much longer to start than this.
    writeFileSync(program, intruder(targets), { mode: 0o644 });
    const reported = once(reports, 'connection');
    await worker.ready;
    const [report] = (await reported) as [Socket];
    return JSON.parse(await text(report)) as Loot;
  } finally {
    await worker.stop();
    local.close();
    reports.close();
    remove();
  }
}
