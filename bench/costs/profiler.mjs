import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

// Loaded into a measured server by --import. One SIGUSR2 starts V8's profiler, the next one stops it and writes what it saw.

/** Often enough for some thousand samples in a window, and seldom enough to change little. */
const INTERVAL_MICROS = 500;

const session = new Session();
let running = false;

process.on('SIGUSR2', () => {
  running = !running;
  if (running) {
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS });
    session.post('Profiler.start');
    return;
  }
  session.post('Profiler.stop', (error, answer) => {
    if (error) throw error;
    // Rename, so that readers never see a partial file.
    const file = `${process.env.BENCH_PROFILE}`;
    writeFileSync(`${file}.part`, JSON.stringify(answer.profile));
    renameSync(`${file}.part`, file);
    session.disconnect();
  });
});
