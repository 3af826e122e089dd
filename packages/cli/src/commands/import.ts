import { type Client, createClient, readPrivateKey, sealImportBundle } from '@countersign/client';
import { type ActivityDefinition, activities } from '@countersign/contract';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, readConnection } from '../connection.ts';
import type { Context } from '../context.ts';
import { CliError } from '../errors.ts';
import { flagsOf } from '../field-flags.ts';
import { fillLazily } from '../lazy-command.ts';
import { schemaOf } from '../operation.ts';
import { addFieldFlag, type FieldFlag } from '../operation-flags.ts';
import { checkParameters, readParameters } from '../parameters.ts';
import { type Progress, progressOn } from '../progress.ts';
import { renderFields } from '../render.ts';
import { subjectTitles } from '../subjects.ts';
import { jsonText, paintFor } from '../terminal.ts';
import { runTransfer } from '../transfer/run-transfer.ts';
import { readSecret } from '../transfer/secret-input.ts';
import { addSignerKeyFlag, type SignerKeyFlags, signerKeyOf } from '../transfer/signer-key.ts';

interface ImportKind {
  readonly init: ActivityDefinition;
  readonly definition: ActivityDefinition;
  readonly summary: string;
  /** The flag for the file with the secret, and what the file contains. */
  readonly flag: 'phraseFile' | 'keyFile';
  readonly content: string;
  /** Returns the bytes to encrypt. Throws CliError for text that cannot be this kind of secret. */
  readonly read: (text: string) => Uint8Array;
  readonly example: string;
}

/** Requesting an import key, and importing. */
const STEPS = 2;

const spelled = { phraseFile: '--phrase-file', keyFile: '--key-file' } as const;

/** Importable objects by subcommand of `import`. */
const kinds: Readonly<Record<string, ImportKind>> = {
  wallet: {
    init: activities.initImportWallet,
    definition: activities.importWallet,
    summary: 'Import a wallet from its recovery phrase',
    flag: 'phraseFile',
    content: 'the phrase and, on its own line, the passphrase if it has one',
    read: (text) => new TextEncoder().encode(text),
    example: 'import wallet --wallet-name Treasury --phrase-file phrase.txt --accounts @accounts.json',
  },
  'private-key': {
    init: activities.initImportPrivateKey,
    definition: activities.importPrivateKey,
    summary: 'Import a private key',
    flag: 'keyFile',
    content: '64 hexadecimal digits, or a Solana key in Base58',
    read: keyBytes,
    example: 'import private-key --private-key-name "Hot key" --curve secp256k1 --address-formats ethereum --key-file key.txt',
  },
};

type ImportFlags = ConnectionFlags &
  SignerKeyFlags & { readonly phraseFile?: string; readonly keyFile?: string; readonly json?: true };

/** `import`: the client side of imports. This process reads the secret from a file and sends it only encrypted. */
export function addImport(program: Command, context: Context): void {
  const group = program
    .command('import')
    .helpGroup(`${subjectTitles.transfer}:`)
    .summary('Import a wallet or a key, encrypted here')
    .description('Gets a single-use import key from the service, verifies its signature, and encrypts the secret to it here.');
  for (const [word, kind] of Object.entries(kinds)) addKind(group, context, word, kind);
}

function addKind(group: Command, context: Context, word: string, kind: ImportKind): void {
  const { definition, summary, flag, content, example } = kind;
  const command = group.command(word).summary(summary);
  let fields: readonly FieldFlag[] = [];
  fillLazily(command, () => {
    fields = flagsOf(schemaOf(definition), ['userId', 'encryptedBundle']);
    command
      .description(`${summary}. The secret is read from a file or from standard input, never from the command line.`)
      .optionsGroup('Parameters:')
      .requiredOption(`${spelled[flag]} <file>`, `${content}; - for standard input`);
    for (const field of fields) addFieldFlag(command, field);
    addSignerKeyFlag(addConnectionFlags(command))
      .optionsGroup('Output:')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', `\nExample:\n  $ countersign ${example}`);
  });
  command.action(async (flags: ImportFlags & Record<string, unknown>) => {
    const values = await readParameters(context, fields, flags);
    checkParameters(`import ${word}`, schemaOf(definition), { ...values, userId: '-', encryptedBundle: '-' }, fields);
    const connection = readConnection(context, flags);
    const plaintext = kind.read(await readSecret(context, spelled[flag], String(flags[flag])));
    const signerPublicKey = await signerKeyOf(context, flags, connection.baseUrl);
    const client = createClient(connection);
    const progress = progressOn(context, flags);
    const result = await bring(context, client, kind, values, { plaintext, signerPublicKey, progress }).finally(progress.end);
    const { stdout } = context;
    if (flags.json) return stdout.write(`${jsonText(result)}\n`);
    const paint = paintFor(context, stdout);
    stdout.write(`${paint('green', 'Imported.')}\n\n${renderFields(result, { columns: stdout.columns, paint })}\n`);
  });
}

async function bring(
  context: Context,
  client: Client,
  { init, definition }: ImportKind,
  values: object,
  {
    plaintext,
    signerPublicKey,
    progress,
  }: { readonly plaintext: Uint8Array; readonly signerPublicKey: string; readonly progress: Progress },
): Promise<Record<string, unknown>> {
  const { organizationId } = client;
  const { userId } = await client.whoami();
  // Messages about approvals replace the progress line.
  const write = (text: string) => {
    progress.end();
    context.stderr.write(text);
  };
  const output: Context = { ...context, stderr: { ...context.stderr, write } };
  progress.show('requesting an import key', 0, STEPS);
  const { importBundle } = await runTransfer(output, client, init, { userId });
  const bundle = { importBundle: String(importBundle), organizationId, userId, signerPublicKey, plaintext };
  const encryptedBundle = await sealImportBundle(bundle);
  plaintext.fill(0);
  progress.show('importing', 1, STEPS);
  return runTransfer(output, client, definition, { ...values, userId, encryptedBundle });
}

function keyBytes(text: string): Uint8Array {
  const bytes = readPrivateKey(text);
  if (bytes !== undefined) return bytes;
  // SECURITY: the message must not quote the text.
  throw new CliError(
    'The file does not contain a private key.',
    'It must be 64 hexadecimal digits, or the Base58 text that Solana wallets export.',
  );
}
