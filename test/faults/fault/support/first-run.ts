import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandProcess, startCommand } from './command-process.ts';
import { environmentFor, type Place, startServing, wordsFor } from './serving.ts';
import { waitUntil } from './wait-until.ts';

/** Starts a first run, by `init` or by `serve`, and kills it at a random moment around its writes. */
export class FirstRun {
  readonly #place: Place;
  /** How long it took until the first file existed. */
  #untilFileMs: number | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  async kill(): Promise<void> {
    const startedMs = performance.now();
    const running = this.#begin();
    if (this.#untilFileMs === undefined) {
      await waitUntil(60_000, () => !running.isRunning() || readdirSync(this.#place.directory).length > 0);
      this.#untilFileMs = performance.now() - startedMs;
      await sleep(Math.random() * 50);
    } else {
      await sleep(this.#untilFileMs * (0.8 + Math.random() * 0.6));
    }
    await running.kill();
  }

  #begin(): CommandProcess {
    if (Math.random() < 0.5) return startServing(this.#place);
    return startCommand(['init', ...wordsFor(this.#place)], { environment: environmentFor(this.#place) });
  }
}
