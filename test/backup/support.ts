import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { paths } from '../../packages/server/src/service.ts';
import { type Engine, engines, type Installation } from '../support/installation.ts';

export const allEngines = Object.keys(engines) as Engine[];

/** The other engine. */
export const otherEngine = (engine: Engine): Engine => (engine === 'sqlite' ? 'postgres' : 'sqlite');

/** Installations that are removed when the work is over. */
export async function withInstallations(
  work: (create: (engine: Engine) => Promise<Installation>) => Promise<void>,
): Promise<void> {
  const made: Installation[] = [];
  try {
    await work(async (engine) => {
      const installation = await engines[engine]();
      made.push(installation);
      return installation;
    });
  } finally {
    for (const installation of made) await installation.remove();
  }
}

/** Brings the root key of one installation to another, as an operator does before a restore. */
export function bringRootKey(from: Installation, to: Installation): void {
  copyFileSync(paths.rootKey(from.config), paths.rootKey(to.config));
}

/** Brings the credentials too, so that tests can call the restored service. */
export function bringCredentials(from: Installation, to: Installation): void {
  copyFileSync(paths.credentials(from.config), paths.credentials(to.config));
}

/** The name of a backup in the directory of an installation. */
export const backupFile = ({ directory }: Installation, name = 'one.backup') => join(directory, name);
