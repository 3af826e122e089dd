import { jsonSchemaOf } from '@countersign/contract';
import { environmentName, flagName, type Setting, settings } from '@countersign/server';
import { code, page, table } from './markdown.ts';

/** Every setting of the service. */
export function settingsPage(): string {
  const rows = Object.entries<Setting>(settings).map(([name, { schema, default: preset = '', describe, secret = false }]) => {
    const { enum: choices = [] } = jsonSchemaOf(schema);
    const variable = environmentName(name);
    return [
      secret && name !== 'databaseUrl' ? '' : code(`--${flagName(name)}`),
      secret ? `${code(variable)}, ${code(`${variable}_FILE`)}` : code(variable),
      preset === '' ? '' : code(preset),
      choices.length === 0 ? describe : `${describe}: ${choices.map((choice) => code(String(choice))).join(', ')}`,
    ];
  });
  return page('Settings', 'packages/server/src/config/settings.ts', [
    'A flag wins over the environment. Every variable also has a form with `_FILE` behind it, which names a file that holds the value; use it for secrets. The file of a secret must be open to its owner alone (mode 0600 or 0400), or it is refused. So is a variable that begins with `COUNTERSIGN_` and is not known: the error names the nearest one. A secret has no flag, because other processes can read a command line; `--database-url` is an exception that is safer in the environment.',
    table(['Flag', 'Variable', 'Default', 'Meaning'], rows),
  ]);
}
