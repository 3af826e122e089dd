import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { RootKeyUnavailable, VaultError } from '../../../errors.ts';
import type { FromThread, ThreadData, TokenCall, TokenResults, ToThread } from './messages.ts';
import type { Pkcs11Key } from './uri.ts';

/** Where the files of the thread are. */
export interface ThreadFiles {
  readonly thread: URL;
  /** Finds the file of the package pkcs11js. Throws if it is not installed. */
  resolvePackage(): string;
}

/** INVARIANT: the thread lies in one folder with this file, as modules of the package and in the bundle of the command alike. */
const installedFiles: ThreadFiles = {
  thread: new URL('./pkcs11-thread.js', import.meta.url),
  resolvePackage: () => createRequire(import.meta.url).resolve('pkcs11js'),
};

type Call<O extends TokenCall['op']> = Extract<TokenCall, { op: O }>;

/** A token, used in another thread. */
export interface TokenClient {
  call<O extends TokenCall['op']>(call: Call<O>): Promise<TokenResults[O]>;
}

/** One thread per library: a process must initialize it once, and its sessions share one login. */
const threads = new Map<string, Thread>();

/** The token of this key. Throws VaultError if the package is missing. */
export function tokenClient(key: Pkcs11Key, files: ThreadFiles = installedFiles): TokenClient {
  return {
    async call(call) {
      let thread = threads.get(key.modulePath);
      if (thread === undefined) {
        thread = new Thread(files.thread, { modulePath: key.modulePath, packageFile: packageFile(files) }, () =>
          threads.delete(key.modulePath),
        );
        threads.set(key.modulePath, thread);
      }
      return thread.call(key, call);
    },
  };
}

function packageFile({ resolvePackage }: ThreadFiles): string {
  try {
    return resolvePackage();
  } catch (cause) {
    throw new VaultError(
      'the package pkcs11js, which PKCS #11 tokens need, is not installed',
      "install it beside countersign: 'npm install pkcs11js@2.1.7'. It needs a C++ compiler",
      { cause },
    );
  }
}

class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  #calls = 0;

  constructor(file: URL, data: ThreadData, onEnd: () => void) {
    this.#worker = new Worker(file, { workerData: data, execArgv: [] });
    this.#worker.on('message', (answer: FromThread) => this.#take(answer));
    const end = (reason: string) => {
      onEnd();
      for (const { reject } of this.#waiting.values())
        reject(new RootKeyUnavailable(`the thread of the PKCS #11 library ended: ${reason}`, 'see the log of the service'));
      this.#waiting.clear();
    };
    this.#worker.on('error', (error) => end(error instanceof Error ? error.message : String(error)));
    this.#worker.on('exit', (code) => end(`exit code ${code}`));
    this.#worker.unref();
  }

  call<O extends TokenCall['op']>(key: Pkcs11Key, call: Call<O>): Promise<TokenResults[O]> {
    const callId = ++this.#calls;
    const message: ToThread = { callId, key, call };
    // A call in progress keeps the process alive, an idle token does not.
    this.#worker.ref();
    return new Promise<TokenResults[O]>((resolve, reject) => {
      this.#waiting.set(callId, { resolve, reject });
      this.#worker.postMessage(message);
    }).finally(() => {
      if (this.#waiting.size === 0) this.#worker.unref();
    });
  }

  #take(answer: FromThread): void {
    const waiting = this.#waiting.get(answer.callId);
    this.#waiting.delete(answer.callId);
    if ('result' in answer) waiting?.resolve(answer.result as never);
    else waiting?.reject(new RootKeyUnavailable(answer.message, answer.fix));
  }
}
