import { readNewRootKey } from '@countersign/server/config';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { progressOn } from '../progress.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ COUNTERSIGN_NEW_ROOT_PASSPHRASE_FILE=/run/secrets/passphrase countersign vault rotate`;

/** `vault rotate`: replaces the root key. */
export function addVault(program: Command, context: Context): void {
  const vault = program.command('vault').helpGroup('Service:').description('Manage the root key');
  const rotate = vault.command('rotate').summary('Replace the root key');
  fillLazily(rotate, async () => {
    rotate.description(
      'Creates a new root key and wraps every data key with it. The service can run, and every process of it must have the new key before the rotation begins.\n' +
        'The new key is derived from COUNTERSIGN_NEW_ROOT_PASSPHRASE (or the file that COUNTERSIGN_NEW_ROOT_PASSPHRASE_FILE names). Without a passphrase, it is a new key file.\n' +
        'For other providers, set the variables of their settings with NEW_ after COUNTERSIGN_, such as COUNTERSIGN_NEW_PKCS11_URI.',
    );
    addSettingFlags(rotate, await import('@countersign/server'), { storageOnly: true });
    rotate
      .optionsGroup('Rotation:')
      .option('--data-keys', 'instead, give every organization a new data key and encrypt its secrets again')
      .optionsGroup('Output:')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', example);
  });
  const reshare = vault.command('reshare').summary('Share the root key again');
  fillLazily(reshare, async () => {
    reshare.description(
      'Shares a root key that is in shares again: with another threshold, or among other operators. No other data changes.\n' +
        'Waits for present shares at --unseal-socket, then writes the new ones to --share-directory.',
    );
    addSettingFlags(reshare, await import('@countersign/server'), { storageOnly: true });
    reshare.optionsGroup('Output:').option('--json', 'print the result as JSON');
  });
  reshare.action(async (flags: { json?: true } & Record<string, unknown>) => {
    const server = await import('@countersign/server');
    const { stdout } = context;
    const outcome = await server.reshareRootKey(await configFrom(context, server, flags));
    if (flags.json) return stdout.write(`${jsonText(outcome)}\n`);
    stdout.write(
      `Root key ${outcome.rootKeyId} was shared again: ${outcome.threshold} of ${outcome.shares} shares open it. The service refuses earlier shares.\n`,
    );
  });
  rotate.action(async (flags: Flags) => (flags.dataKeys ? rotateDataKeys(context, flags) : rotateRootKey(context, flags)));
}

type Flags = { json?: true; dataKeys?: true } & Record<string, unknown>;

async function rotateRootKey(context: Context, flags: Flags): Promise<void> {
  const server = await import('@countersign/server');
  const to = readNewRootKey(context.environment);
  const { stdout, stderr } = context;
  const progress = progressOn(context, flags);
  const outcome = await server
    .rotateRootKey(await configFrom(context, server, flags), to, {
      onProgress: (rewrapped) => progress.show('data keys wrapped', rewrapped),
      onWaiting: (message) => stderr.write(`${message}\n`),
    })
    .finally(progress.end);
  if (flags.json) {
    stdout.write(`${jsonText(outcome)}\n`);
    return;
  }
  stdout.write(
    `${paintFor(context, stdout)('green', 'The root key was replaced.')} ${outcome.rewrapped} data keys are wrapped with ${outcome.rootKeyId}.\n${server.afterRotation(to)}\n`,
  );
}

async function rotateDataKeys(context: Context, flags: Flags): Promise<void> {
  const server = await import('@countersign/server');
  const { stdout } = context;
  const progress = progressOn(context, flags);
  const outcome = await server
    .rotateDataKeys(await configFrom(context, server, flags), ({ dataKeys, secrets }) =>
      secrets === 0 ? progress.show('data keys replaced', dataKeys) : progress.show('secrets encrypted again', secrets),
    )
    .finally(progress.end);
  if (flags.json) {
    stdout.write(`${jsonText(outcome)}\n`);
    return;
  }
  stdout.write(
    `${paintFor(context, stdout)('green', 'Every organization has a new data key.')} ${outcome.dataKeys} data keys were replaced and ${outcome.secrets} secrets encrypted again.\n`,
  );
}
