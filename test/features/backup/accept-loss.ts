import { restore } from '../../../packages/server/src/commands/restore.ts';
import { readConfig } from '../../../packages/server/src/config/read-config.ts';

// Restores a backup and accepts the loss, in a process whose storage fails.
const [settings = '{}', file = ''] = process.argv.slice(2);
await restore(readConfig(JSON.parse(settings), {}), { file, acceptLoss: true });
