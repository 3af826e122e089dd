import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy between a store and its PostgreSQL server that a test can cut at a chosen moment. */
export interface CutProxy {
  readonly url: string;
  /** How often the server was ready for the next query: the number of round trips so far. */
  trips(): number;
  /** Cuts the connection when the text passes, before the server gets it, up to `times` times. */
  cutBefore(text: string, times?: number): void;
  /** Lets the text through and cuts the connection once, when the server answers, so that the answer is lost. */
  cutAnswerTo(text: string): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of the server at `url`. */
export async function createCutProxy(url: string): Promise<CutProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let trips = 0;
  let before = { text: '', times: 0 };
  let answer = '';

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let losing = false;
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', cut);
    }
    client.on('data', (data) => {
      if (before.times > 0 && data.includes(before.text)) {
        before.times -= 1;
        cut();
        return;
      }
      if (answer !== '' && data.includes(answer)) {
        answer = '';
        losing = true;
      }
      upstream.write(data);
    });
    const count = readyCounter(() => {
      trips += 1;
    });
    upstream.on('data', (data) => {
      if (losing) {
        cut();
        return;
      }
      count(data);
      client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxied = new URL(url);
  proxied.hostname = '127.0.0.1';
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    trips: () => trips,
    cutBefore(text, times = 1) {
      before = { text, times };
    },
    cutAnswerTo(text) {
      answer = text;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads the frames of the server's half of the protocol: a type byte, then a length that counts itself. 'Z' is ReadyForQuery. */
function readyCounter(onReady: () => void): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5) {
      const length = 1 + rest.readInt32BE(1);
      if (rest.length < length) return;
      if (rest[0] === 0x5a) onReady();
      rest = rest.subarray(length);
    }
  };
}
