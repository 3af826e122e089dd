import { generateApiKey } from '@countersign/client';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { expandValue } from '../naming.ts';
import { addOutputFlags, checkQuery, type OutputFlags, writeResult } from '../output/output.ts';
import { writeSecretFile } from '../profiles.ts';
import { renderFields } from '../render.ts';
import { nextCommand } from '../shell-quote.ts';
import { jsonText, paintFor } from '../terminal.ts';

const curves = ['API_KEY_CURVE_P256', 'API_KEY_CURVE_SECP256K1', 'API_KEY_CURVE_ED25519'] as const;

interface Flags extends OutputFlags {
  readonly out?: string;
  readonly curve: string;
  readonly url?: string;
  readonly organizationId?: string;
}

/** `generate-api-key`: creates a key pair on this machine. An authorized user registers its public half. */
export function addGenerateApiKey(program: Command, context: Context): void {
  const command = program
    .command('generate-api-key')
    .helpGroup('Credentials:')
    .summary('Create an API key on this machine; another user registers its public half')
    .addOption(
      new Option('--curve <curve>', 'p256, secp256k1 or ed25519').choices(['p256', 'secp256k1', 'ed25519']).default('p256'),
    )
    .option('--out <file>', 'file for the key; api-key.json by default', 'api-key.json')
    .option('--url <url>', 'address of the service, saved with the key (COUNTERSIGN_URL)')
    .option('--organization-id <id>', 'the organization, saved with the key (COUNTERSIGN_ORGANIZATION_ID)');
  addOutputFlags(command, 'print the public half and the file as JSON')
    .addHelpText('after', '\nExample:\n  $ countersign generate-api-key --out ann.json')
    .action(async (flags: Flags) => {
      const { environment, stdout } = context;
      await checkQuery(flags);
      const { out: file = 'api-key.json' } = flags;
      const curve = curves.find((each) => each === expandValue(flags.curve, curves)) ?? 'API_KEY_CURVE_P256';
      const { apiPublicKey, apiPrivateKey } = generateApiKey(curve);
      const baseUrl = flags.url ?? environment.COUNTERSIGN_URL;
      const organizationId = flags.organizationId ?? environment.COUNTERSIGN_ORGANIZATION_ID;
      writeSecretFile(file, {
        ...(organizationId && { organizationId }),
        apiPublicKey,
        apiPrivateKey,
        ...(baseUrl && { baseUrl }),
      });
      const key = { apiPublicKey, curveType: curve, file };
      if (flags.json) return stdout.write(`${jsonText(key)}\n`);
      const paint = paintFor(context, stdout);
      const keys = JSON.stringify([{ apiKeyName: 'laptop', publicKey: apiPublicKey, curveType: curve }]);
      const readable = () =>
        `${renderFields({ 'public key': apiPublicKey, 'private key': `in ${file}, which only you can read` }, { columns: stdout.columns, paint })}\n\n` +
        `${paint('cyan', 'Next:')} an authorized user registers the public half:\n` +
        `  ${nextCommand(['create-api-keys', '--user-id', 'YOUR-USER-ID', '--api-keys', keys])}\n` +
        `Then: ${nextCommand(['login', '--credentials', file, '--url', baseUrl ?? 'http://127.0.0.1:8787', '--organization-id', organizationId ?? 'YOUR-ORGANIZATION-ID'])}\n`;
      await writeResult(context, flags, key, readable);
    });
}
