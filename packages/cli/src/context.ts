import { createInterface as createLineReader } from 'node:readline';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';

/** A stream to write to, and whether it is a terminal. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  readonly columns: number;
}

/** The parts of the process that a command may use. Tests provide their own. */
export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  readStdin(): Promise<string>;
  /** Prompts the user. Undefined without a terminal. */
  ask(question: string): Promise<string | undefined>;
  /** Calls the listener with each typed line. Returns a function that stops it. */
  onLine(listener: (line: string) => void): () => void;
  /** Resolves on the first stop signal. A second signal ends the process immediately. */
  untilStopped(): Promise<void>;
  /** Calls the listener on each SIGHUP, which does not end the process from then on. */
  onHangup(listener: () => void): void;
}

/** The width of help texts and tables outside a terminal. */
const PLAIN_COLUMNS = 100;

/** Signals within this interval count as one: a terminal sends Ctrl-C to the whole process group, and npm forwards it again. */
const SAME_REQUEST_MS = 1000;

/** The context of the process itself. */
export function processContext(): Context {
  return {
    environment: process.env,
    stdout: streamOutput(process.stdout),
    stderr: streamOutput(process.stderr),
    readStdin: () => text(process.stdin),
    async ask(question) {
      if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await terminal.question(question);
      } finally {
        terminal.close();
      }
    },
    onLine(listener) {
      const lines = createLineReader({ input: process.stdin, terminal: false });
      lines.on('line', listener);
      return () => {
        lines.close();
        // A file such as /dev/null has no handle that keeps the process alive.
        if ('unref' in process.stdin) process.stdin.unref();
      };
    },
    untilStopped: () =>
      new Promise((resolve) => {
        let requestedMs: number | undefined;
        const ask = () => {
          if (requestedMs !== undefined && performance.now() - requestedMs > SAME_REQUEST_MS) process.exit(1);
          requestedMs ??= performance.now();
          resolve();
        };
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask);
      }),
    onHangup: (listener) => void process.on('SIGHUP', listener),
  };
}

function streamOutput(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe (`countersign … | head`).
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    write: (chunk) => void stream.write(chunk),
    get isTerminal() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.isTTY === true ? stream.columns : PLAIN_COLUMNS;
    },
  };
}
