import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { RootKeyUnavailable, VaultError } from '../../../errors.ts';

/** A request at the socket of a process that needs shares: one line of JSON. */
const request = z.union([
  z.strictObject({ share: z.string().max(300) }),
  z.strictObject({ seal: z.literal(true) }),
  z.strictObject({ status: z.literal(true) }),
]);
type Request = z.infer<typeof request>;

/** How far a root key is. */
export interface SealStatus {
  readonly rootKeyId: string;
  readonly sealed: boolean;
  /** Shares that were given and verified. */
  readonly shares: number;
  readonly threshold: number;
}

/** The answer: one line of JSON. */
export type SocketAnswer = { readonly keys: readonly SealStatus[] } | { readonly error: string };

const answerSchema = z.union([
  z.strictObject({
    keys: z.array(z.strictObject({ rootKeyId: z.string(), sealed: z.boolean(), shares: z.number(), threshold: z.number() })),
  }),
  z.strictObject({ error: z.string() }),
]);

const MAX_LINE_BYTES = 1_024;
const IDLE_MS = 30_000;

type Answer = (request: Request) => Promise<SocketAnswer>;

/**
 * Listens at a path that only the owner can use. Throws VaultError if another process listens there. `afterSeal` is called when the answer
 * to `seal` was written, and ends the process: its connection ends after its memory.
 * SECURITY: who can connect can seal, and can try shares; neither reveals a key.
 */
export async function listenForShares(path: string, answer: Answer, afterSeal?: () => void): Promise<Server> {
  if (await isInUse(path))
    throw new VaultError(`another process listens at ${path}`, 'stop it, or name another socket with --unseal-socket');
  rmSync(path, { force: true });
  const server = createServer((socket) => serve(socket, answer, afterSeal));
  server.maxConnections = 16;
  const listening = once(server, 'listening');
  const mask = process.umask(0o177);
  // Binds before it returns, so the mask applies to the socket and to nothing else.
  server.listen(path);
  process.umask(mask);
  try {
    await listening;
  } catch (cause) {
    throw new VaultError(`the socket ${path} cannot be made`, 'name a writable place with --unseal-socket', { cause });
  }
  return server;
}

function serve(socket: Socket, answer: Answer, afterSeal: (() => void) | undefined): void {
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  // The other side may go away at any time.
  socket.on('error', () => {});
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_LINE_BYTES) socket.destroy();
  });
  createInterface(socket).once('line', async (line) => {
    const parsed = request.safeParse(toJson(line));
    const reply = parsed.success ? await answer(parsed.data).catch(failed) : { error: 'the request is not valid' };
    const text = `${JSON.stringify(reply)}\n`;
    if (parsed.success && 'seal' in parsed.data && afterSeal !== undefined) socket.write(text, () => afterSeal());
    else socket.end(text);
  });
}

const failed = (error: unknown): SocketAnswer => ({ error: error instanceof Error ? error.message : 'failed' });

/** Sends one request to the process that listens at the path. Throws RootKeyUnavailable if there is none. */
export async function askAtSocket(path: string, content: Request): Promise<SocketAnswer> {
  const line = await new Promise<string>((resolve, reject) => {
    const socket = connect(path, () => socket.write(`${JSON.stringify(content)}\n`));
    socket.setTimeout(IDLE_MS, () => socket.destroy(new Error('no answer')));
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  }).catch((cause: unknown) => {
    throw new RootKeyUnavailable(
      `no process listens at ${path}`,
      "start 'countersign serve' with the same --unseal-socket, as a user who may use the socket",
      { cause },
    );
  });
  return readAnswer(line);
}

/** The answer in a text. */
export function readAnswer(line: string): SocketAnswer {
  const parsed = answerSchema.safeParse(toJson(line));
  return parsed.success ? parsed.data : { error: 'the answer is not valid' };
}

function isInUse(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema rejects undefined.
    return undefined;
  }
}
