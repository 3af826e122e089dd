/** The response of a witness. */
export interface WitnessText {
  readonly status: number;
  /** The media type without its parameters. Empty if absent. */
  readonly contentType: string;
  readonly text: string;
}

/** A witness does not respond, or its response is too long. */
export class WitnessUnreachable extends Error {
  override readonly name = 'WitnessUnreachable';
}

const TIMEOUT_MS = 3_000;
/** Many times the size of a note with a hundred signatures. */
const MAX_BYTES = 65_536;

/**
 * Sends a request to a witness: a POST with a body, otherwise a GET. The operator chose the address, so it may be a private one. Throws
 * WitnessUnreachable. SECURITY: redirects are not followed, and the response is bounded in time and size.
 */
export async function fetchText(url: string, body?: string): Promise<WitnessText> {
  try {
    const response = await fetch(url, {
      ...(body !== undefined && { method: 'POST', body, headers: { 'content-type': 'text/plain; charset=utf-8' } }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const [contentType = ''] = (response.headers.get('content-type') ?? '').split(';', 1);
    return { status: response.status, contentType: contentType.trim().toLowerCase(), text: await readBounded(response) };
  } catch (error) {
    if (error instanceof WitnessUnreachable) throw error;
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    throw new WitnessUnreachable(`it does not respond: ${code ?? (error as Error).name}`, { cause: error });
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new WitnessUnreachable(`its response has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
