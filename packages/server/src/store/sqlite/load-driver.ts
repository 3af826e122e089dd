import { createRequire } from 'node:module';
import type { DatabaseSync } from '@photostructure/sqlite';
import { StoreError } from '../store-errors.ts';

/** The part of `node:sqlite` that the store uses. Both implementations have it. */
export interface Driver {
  readonly DatabaseSync: typeof DatabaseSync;
}

/** The package with the same interface, for versions of Node without a sufficient module. */
const PACKAGE = '@photostructure/sqlite';

let loaded: Driver | undefined;

/** Loads SQLite: the module of Node if it has all that the store needs, and the package otherwise. */
export function loadDriver(): Driver {
  loaded ??= hasModule(process.versions.node) ? loadModule() : undefined;
  loaded ??= loadPackage();
  return loaded;
}

/** Whether this version of `node:sqlite` has `isTransaction`, `setReturnArrays` and `timeout`. */
export function hasModule(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 16);
}

/** Undefined if Node was built without SQLite. */
function loadModule(): Driver | undefined {
  const { emitWarning } = process;
  // Node 22 warns on every start that the module may change. Tests run the store on every supported version.
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite') as Driver | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** `requirePackage` is for tests. */
export function loadPackage(requirePackage: (name: string) => unknown = createRequire(import.meta.url)): Driver {
  try {
    return requirePackage(PACKAGE) as Driver;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw new StoreError(
      `SQLite cannot be loaded: Node.js ${process.versions.node} has no sufficient SQLite module, and ${PACKAGE} does not load (${reason})`,
      'Use Node.js 22.16 or newer, which has SQLite built in, or install the packages again.',
      { cause: error },
    );
  }
}
