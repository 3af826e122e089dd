import { paths, requireFile } from '../../../config/paths.ts';
import { linkNew, removeTemporaries, renameDurably } from '../../../store/durable-file.ts';
import type { RootKey, RootKeyProvider } from '../root-key.ts';
import { createKeyFile, readKeyFile } from './key-file.ts';
import type { ProviderEntry } from './provider.ts';

const nextPath = (path: string) => `${path}.next`;
const retiredPath = (path: string, rootKeyId: string) => `${path}.retired-${rootKeyId}`;

/** How a file holds a root key: in plain, or sealed. */
export interface KeyFileFormat {
  /** Names the kind of file in messages. */
  readonly name: string;
  /** Undefined if there is no such file. Throws VaultError if it is unusable. */
  read(path: string): Promise<RootKey | undefined>;
  /** Makes a file with a new key, or reads the existing one. */
  create(path: string): Promise<RootKey>;
}

const plainFormat: KeyFileFormat = { name: 'file', read: readKeyFile, create: createKeyFile };

/**
 * The root key in a local file, made on first run with mode 0600. During a rotation the next key is in `<path>.next`. The
 * provider holds both, so that the service can start at any point of a rotation.
 */
export function fileRootKey(path: string, format = plainFormat): RootKeyProvider {
  return Object.freeze<RootKeyProvider>({
    source: `${format.name} ${path}`,
    ids: async () => [await idIn(path, format), await idIn(nextPath(path), format)].filter((id) => id !== undefined),
    // The next key first: then an activation between the two reads hides neither.
    find: async (id) => (await findIn(nextPath(path), id, format)) ?? findIn(path, id, format),
    create: () => format.create(path),
    async retire(rootKeyId) {
      if ((await idIn(path, format)) === rootKeyId) await renameDurably(path, retiredPath(path, rootKeyId));
    },
  });
}

/**
 * The target of a rotation from the key in the file `path`. It is in `<path>.next` until `activate` moves it to `path`. The old key is
 * kept as `<path>.retired-<id>`, because backups from before the rotation need it.
 */
export function nextFileRootKey(path: string, format = plainFormat): RootKeyProvider {
  const next = nextPath(path);
  return Object.freeze<RootKeyProvider>({
    source: `${format.name} ${next}`,
    ids: async () => [await idIn(next, format)].filter((id) => id !== undefined),
    find: (id) => findIn(next, id, format),
    async create() {
      // SECURITY: a run that was killed here left a second name of a root key. The lock of the rotation excludes others.
      for (const each of [path, next]) await removeTemporaries(each);
      return format.create(next);
    },
    findActive: (id) => findIn(path, id, format),
    async activate() {
      if ((await idIn(next, format)) === undefined) return;
      const old = await idIn(path, format);
      if (old !== undefined) await linkNew(path, retiredPath(path, old));
      await renameDurably(next, path);
    },
  });
}

async function idIn(path: string, { read }: KeyFileFormat): Promise<string | undefined> {
  const key = await read(path);
  key?.wipe();
  return key?.id;
}

async function findIn(path: string, id: string, { read }: KeyFileFormat): Promise<RootKey | undefined> {
  const key = await read(path);
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
