import { jsonSchemaOf } from '@countersign/contract';
import { environmentName, flagName, type Setting, settingAreas } from '@countersign/server';
import { code, page, table } from './markdown.ts';

/** Every setting of the service. */
export function settingsPage(): string {
  return page('Settings', 'packages/server/src/config/settings', [
    'A flag overrides the environment, and the environment overrides [countersign.yaml](../guide/configuration.md), whose keys are the names of the flags in camel case ([schema](countersign.schema.json)). Every variable also has a form that ends in `_FILE` and names a file with the value. Use that form for secrets. The file of a secret must be readable only by its owner (mode 0600 or 0400), otherwise the service rejects it. The service also rejects unknown variables that start with `COUNTERSIGN_` and suggests the nearest known name. A secret has no flag, because other processes can read the command line. `--database-url` is an exception: it accepts a URL without a password.',
    'Settings marked with ↻ are applied on SIGHUP. All others need a restart.',
    ...settingAreas.flatMap(({ title, settings }) => [
      `## ${title}`,
      table(['Flag', 'Variable', 'Default', 'Meaning'], Object.entries<Setting>(settings).map(rowOf)),
    ]),
  ]);
}

function rowOf([name, { schema, default: preset = '', describe, secret, reload }]: [string, Setting]): string[] {
  const { enum: choices = [] } = jsonSchemaOf(schema);
  const variable = environmentName(name);
  return [
    secret && name !== 'databaseUrl' ? '' : code(`--${flagName(name)}`),
    secret ? `${code(variable)}, ${code(`${variable}_FILE`)}` : code(variable),
    preset === '' ? '' : code(preset),
    `${reload ? '↻ ' : ''}${describe}${choices.length === 0 ? '' : `: ${choices.map((choice) => code(String(choice))).join(', ')}`}`,
  ];
}
