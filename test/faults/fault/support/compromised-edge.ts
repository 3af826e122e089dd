import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Config } from '../../../../packages/server/src/config/settings.ts';
import { type Confinement, planConfinement } from '../../../../packages/server/src/isolation/confinement.ts';
import { startIsolated } from '../../../../packages/server/src/process/workers/isolated-worker.ts';

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
import { fstatSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
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

/** What the intruder gets in the edge of an isolated service. `change` makes the confinement weaker. */
export async function lootOf(
  config: Config,
  change: (planned: Confinement) => Confinement = (planned) => planned,
): Promise<Loot> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-intruder-'));
  chmodSync(folder, 0o755);
  const program = join(folder, 'edge.mjs');
  const socket = join(folder, 'socket');
  const local = createServer((connection) => connection.end()).listen(socket, () => chmodSync(socket, 0o777));
  const reports = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(reports, 'listening');
  const files = {
    workerEntry: new URL('worker-entry.js', BUNDLE),
    ignoreDebuggerSignal: new URL('ignore-debugger-signal.js', BUNDLE),
    edgeEntry: pathToFileURL(program),
  };
  const planned = planConfinement(config, files.edgeEntry);
  // The edge loads a file of the bundle first.
  const confinement = change({ ...planned, readable: [...planned.readable, fileURLToPath(BUNDLE)] });
  // The core is that of the bundle, which does not know the flags of the test runner.
  const flags = process.execArgv.splice(0);
  const worker = startIsolated({ config, files, confinement, log: { info() {}, error() {} } });
  process.execArgv.push(...flags);
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
    rmSync(folder, { recursive: true, force: true });
  }
}
