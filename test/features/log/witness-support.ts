import { rm } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { type RunningWitness, startWitness } from '../../../packages/server/src/commands/start-witness.ts';
import { type WitnessSetting, witnesses } from '../../../packages/server/src/config/witnesses.ts';
import { waitUntil } from '../../faults/fault/support/wait-until.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const path = makeDataDirectory('witness');
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A witness in this process, which can be stopped and started again at the same address with the same memory. */
export class TestWitness {
  readonly setting: WitnessSetting;
  /** The verifier key of the witness, as text. */
  readonly keyText: string;
  private running: RunningWitness | undefined;
  private readonly start: (port: number, more?: string) => Promise<RunningWitness>;

  private constructor(running: RunningWitness, start: (port: number, more?: string) => Promise<RunningWitness>) {
    this.running = running;
    this.keyText = running.key;
    this.start = start;
    [this.setting] = witnesses.parse(`${running.url}#${running.key}`) as [WitnessSetting];
  }

  static async open(logKey: string): Promise<TestWitness> {
    const dataDir = await temporaryFolder();
    const start = (port: number, more?: string) =>
      startWitness({ dataDir, host: '127.0.0.1', port, logKeys: [logKey, ...(more ? [more] : [])], logLevel: 'silent' });
    const witness = new TestWitness(await start(0), start);
    onTestFinished(() => witness.stop());
    return witness;
  }

  async stop(): Promise<void> {
    await this.running?.close();
    this.running = undefined;
  }

  /** Starts it again, to watch one more log if its key is given. */
  async again(more?: string): Promise<void> {
    this.running = await this.start(Number(new URL(this.setting.url).port), more);
  }
}

/** Waits until something holds, and fails the test if it does not. */
export async function eventually(what: string, holds: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  if (!(await waitUntil(withinMs, holds))) throw new Error(`in vain: ${what}`);
}
