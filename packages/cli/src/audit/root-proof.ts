import { open } from 'node:fs/promises';
import { AuditError, buildRootProof, type FetchPage, type FileEnds, type RootProof } from '@countersign/verify';
import { CliError } from '../errors.ts';

/** Longer than the first and the last line of any audit file: two checkpoints and the nodes of a proof. */
const MAX_LINE_BYTES = 1_048_576;
/** A full bundle of the longest entries has half of it. */
const MAX_PAGE_BYTES = 33_554_432;
const TIMEOUT_MS = 10_000;

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

function pagesAt(url: string): FetchPage {
  return async (name) => {
    const address = `${url.replace(/\/+$/, '')}/log/${name}`;
    const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
    if (response?.status !== 200)
      throw new CliError(
        `${address} ${response === undefined ? 'does not respond' : `responds with ${response.status}`}.`,
        'Check --root-url and --log-url. A new shard is in the root log a few seconds after its first cosigned checkpoint.',
      );
    const content = new Uint8Array(await response.arrayBuffer());
    if (content.length > MAX_PAGE_BYTES) throw new CliError(`${address} is too long.`, 'Check the address.');
    return content;
  };
}
