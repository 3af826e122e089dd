/** The processors that a fresh clone must install on, by Node's names. The C library is glibc. */
export const processors = ['x64', 'arm64'] as const;

type Processor = (typeof processors)[number];

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The part of a package-lock.json that is read here. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>;
}

/** A package that holds a program or library for one platform. */
export interface Binary {
  readonly name: string;
  readonly version: string;
  readonly integrity: string | undefined;
  /** Whether Linux with glibc needs this package, rather than Linux with musl. */
  readonly forGlibc: boolean;
}

/** The packages in a lockfile that npm installs on Linux for one of our processors, and not on every platform. */
export function linuxBinaries({ packages }: Lockfile): readonly Binary[] {
  return Object.entries(packages)
    .filter(([, locked]) => processors.some((processor) => isLinuxBinary(locked, processor)))
    .map(([path, { version = '', integrity, libc }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      integrity,
      forGlibc: allows(libc, 'glibc'),
    }));
}

/**
 * Problems of a lockfile that show without the registry, one sentence each. npm omits an optional package from the lockfile if the
 * registry does not have it, so no machine installs a package that is missing here.
 */
export function gaps({ packages }: Lockfile): readonly string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
    const names = Object.keys(optionalDependencies);
    const unnamed = names.filter((name) => lookUp(packages, path, name) === undefined);
    const found = names.flatMap((name) => lookUp(packages, path, name) ?? []);
    const served = processors.filter((processor) => found.some((locked) => isLinuxBinary(locked, processor)));
    const from = path === '' ? 'this project' : path;
    return [
      ...unnamed.map((name) => `${name}, an optional package of ${from}, is not in the lockfile.`),
      ...(served.length === 1 ? [`${from} has optional packages for Linux on ${served[0]} alone.`] : []),
    ];
  });
}

function isLinuxBinary({ os, cpu, libc }: Locked, processor: Processor): boolean {
  const isForOnePlatform = os !== undefined || cpu !== undefined || libc !== undefined;
  return isForOnePlatform && allows(os, 'linux') && allows(cpu, processor);
}

/** Reads the fields os, cpu and libc of a package: a list of names, or of names that are excluded with "!". */
function allows(list: readonly string[] | undefined, value: string): boolean {
  if (list === undefined || list.length === 0) return true;
  if (list.includes(`!${value}`)) return false;
  return list.includes(value) || list.every((name) => name.startsWith('!'));
}

/** Finds a package from the folder of another one as Node does: in its node_modules, then in those of each folder above. */
function lookUp(packages: Lockfile['packages'], from: string, name: string): Locked | undefined {
  const folders = from.split('/');
  for (let depth = folders.length; depth >= 0; depth--) {
    const found = packages[[...folders.slice(0, depth), 'node_modules', name].filter((part) => part !== '').join('/')];
    if (found !== undefined) return found;
  }
  return undefined;
}
