import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { jsonText } from '../terminal.ts';

type Flags = { json?: true; identity?: string; url?: string } & Record<string, unknown>;

/** `unseal` and `seal`: a root key in shares. */
export function addUnseal(program: Command, context: Context): void {
  const unseal = program.command('unseal').argument('[file]').helpGroup('Service:').summary('Give one share of the root key');
  fillLazily(unseal, async () => {
    unseal.description(
      'Gives one share to a service that started sealed. Each share is verified, and the progress is shown.\n' +
        'The share is read from the file, which may be encrypted with age or PGP, or from the terminal, which shows it, or standard input.',
    );
    addSettingFlags(unseal, await import('@countersign/server'), { storageOnly: true });
    unseal
      .optionsGroup('Input and output:')
      .option('--identity <file>', 'age identity that decrypts the file. gpg decrypts a file for a PGP key')
      .option('--url <address>', 'https address of a service with --unseal-https, instead of --unseal-socket')
      .option('--json', 'print the result as JSON');
  });
  unseal.action(async (file: string | undefined, flags: Flags) => {
    const server = await import('@countersign/server');
    const config = await configFrom(context, server, flags);
    const share =
      file === undefined
        ? ((await context.ask('Share: ')) ?? (await context.readStdin()))
        : await server.readShareFile(file, flags.identity);
    report(context, flags, await server.giveShare(config, share, flags.url));
  });

  const seal = program.command('seal').helpGroup('Service:').summary('Wipe the root key of a running service');
  fillLazily(seal, async () => {
    seal.description(
      'Ends the processes of a service whose root key is in shares, and with them every key in their memory. It answers 503 until it is unsealed again.',
    );
    addSettingFlags(seal, await import('@countersign/server'), { storageOnly: true });
    seal.optionsGroup('Output:').option('--json', 'print the result as JSON');
  });
  seal.action(async (flags: Flags) => {
    const server = await import('@countersign/server');
    report(context, flags, await server.sealRootKeys(await configFrom(context, server, flags)));
  });
}

interface Status {
  readonly rootKeyId: string;
  readonly sealed: boolean;
  readonly shares: number;
  readonly threshold: number;
}

function report({ stdout }: Context, { json }: Flags, keys: readonly Status[]): void {
  if (json) {
    stdout.write(`${jsonText({ keys })}\n`);
    return;
  }
  for (const { rootKeyId, sealed, shares, threshold } of keys) {
    const progress = threshold === 0 ? 'sealed' : `sealed: ${shares} of ${threshold} shares`;
    stdout.write(`Root key ${rootKeyId} is ${sealed ? progress : 'unsealed'}.\n`);
  }
}
