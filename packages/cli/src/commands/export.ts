import {
  createClient,
  generateTargetKey,
  openExportBundle,
  type PrivateKeyFormat,
  privateKeyFormats,
  writePrivateKey,
} from '@countersign/client';
import { type ActivityDefinition, activities } from '@countersign/contract';
import { type Command, Option } from 'commander';
import { addConnectionFlags, type ConnectionFlags, readConnection } from '../connection.ts';
import type { Context } from '../context.ts';
import { flagsOf } from '../field-flags.ts';
import { fillLazily } from '../lazy-command.ts';
import { schemaOf } from '../operation.ts';
import { addFieldFlag, type FieldFlag } from '../operation-flags.ts';
import { checkParameters, readParameters } from '../parameters.ts';
import { subjectTitles } from '../subjects.ts';
import { paintFor } from '../terminal.ts';
import { runTransfer } from '../transfer/run-transfer.ts';
import { openSecretOutput, type SecretOutputFlags } from '../transfer/secret-file.ts';
import { addSignerKeyFlag, type SignerKeyFlags, signerKeyOf } from '../transfer/signer-key.ts';

interface ExportKind {
  readonly definition: ActivityDefinition;
  readonly summary: string;
  /** Readable name of the exported secret. */
  readonly what: string;
  readonly isPhrase: boolean;
  readonly example: string;
}

/** Exportable objects by subcommand of `export`. */
const kinds: Readonly<Record<string, ExportKind>> = {
  wallet: {
    definition: activities.exportWallet,
    summary: 'Export the recovery phrase of a wallet',
    what: 'recovery phrase',
    isPhrase: true,
    example: 'export wallet --wallet-id 01981b2c-7d3e-7f40-8a51-6b2c3d4e5f60 --out wallet.txt',
  },
  'wallet-account': {
    definition: activities.exportWalletAccount,
    summary: 'Export the private key of one account',
    what: 'private key',
    isPhrase: false,
    example: 'export wallet-account --address 0x9858EfFD232B4033E47d90003D41EC34EcaEda94 --out account.txt',
  },
  'private-key': {
    definition: activities.exportPrivateKey,
    summary: 'Export a private key',
    what: 'private key',
    isPhrase: false,
    example: 'export private-key --private-key-id 01981b2c-7d3e-7f40-8a51-6b2c3d4e5f60 --out key.txt',
  },
};

type ExportFlags = ConnectionFlags & SecretOutputFlags & SignerKeyFlags & { readonly format?: PrivateKeyFormat };

/** `export`: the client side of exports. This process decrypts the secret and writes it only to the chosen destination. */
export function addExport(program: Command, context: Context): void {
  const group = program
    .command('export')
    .helpGroup(`${subjectTitles.transfer}:`)
    .summary('Export a wallet or a key, and decrypt it here')
    .description(
      'Creates a single-use key, lets the service encrypt to it, verifies the signature of the response, and decrypts it here.',
    );
  for (const [word, kind] of Object.entries(kinds)) addKind(group, context, word, kind);
}

function addKind(group: Command, context: Context, word: string, kind: ExportKind): void {
  const { definition, summary, what, isPhrase, example } = kind;
  const command = group.command(word).summary(summary);
  let fields: readonly FieldFlag[] = [];
  fillLazily(command, () => {
    fields = flagsOf(schemaOf(definition), ['targetPublicKey']);
    command.description(`${summary}, decrypted on this machine.`).optionsGroup('Parameters:');
    for (const field of fields) addFieldFlag(command, field);
    command
      .optionsGroup('Output:')
      .option('--out <file>', `write the ${what} to a new file that only you can read`)
      .option('--print', `print the ${what} to standard output instead`);
    if (!isPhrase)
      command.addOption(new Option('--format <format>', 'format of the key').choices(privateKeyFormats).default('hexadecimal'));
    addSignerKeyFlag(addConnectionFlags(command)).addHelpText('after', `\nExample:\n  $ countersign ${example}`);
  });
  command.action(async (flags: ExportFlags & Record<string, unknown>) => {
    const { targetPublicKey, targetPrivateKey } = generateTargetKey();
    const parameters = { ...(await readParameters(context, fields, flags)), targetPublicKey };
    checkParameters(`export ${word}`, schemaOf(definition), parameters, fields);
    const connection = readConnection(context, flags);
    const signerPublicKey = await signerKeyOf(context, flags, connection.baseUrl);
    const output = openSecretOutput(context, flags);
    try {
      const { exportBundle } = await runTransfer(context, createClient(connection), definition, parameters);
      const { organizationId } = connection;
      const secret = await openExportBundle({
        exportBundle: String(exportBundle),
        organizationId,
        targetPrivateKey,
        signerPublicKey,
      });
      output.write(isPhrase ? new TextDecoder().decode(secret) : writePrivateKey(secret, flags.format ?? 'hexadecimal'));
    } catch (error) {
      output.discard();
      throw error;
    }
    const { stderr } = context;
    const done = paintFor(context, stderr)('green', 'Exported.');
    stderr.write(`${done} The ${what} is in ${output.place}. Anyone who reads it controls the funds: keep it safe.\n`);
  });
}
