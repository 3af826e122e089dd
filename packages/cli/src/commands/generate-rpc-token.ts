import { createHash, randomBytes } from 'node:crypto';
import { RPC_PATH, rpcTokenOf } from '@countersign/contract';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, placeOf } from '../connection.ts';
import type { Context } from '../context.ts';
import { addOutputFlags, checkQuery, type OutputFlags, writeResult } from '../output/output.ts';
import { writeSecretText } from '../profiles.ts';
import { renderFields } from '../render.ts';
import { nextCommand } from '../shell-quote.ts';
import { jsonText, paintFor } from '../terminal.ts';

const DAY_SECONDS = 86_400;

interface Flags extends ConnectionFlags, OutputFlags {
  readonly out: string;
}

/** `generate-rpc-token`: creates a token of the JSON-RPC endpoint on this machine. An authorized user registers its hash. */
export function addGenerateRpcToken(program: Command, context: Context): void {
  const command = program
    .command('generate-rpc-token')
    .helpGroup('Credentials:')
    .summary('Create a token of the JSON-RPC endpoint on this machine; another user registers its hash')
    .option('--out <file>', 'file for the token; rpc-token by default', 'rpc-token');
  addConnectionFlags(command);
  addOutputFlags(command, 'print the hash and the file as JSON')
    .addHelpText('after', '\nExample:\n  $ countersign generate-rpc-token --out deployer-token')
    .action(async (flags: Flags) => {
      const { stdout } = context;
      await checkQuery(flags);
      const { organizationId, baseUrl } = placeOf(context, flags);
      const token = rpcTokenOf(organizationId, randomBytes(32).toString('hex'));
      const identifier = createHash('sha256').update(token).digest('hex');
      writeSecretText(flags.out, `${token}\n`);
      const made = { identifier, organizationId, file: flags.out };
      if (flags.json) return stdout.write(`${jsonText(made)}\n`);
      const paint = paintFor(context, stdout);
      const expirationSeconds = String(90 * DAY_SECONDS);
      const keys = JSON.stringify([{ apiKeyName: 'tool', proof: 'RPC_PROOF_TOKEN', identifier, expirationSeconds }]);
      const readable = () =>
        `${renderFields({ 'SHA-256': identifier, token: `in ${flags.out}, which only you can read` }, { columns: stdout.columns, paint })}\n\n` +
        `${paint('cyan', 'Next:')} an authorized user registers the hash for an API-only user:\n` +
        `  ${nextCommand(['create-rpc-keys', '--user-id', 'API-ONLY-USER-ID', '--rpc-keys', keys])}\n` +
        `Then: the tool uses ${baseUrl}${RPC_PATH}/WALLET-ID/CHAIN-ID with the header "Authorization: Bearer <token>".\n`;
      await writeResult(context, flags, made, readable);
    });
}
