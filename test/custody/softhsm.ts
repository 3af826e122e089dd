import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ThreadFiles } from '../../packages/server/src/vault/root-key/providers/pkcs11/token-client.ts';
import { installedFile } from '../support/debian-packages.ts';

const LIBRARIES = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/softhsm/libsofthsm2.so'];
const NEED = 'The tests of PKCS #11 need SoftHSM2';

/** The thread of the built command, with the package of this folder. */
export const threadFiles: ThreadFiles = {
  thread: new URL('../../packages/cli/run/pkcs11-thread.js', import.meta.url),
  resolvePackage: () => createRequire(import.meta.url).resolve('pkcs11js'),
};

/** The folder that a child process finds the package in, as NODE_PATH. */
export const packageFolder = fileURLToPath(new URL('node_modules', import.meta.url));

export const PIN = '739201';

/** Tokens of SoftHSM2 in a directory. */
export class SoftHsm {
  readonly library = installedFile(LIBRARIES, ['softhsm2'], NEED);
  readonly pinFile: string;
  readonly configFile: string;
  readonly #tokens: string;

  constructor(directory: string) {
    installedFile(['/usr/bin/softhsm2-util'], ['softhsm2'], NEED);
    this.#tokens = join(directory, 'tokens');
    this.configFile = join(directory, 'softhsm2.conf');
    this.pinFile = join(directory, 'pin');
    mkdirSync(this.#tokens);
    writeFileSync(this.configFile, `directories.tokendir = ${this.#tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`);
    writeFileSync(this.pinFile, `${PIN}\n`, { mode: 0o600 });
  }

  initToken(label: string): void {
    execFileSync('softhsm2-util', ['--init-token', '--free', '--label', label, '--pin', PIN, '--so-pin', '84838281'], {
      env: { ...process.env, SOFTHSM2_CONF: this.configFile },
    });
  }

  /** The library waits when it reads an object, until the result is called. */
  stall(): () => void {
    const objects = readdirSync(this.#tokens, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.object'))
      .map((name) => join(this.#tokens, name));
    for (const object of objects) {
      renameSync(object, `${object}.real`);
      execFileSync('mkfifo', [object]);
    }
    return () => {
      for (const object of objects) {
        const pipe = openSync(object, constants.O_RDWR);
        renameSync(`${object}.real`, object);
        // Ends the wait of a reader. New readers get the file.
        closeSync(pipe);
      }
    };
  }

  /** Takes all tokens away. */
  pullOut(): void {
    renameSync(this.#tokens, `${this.#tokens}.away`);
    mkdirSync(this.#tokens);
  }

  plugIn(): void {
    rmSync(this.#tokens, { recursive: true });
    renameSync(`${this.#tokens}.away`, this.#tokens);
  }
}
