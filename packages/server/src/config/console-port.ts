import type { Config } from './settings.ts';

/** The port of the console, if it differs from the port of the API. */
export function consolePort({ console, port }: Pick<Config, 'console' | 'port'>): number | undefined {
  return typeof console === 'number' && console !== port ? console : undefined;
}
