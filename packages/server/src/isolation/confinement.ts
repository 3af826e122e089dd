import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findConfine } from '@countersign/native';
import { ConfigError } from '../config/config-error.ts';
import { paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { permissionFlags } from './permission-flags.ts';

/** How the processes of an isolated service are confined on this machine. */
export interface Confinement {
  /** The program that starts others with fewer rights. Undefined where it was not built. */
  readonly confine: string | undefined;
  /** What an edge may read: the program, its libraries and public settings of the system. */
  readonly readable: readonly string[];
  /** The user and group of an edge. Undefined if this process cannot choose them. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** What an edge runs. */
export interface EdgeFiles {
  readonly edgeEntry: URL;
  /** Loaded before anything else. */
  readonly ignoreDebuggerSignal: URL;
}

/** Files of the system that Node and the C library read. None of them is secret. */
const SYSTEM_FILES = [
  '/lib',
  '/lib64',
  '/usr/lib',
  '/usr/lib64',
  '/usr/local/lib64',
  '/etc/ld.so.cache',
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/localtime',
  '/etc/ssl/openssl.cnf',
  '/etc/ssl/certs',
  '/etc/pki/tls/openssl.cnf',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/usr/share/ca-certificates',
  '/usr/share/zoneinfo',
  '/usr/local/ssl/openssl.cnf',
];

/** Variables that an edge gets. They name public files. SECURITY: all others may be secret. */
const PASSED = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'OPENSSL_CONF', 'TZ'] as const;

/** The environment of an edge. */
export function edgeEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(PASSED.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])));
}

/** The command that starts an edge, with further flags of Node. */
export function edgeCommand(
  { confine, readable }: Confinement,
  { edgeEntry, ignoreDebuggerSignal }: EdgeFiles,
  flags: readonly string[] = [],
): { readonly file: string; readonly args: string[] } {
  return confined({ confine, readable }, ['--import', ignoreDebuggerSignal.href, ...flags, fileURLToPath(edgeEntry)]);
}

/** The command of a confined process that only reads one file. */
export function probeCommand(confinement: Confinement, path: string): ReturnType<typeof edgeCommand> {
  return confined(confinement, ['--eval', "require('node:fs').readFileSync(process.argv[1])", path]);
}

function confined({ confine, readable }: Pick<Confinement, 'confine' | 'readable'>, words: readonly string[]) {
  const node = [...permissionFlags(readable), ...words];
  return confine === undefined
    ? { file: process.execPath, args: node }
    : { file: confine, args: ['edge', ...readable, '--', process.execPath, ...node] };
}

/**
 * Finds out how this machine can confine an edge.
 * SECURITY: D586: throws ConfigError if an edge could read the keys or the database: a service that only seems isolated is worse than one
 * that is not.
 */
export function planConfinement(config: Config, entry: URL, environment: NodeJS.ProcessEnv = process.env): Confinement {
  const { file: confine, absence } = findConfine(environment);
  const user = process.getuid?.() === 0 ? config.edgeUser : undefined;
  if (confine === undefined && user === undefined)
    throw new ConfigError(
      `edge processes cannot be confined here: the program that does so is missing (${absence}), and the service is not started as root.`,
      'Use Linux 5.13 or later and install a C compiler before the package, or start as root, or set --isolate off.',
    );
  const folder = dirname(fileURLToPath(entry));
  const readable = [
    realpathSync(process.execPath),
    folder,
    join(dirname(folder), 'package.json'),
    ...SYSTEM_FILES,
    ...PASSED.filter((name) => name !== 'TZ').flatMap((name) => environment[name] ?? []),
  ].filter((path) => existsSync(path));
  for (const secret of secretFiles(config)) {
    const around = readable.find((path) => isWithin(real(secret), real(path)));
    if (around !== undefined)
      throw new ConfigError(
        `edge processes read everything in ${around}, so --isolate cannot protect ${secret}.`,
        'Move it elsewhere, for example with --data-dir.',
      );
  }
  return { confine, readable, user };
}

/**
 * The files of this installation that are secret.
 * SECURITY: D665: an edge reads the folder of the program and public files of the system, so none of them may lie there.
 */
function secretFiles(config: Config): readonly string[] {
  const { dataDir, tlsKey, unsealSocket, pkcs11PinFile, tpmKeyFile, transitTokenFile, shareDirectory } = config;
  const named = [tlsKey, unsealSocket, pkcs11PinFile, tpmKeyFile, transitTokenFile, shareDirectory];
  return [dataDir, paths.rootKey(config), ...named.filter((path) => path !== undefined)];
}

function isWithin(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return !below.startsWith('..') && !below.startsWith('/');
}

/** The path without links. That of a file that does not exist yet is the path of its folder. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : real(dirname(path));
  }
}
