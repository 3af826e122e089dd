import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RootKeyUnavailable, VaultError } from '../../../errors.ts';

/** A secret that a TPM sealed. Only this TPM opens it. */
export interface SealedByTpm {
  readonly public: Buffer;
  readonly private: Buffer;
  /** The PCRs that must have the same values, for instance `sha256:0,7`. */
  readonly pcrs?: string;
}

const TIMEOUT_MS = 10_000;
const TRIES = 10;
const PAUSE_MS = 200;
/** TPM 2.0 Part 2, 6.6.3: TPM_RC_OBJECT_MEMORY, TPM_RC_SESSION_MEMORY, TPM_RC_RETRY. Another program uses the TPM at the same time. */
const BUSY = /\(0x(902|903|922)\)/;
/** TPM_RC_POLICY_FAIL and TPM_RC_INTEGRITY, with the numbers of handles, sessions and parameters. */
const POLICY_FAILED = /\(0x[0-9a-f]*9d\)/i;
const INTEGRITY_FAILED = /\(0x[0-9a-f]*(df|9f)\)/i;

/** The TPM of this machine, through tpm2-tools. `environment` may name another one as TPM2TOOLS_TCTI. */
export class Tpm {
  readonly #environment: NodeJS.ProcessEnv;

  constructor(environment: NodeJS.ProcessEnv = process.env) {
    this.#environment = environment;
  }

  /** Seals the secret, optionally to the present values of PCRs. */
  async seal(secret: Uint8Array, pcrs: string | undefined): Promise<SealedByTpm> {
    return this.#withParent(async (folder) => {
      const file = (name: string) => join(folder, name);
      const policy = pcrs === undefined ? [] : ['-L', file('policy'), '-a', 'fixedtpm|fixedparent'];
      if (pcrs !== undefined) await this.#run('tpm2_createpolicy', ['-Q', '--policy-pcr', '-l', pcrs, '-L', file('policy')]);
      const parts = ['-u', file('public'), '-r', file('private')];
      // SECURITY: the secret goes through a pipe, not through a file.
      await this.#run('tpm2_create', ['-Q', '-C', file('parent'), '-i', '-', ...parts, ...policy], secret);
      const [publicPart, privatePart] = await Promise.all([readFile(file('public')), readFile(file('private'))]);
      return { public: publicPart, private: privatePart, ...(pcrs !== undefined && { pcrs }) };
    });
  }

  /** Opens the secret. Throws VaultError if another TPM sealed it, or if a PCR has another value. */
  async unseal({ public: publicPart, private: privatePart, pcrs }: SealedByTpm): Promise<Uint8Array> {
    return this.#withParent(async (folder) => {
      const file = (name: string) => join(folder, name);
      await Promise.all([writeFile(file('public'), publicPart), writeFile(file('private'), privatePart)]);
      await this.#run('tpm2_load', ['-Q', '-C', file('parent'), '-u', file('public'), '-r', file('private'), '-c', file('key')]);
      return this.#run('tpm2_unseal', ['-c', file('key'), ...(pcrs === undefined ? [] : ['-p', `pcr:${pcrs}`])]);
    });
  }

  /** Runs the action with a folder that contains the context of the primary key. The same TPM always derives the same key. */
  #withParent<T>(action: (folder: string) => Promise<T>): Promise<T> {
    return exclusively(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'countersign-tpm-'));
      try {
        await this.#run('tpm2_createprimary', ['-Q', '-C', 'o', '-G', 'ecc', '-c', join(folder, 'parent')]);
        return await action(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  /** Runs one tool, then removes its objects and sessions from the TPM. With a resource manager there are none of others to remove. */
  async #run(tool: string, args: readonly string[], input?: Uint8Array): Promise<Buffer> {
    for (let tries = 1; ; tries++) {
      const { output, errors, code } = await this.#start(tool, args, input);
      await this.#start('tpm2_flushcontext', ['--transient-object']);
      if (code !== 0) await this.#start('tpm2_flushcontext', ['--loaded-session']);
      if (code === 0) return output;
      if (!BUSY.test(errors) || tries === TRIES) throw failure(tool, code, errors);
      await sleep(PAUSE_MS);
    }
  }

  #start(
    tool: string,
    args: readonly string[],
    input?: Uint8Array,
  ): Promise<{ readonly output: Buffer; readonly errors: string; readonly code: number | string }> {
    return new Promise((resolve) => {
      const child = execFile(
        tool,
        args,
        { env: this.#environment, timeout: TIMEOUT_MS, encoding: 'buffer' },
        (error, output, errors) =>
          resolve({ output, errors: errors.toString('utf8'), code: error === null ? 0 : (error.code ?? 'killed') }),
      );
      // A tool that ends early closes its input. Its exit code tells why.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
  }
}

/** One use at a time: a TPM without a resource manager has room for three objects. */
let last: Promise<unknown> = Promise.resolve();
function exclusively<T>(action: () => Promise<T>): Promise<T> {
  const result = last.then(action, action);
  last = result.catch(() => {});
  return result;
}

function failure(tool: string, code: number | string, errors: string): Error {
  if (code === 'ENOENT')
    return new VaultError(
      `${tool}, which the TPM needs, is not installed`,
      'install tpm2-tools, on Debian with apt install tpm2-tools',
    );
  if (POLICY_FAILED.test(errors))
    return new VaultError(
      'the TPM does not open the root key, because a PCR that it is sealed to has another value',
      'start the machine as it was when the key was sealed, or restore the root key from your backup',
    );
  if (INTEGRITY_FAILED.test(errors))
    return new VaultError(
      'another TPM sealed the root key',
      'start the service on that machine, or restore the root key from your backup',
    );
  const lines = errors.split('\n').filter((line) => line.startsWith('ERROR: '));
  return new RootKeyUnavailable(
    `the TPM cannot be used: ${tool} failed (${code})${lines[0] === undefined ? '' : `, ${lines[0].slice(7)}`}`,
    'check that this user may use /dev/tpmrm0 (group tss), or set TPM2TOOLS_TCTI',
  );
}
