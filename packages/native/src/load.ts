import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Addon } from './addon.ts';

/** The variable that decides whether the addon is used. */
export const NATIVE_VARIABLE = 'COUNTERSIGN_NATIVE';

/** The addon, or the reason why it is not in use. */
export type LoadedAddon =
  | { readonly addon: Addon; readonly absence?: undefined }
  | { readonly addon?: undefined; readonly absence: string };

/** Where the build puts the addon, by the value of the variable. `sanitized` is for tests: see `npm run native:sanitize`. */
const builds: ReadonlyMap<string, string> = new Map([
  ['on', 'Release'],
  ['sanitized', 'Debug'],
]);

/** Loads the addon, unless the environment says `off`. Never throws: what uses the addon works without it. */
export function loadAddon(environment: Readonly<Record<string, string | undefined>>): LoadedAddon {
  const wanted = environment[NATIVE_VARIABLE] ?? 'on';
  if (wanted === 'off') return { absence: `${NATIVE_VARIABLE}=off` };
  const build = builds.get(wanted);
  if (build === undefined) return { absence: `${NATIVE_VARIABLE} takes on and off, not "${wanted}"` };
  const file = fileURLToPath(new URL(`../build/${build}/countersign_native.node`, import.meta.url));
  if (!existsSync(file)) return { absence: 'it was not built' };
  try {
    return { addon: createRequire(import.meta.url)(file) as Addon };
  } catch (error) {
    // Built for another platform or version of Node: go on without it.
    return { absence: (error as Error).message.split('\n')[0] ?? 'it does not load' };
  }
}
