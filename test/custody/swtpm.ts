import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Tpm } from '../../packages/server/src/vault/root-key/providers/tpm/tpm2-tools.ts';
import { installedFile } from '../support/debian-packages.ts';

const NEED = 'The tests of the TPM need swtpm and tpm2-tools';
const PACKAGES = ['swtpm', 'tpm2-tools'];

/** A software TPM 2.0 that listens on this machine. */
export class SoftwareTpm {
  readonly #state: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(directory: string, port: number) {
    this.#state = directory;
    this.#port = port;
  }

  static async start(directory: string): Promise<SoftwareTpm> {
    for (const tool of ['/usr/bin/swtpm', '/usr/bin/tpm2_unseal']) installedFile([tool], PACKAGES, NEED);
    const state = join(directory, 'tpm');
    mkdirSync(state);
    const tpm = new SoftwareTpm(state, await freePortPair());
    await tpm.plugIn();
    return tpm;
  }

  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, TPM2TOOLS_TCTI: `swtpm:host=127.0.0.1,port=${this.#port}` };
  }

  /** The TPM as the service uses it. */
  get tpm(): Tpm {
    return new Tpm(this.environment);
  }

  /** Starts the TPM, with the keys that it had, and resets its PCRs. */
  async plugIn(): Promise<void> {
    const address = (port: number) => `type=tcp,port=${port},bindaddr=127.0.0.1`;
    this.#process = spawn(
      'swtpm',
      [
        ...['socket', '--tpm2', '--tpmstate', `dir=${this.#state}`, '--flags', 'not-need-init,startup-clear'],
        ...['--server', address(this.#port), '--ctrl', address(this.#port + 1)],
      ],
      { stdio: 'ignore' },
    );
    while (!(await answers(this.#port + 1))) if (this.#process.exitCode !== null) throw new Error('swtpm ended');
  }

  async pullOut(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => setTimeout(() => resolve(false), 20));
  });
}

/** tpm2-tools expect the control port after the port of the TPM. */
async function freePortPair(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
