import { type FetchPage, PageError } from '@countersign/verify';

/** A full bundle of the longest entries has half of it. */
const MAX_PAGE_BYTES = 33_554_432;
const TIMEOUT_MS = 10_000;

/** Fetches pages of a log below the address of its service. SECURITY: a page is bounded in time and size, and redirects are not followed. */
export function pagesAt(url: string): FetchPage {
  return async (name) => {
    const address = `${url.replace(/\/+$/, '')}/log/${name}`;
    try {
      const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new PageError(`${address} responds with ${response.status}`);
      }
      return await readBounded(response, address);
    } catch (error) {
      if (error instanceof PageError) throw error;
      throw new PageError(`${address} does not respond`, { cause: error });
    }
  };
}

async function readBounded(response: Response, address: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_PAGE_BYTES) throw new PageError(`${address} is too long`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
