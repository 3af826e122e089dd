import { open } from 'node:fs/promises';
import { AuditError, buildRootProof, type FileEnds, PageError, type RootProof } from '@countersign/verify';
import { CliError } from '../errors.ts';
import { pagesAt } from './log-pages.ts';

/** Longer than the first and the last line of any audit file: two checkpoints and the nodes of a proof. */
const MAX_LINE_BYTES = 1_048_576;

/** Where the logs are. */
export interface RootSources {
  /** The address of the root log. */
  readonly rootUrl: string;
  /** The address of the shard, or of the router with `/shards/<number>`. */
  readonly logUrl: string;
}

/** Fetches the proof that leads from an audit file to the root log. */
export async function fetchRootProof(file: string, { rootUrl, logUrl }: RootSources): Promise<RootProof> {
  const ends = await readEnds(file);
  try {
    return await buildRootProof(ends, pagesAt(rootUrl), pagesAt(logUrl));
  } catch (error) {
    if (error instanceof PageError)
      throw new CliError(
        `No proof for ${file}: ${error.message}.`,
        'Check --root-url and --log-url. A new shard is in the root log a few seconds after its first cosigned checkpoint.',
      );
    if (!(error instanceof AuditError)) throw error;
    throw new CliError(
      `No proof for ${file}: ${error.message}.`,
      'A new checkpoint is in the root log after its next round: try again. Otherwise check the file, --root-url and --log-url.',
    );
  }
}

async function readEnds(file: string): Promise<FileEnds> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`${file} cannot be read: ${error.code}.`, 'Check the file name.');
  });
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, MAX_LINE_BYTES);
    const part = async (at: number) => (await handle.read(Buffer.alloc(length), 0, length, at)).buffer.toString('utf8');
    const [first = ''] = (await part(0)).split('\n', 1);
    const last = (await part(size - length)).trimEnd().split('\n').at(-1) ?? '';
    return { first, last };
  } finally {
    await handle.close();
  }
}
