import type { Config } from './settings.ts';

/** The port that has the console, where it is another than that of the API. */
export function consolePort({ console, port }: Pick<Config, 'console' | 'port'>): number | undefined {
  return typeof console === 'number' && console !== port ? console : undefined;
}
