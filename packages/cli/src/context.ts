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
  /** Asks the person at the terminal. Undefined where nobody is there to answer. */
  ask(question: string): Promise<string | undefined>;
  /** Hears every line that is typed. Returns how to stop listening. */
  onLine(heard: (line: string) => void): () => void;
  /** Resolves when the process is asked to stop. A second request ends the process at once. */
  untilStopped(): Promise<void>;
}

/** The width of help texts and tables outside a terminal. */
const PLAIN_COLUMNS = 100;

/** Signals this close together are one request: a terminal sends Ctrl-C to the whole process group, and npm forwards it again. */
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
    onLine(heard) {
      const lines = createLineReader({ input: process.stdin, terminal: false });
      lines.on('line', heard);
      return () => {
        lines.close();
        process.stdin.unref();
      };
    },
    untilStopped: () =>
      new Promise((resolve) => {
        let askedMs: number | undefined;
        const ask = () => {
          if (askedMs !== undefined && performance.now() - askedMs > SAME_REQUEST_MS) process.exit(1);
          askedMs ??= performance.now();
          resolve();
        };
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask);
      }),
  };
}

function streamOutput(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader is gone (`countersign … | head`), so nobody is left to tell.
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
