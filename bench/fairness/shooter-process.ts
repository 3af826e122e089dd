import { connect, type Socket } from 'node:net';
import type { FromShooter, Shooting, Shot, ToShooter } from './messages.ts';

// A process that sends requests in one role: quiet tenant or attacker.
const CLOSING = /\r\nconnection: close/i;
const LENGTH = /\r\ncontent-length: (\d+)/i;

/** Where a connection leads, and from where. */
type Where = Pick<Shooting, 'host' | 'port'> & { readonly from: string };

/** One keep-alive connection that reconnects where the server closes it. */
class Line {
  readonly #where: Where;
  #socket: Socket | undefined;
  #text = '';
  #answered: ((status: number) => void) | undefined;

  constructor(where: Where) {
    this.#where = where;
  }

  /** Sends a request and gives the status of its answer; 0 if the connection ends instead. */
  send(request: Uint8Array): Promise<number> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket ??= this.#open();
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const { host, port, from } = this.#where;
    const socket = connect({ host, port, localAddress: from, noDelay: true });
    socket.on('data', (chunk) => this.#take(chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#end(0);
    });
    return socket;
  }

  #take(chunk: string): void {
    this.#text += chunk;
    const headEnd = this.#text.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const head = this.#text.slice(0, headEnd);
    if (this.#text.length < headEnd + 4 + Number(LENGTH.exec(head)?.[1] ?? 0)) return;
    if (CLOSING.test(head)) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    this.#end(Number(head.slice(9, 12)));
  }

  #end(status: number): void {
    this.#text = '';
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(status);
  }
}

async function shoot(shooting: Shooting): Promise<Shot> {
  const { host, port, from, requests, connections, seconds, perSecond, repeat } = shooting;
  const statuses: Record<number, number> = {};
  const okMs: number[] = [];
  const lines = Array.from({ length: connections }, (_, at) => new Line({ host, port, from: from[at % from.length] as string }));
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let next = 0;
  const fire = async (line: Line, dueAt: number) => {
    const request = requests[repeat === true ? next++ % requests.length : next++];
    if (request === undefined) return false;
    const status = await line.send(request);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 200) okMs.push(performance.now() - dueAt);
    return true;
  };
  if (perSecond === undefined) {
    await Promise.all(
      lines.map(async (line) => {
        while (performance.now() < endsAt && (await fire(line, performance.now())));
      }),
    );
  } else {
    const free = [...lines];
    const underWay = new Set<Promise<unknown>>();
    for (let due = startedAt; due < endsAt; due += 1000 / perSecond) {
      const waitMs = due - performance.now();
      if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const line = free.pop();
      // No connection is free: count the request as not answered.
      if (line === undefined) statuses[0] = (statuses[0] ?? 0) + 1;
      else {
        const work = fire(line, due).finally(() => {
          free.push(line);
          underWay.delete(work);
        });
        underWay.add(work);
      }
    }
    await Promise.race([Promise.all(underWay), new Promise((resolve) => setTimeout(resolve, 10_000))]);
  }
  for (const line of lines) line.close();
  return { kind: 'shot', statuses, okMs, seconds: (performance.now() - startedAt) / 1000 };
}

const tell = (answer: FromShooter) => process.send?.(answer);

let loaded: Shooting | undefined;
process.on('message', (message: ToShooter) => {
  if (message.kind === 'load') {
    loaded = message;
    return void tell({ kind: 'loaded' });
  }
  if (loaded === undefined) return void tell({ kind: 'failed', message: 'there is nothing to send' });
  shoot(loaded).then(tell, (error: unknown) => tell({ kind: 'failed', message: String(error) }));
  loaded = undefined;
});
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
