import { restore } from '../../../packages/server/src/commands/restore.ts';
import { readConfig } from '../../../packages/server/src/config/read-config.ts';

// A process that dies in the middle of a restore, as kill -9 would end it.
const [settings = '{}', file = ''] = process.argv.slice(2);
await restore(readConfig(JSON.parse(settings), {}), {
  file,
  acceptLoss: false,
  onProgress(what) {
    if (what === 'verifying') process.kill(process.pid, 'SIGKILL');
  },
});
