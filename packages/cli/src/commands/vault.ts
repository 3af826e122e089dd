import { readSecretFile } from '@countersign/server/config';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { progressOn } from '../progress.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ COUNTERSIGN_NEW_ROOT_PASSPHRASE_FILE=/run/secrets/passphrase countersign vault rotate`;

type NewRootKey = { kind: 'file' } | { kind: 'passphrase'; passphrase: string };

/** `vault rotate`: replaces the root key. */
export function addVault(program: Command, context: Context): void {
  const vault = program.command('vault').helpGroup('Service:').description('Look after the root key');
  const rotate = vault.command('rotate').summary('Replace the root key');
  fillLazily(rotate, async () => {
    rotate.description(
      'Makes a new root key and wraps every data key with it. Stop the service first.\n' +
        'The new key is derived from COUNTERSIGN_NEW_ROOT_PASSPHRASE (or the file that COUNTERSIGN_NEW_ROOT_PASSPHRASE_FILE names). Without a passphrase, it is a new key file.',
    );
    addSettingFlags(rotate, await import('@countersign/server'), { storageOnly: true });
    rotate.optionsGroup('Output:').option('--json', 'print the outcome as JSON').addHelpText('after', example);
  });
  rotate.action(async (flags: { json?: true } & Record<string, unknown>) => {
    const server = await import('@countersign/server');
    const to = newRootKey(context.environment);
    const { stdout } = context;
    const progress = progressOn(context, flags);
    const outcome = await server
      .rotateRootKey(configFrom(context, server, flags), to, (rewrapped) => progress.show('data keys wrapped', rewrapped))
      .finally(progress.end);
    if (flags.json) return stdout.write(`${jsonText(outcome)}\n`);
    const next =
      to.kind === 'passphrase'
        ? 'Set COUNTERSIGN_ROOT_PASSPHRASE to the new passphrase before the next start.'
        : 'Back up the new key file: without it, nothing in the vault can be read.';
    stdout.write(
      `${paintFor(context, stdout)('green', 'The root key was replaced.')} ${outcome.rewrapped} data keys are wrapped with ${outcome.rootKeyId}.\n${next}\n`,
    );
  });
}

/** The new root key that the environment names. Throws ConfigFault for a file that may not or cannot be read. */
export function newRootKey(environment: Context['environment']): NewRootKey {
  const variable = 'COUNTERSIGN_NEW_ROOT_PASSPHRASE_FILE';
  const file = environment[variable];
  const passphrase =
    environment.COUNTERSIGN_NEW_ROOT_PASSPHRASE ?? (file === undefined ? undefined : readSecretFile(variable, file));
  return passphrase === undefined ? { kind: 'file' } : { kind: 'passphrase', passphrase };
}
