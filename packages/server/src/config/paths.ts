import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config-error.ts';
import type { Config } from './settings.ts';

/** The installation's files. */
export const paths = {
  database: (config: Config) => join(config.dataDir, 'countersign.db'),
  rootKey: (config: Config) => config.rootKeyFile ?? join(config.dataDir, 'root.key'),
  credentials: (config: Config) => join(config.dataDir, 'credentials.json'),
  logAnchor: (config: Config) => join(config.dataDir, 'log-anchor.json'),
  epochFile: (config: Config) => join(config.dataDir, 'epoch.json'),
  machineFile: (config: Config) => join(config.dataDir, 'machine.json'),
  /** The credentials that verified recently. It may be deleted. */
  knownCallers: (config: Config) => join(config.dataDir, 'known-callers'),
  /** The commits that no recorded checkpoint of the log covers yet. */
  commits: (config: Config) => join(config.dataDir, 'commits'),
  /** The replay keys of the last activities in the log. They may be deleted: the next start reads the log instead. */
  replayKeys: (config: Config) => join(config.dataDir, 'replay-keys'),
  /** Archive files that are no longer where they were written. */
  archive: (config: Config) => join(config.dataDir, 'archive'),
  /** The last commits of earlier releases. */
  lastCommits: (config: Config) => join(config.dataDir, 'last-commits'),
};

/** Creates the data directory if missing, for its owner only. */
export function makeDataDirectory({ dataDir }: Config): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new ConfigError(
      `The data directory ${dataDir} cannot be created.`,
      'Choose another with --data-dir, or give this user write access there.',
      { cause },
    );
  }
}

/** Throws ConfigError if a file of the installation is missing: a check must not create it. */
export function requireFile(path: string, what: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new ConfigError(
      `${what} does not exist: ${path}`,
      "Check --data-dir; 'countersign init' or 'countersign serve' creates a new installation.",
    );
  }
}
