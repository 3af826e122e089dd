import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/countersign.js', import.meta.url));
const READY_MS = 60_000;

/** Runs lines of a shell in a folder and writes down what they print. */
export class Session {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #lines: string[] = [];
  readonly #started: ChildProcess[] = [];

  constructor(folder: string, environment: NodeJS.ProcessEnv = {}) {
    const programs = join(folder, '.programs');
    mkdirSync(programs, { recursive: true });
    symlinkSync(COMMAND, join(programs, 'countersign'));
    this.#folder = folder;
    this.#environment = { ...process.env, PATH: `${programs}:${process.env.PATH}`, NO_COLOR: '1', ...environment };
  }

  note(text: string): void {
    this.#lines.push(`# ${text}`);
  }

  /** Runs a line to its end. Throws unless it succeeds, or fails as expected. */
  async run(line: string, expected: 'success' | 'failure' = 'success'): Promise<void> {
    const { child, said } = this.#spawn(line);
    const code = await new Promise((resolve) => child.once('close', resolve));
    this.#lines.push(`$ ${line}`, said().trimEnd());
    if ((code === 0) !== (expected === 'success')) throw new Error(`${line} ended with ${code}: ${said()}`);
  }

  /** Runs a line in the background. `until` is what it prints when it is ready. The result waits for that and writes it down. */
  start(line: string, until: RegExp): { ready(): Promise<void>; stop(): Promise<void> } {
    const { child, said } = this.#spawn(line);
    this.#started.push(child);
    this.#lines.push(`$ ${line} &`);
    const ended = new Promise((resolve) => child.once('close', resolve));
    return {
      ready: async () => {
        const deadline = Date.now() + READY_MS;
        while (!until.test(said())) {
          if (Date.now() > deadline || child.exitCode !== null) throw new Error(`${line} is not ready: ${said()}`);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        // The rest of what it prints with that.
        await new Promise((resolve) => setTimeout(resolve, 200));
        this.#lines.push(said().trimEnd());
      },
      stop: async () => {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }

  /** Ends what still runs, and returns the text without what differs from run to run. */
  end(): string {
    for (const child of this.#started) child.kill('SIGKILL');
    const ids = new Map<string, string>();
    const named = (id: string) => ids.get(id) ?? ids.set(id, (ids.size + 1).toString(16).padStart(id.length, '0')).get(id) ?? id;
    return this.#lines
      .filter((line) => line !== '')
      .join('\n')
      .replaceAll(`${this.#folder}/`, '')
      .replaceAll(this.#folder, '.')
      .replace(/\b[0-9a-f]{16}\b/g, named)
      .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '01981b2c-7d3e-7f40-8a51-6b2c3d4e5f60')
      .replace(/(127\.0\.0\.1|localhost):\d+/g, '$1:8787')
      .replace(/port=\d{4,5}/g, 'port=2321')
      .replace(/\b(0[23])[0-9a-f]{64}\b/g, '$1…')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n');
  }

  #spawn(line: string): { child: ChildProcess; said: () => string } {
    let text = '';
    const child = spawn('sh', ['-c', line.includes('|') ? line : `exec ${line}`], {
      cwd: this.#folder,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
    return { child, said: () => text };
  }
}
