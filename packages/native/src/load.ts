import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Addon, SystemSigner } from './addon.ts';

/** The variable that enables or disables the native code. */
export const NATIVE_VARIABLE = 'COUNTERSIGN_NATIVE';

/** The addon, or the reason why it is not in use. */
export type LoadedAddon =
  | { readonly addon: Addon; readonly absence?: undefined }
  | { readonly addon?: undefined; readonly absence: string };

type Environment = Readonly<Record<string, string | undefined>>;
type Loaded<T> = { readonly module: T; readonly absence?: undefined } | { readonly module?: undefined; readonly absence: string };

/** Build folders by the value of the variable. `sanitized` is for tests: see `npm run native:sanitize`. */
const builds: ReadonlyMap<string, string> = new Map([
  ['on', 'Release'],
  ['sanitized', 'Debug'],
]);

/** Loads the addon, unless the environment disables it. Never throws: every caller works without the addon. */
export function loadAddon(environment: Environment): LoadedAddon {
  const { module, absence } = load<Addon>(environment, 'countersign_native');
  return module === undefined ? { absence } : { addon: module };
}

/** Loads the signer of the system's libsecp256k1. Undefined if the library was missing at build time or is missing now. */
export function loadSystemSigner(environment: Environment): SystemSigner | undefined {
  return load<SystemSigner>(environment, 'system_signer').module;
}

/** The path of the program that starts another one with fewer rights. See `addon/confine.c`. */
export function findConfine(environment: Environment): Found {
  return find(environment, 'confine');
}

type Found = { readonly file: string; readonly absence?: undefined } | { readonly file?: undefined; readonly absence: string };

function find(environment: Environment, name: string): Found {
  const value = environment[NATIVE_VARIABLE] ?? 'on';
  if (value === 'off') return { absence: `${NATIVE_VARIABLE}=off` };
  const build = builds.get(value);
  if (build === undefined) return { absence: `${NATIVE_VARIABLE} takes on and off, not "${value}"` };
  const file = fileURLToPath(new URL(`../build/${build}/${name}`, import.meta.url));
  return existsSync(file) ? { file } : { absence: 'it was not built' };
}

function load<T>(environment: Environment, name: string): Loaded<T> {
  const { file, absence } = find(environment, `${name}.node`);
  if (file === undefined) return { absence };
  try {
    return { module: createRequire(import.meta.url)(file) as T };
  } catch (error) {
    // Built for another platform or version of Node, or a shared library is missing.
    return { absence: (error as Error).message.split('\n')[0] ?? 'it does not load' };
  }
}
