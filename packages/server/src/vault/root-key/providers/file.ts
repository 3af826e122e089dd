import { paths, requireFile } from '../../../config/paths.ts';
import { linkNew, removeTemporaries, renameDurably } from '../../../store/durable-file.ts';
import type { RootKey, RootKeyProvider } from '../root-key.ts';
import { createKeyFile, readKeyFile } from './key-file.ts';
import type { ProviderEntry } from './provider.ts';

const nextPath = (path: string) => `${path}.next`;
const retiredPath = (path: string, rootKeyId: string) => `${path}.retired-${rootKeyId}`;

/**
 * The root key in a local file, made on first run with mode 0600. During a rotation the next key is in `<path>.next`. The
 * provider holds both, so that the service can start at any point of a rotation.
 */
export function fileRootKey(path: string): RootKeyProvider {
  return Object.freeze<RootKeyProvider>({
    source: `file ${path}`,
    ids: async () => [await idIn(path), await idIn(nextPath(path))].filter((id) => id !== undefined),
    // The next key first: then an activation between the two reads hides neither.
    find: async (id) => (await findIn(nextPath(path), id)) ?? findIn(path, id),
    create: () => createKeyFile(path),
    async retire(rootKeyId) {
      if ((await idIn(path)) === rootKeyId) await renameDurably(path, retiredPath(path, rootKeyId));
    },
  });
}

/**
 * The target of a rotation from the key in the file `path`. It is in `<path>.next` until `activate` moves it to `path`. The old key is
 * kept as `<path>.retired-<id>`, because backups from before the rotation need it.
 */
export function nextFileRootKey(path: string): RootKeyProvider {
  const next = nextPath(path);
  return Object.freeze<RootKeyProvider>({
    source: `file ${next}`,
    ids: async () => [await idIn(next)].filter((id) => id !== undefined),
    find: (id) => findIn(next, id),
    async create() {
      // SECURITY: a run that was killed here left a second name of a root key. The lock of the rotation excludes others.
      for (const each of [path, next]) await removeTemporaries(each);
      return createKeyFile(next);
    },
    findActive: (id) => findIn(path, id),
    async activate() {
      if ((await idIn(next)) === undefined) return;
      const old = await idIn(path);
      if (old !== undefined) await linkNew(path, retiredPath(path, old));
      await renameDurably(next, path);
    },
  });
}

async function idIn(path: string): Promise<string | undefined> {
  const key = await readKeyFile(path);
  key?.wipe();
  return key?.id;
}

async function findIn(path: string, id: string): Promise<RootKey | undefined> {
  const key = await readKeyFile(path);
  if (key === undefined || key.id === id) return key;
  key.wipe();
  return undefined;
}

/** A key file in the data directory, or where `rootKeyFile` says. */
export const fileProvider: ProviderEntry = {
  isConfigured: ({ rootKeyFile }) => rootKeyFile !== undefined,
  open: (config) => fileRootKey(paths.rootKey(config)),
  rotate: (config) => nextFileRootKey(paths.rootKey(config)),
  keyFile: (config) => paths.rootKey(config),
  check: (config) => requireFile(paths.rootKey(config), 'The root key'),
  afterRotation: 'Back up the new key file: without it, nothing in the vault can be read.',
};
