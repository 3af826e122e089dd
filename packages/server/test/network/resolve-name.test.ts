import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createResolveName } from '../../src/network/resolve-name.ts';

const A = 1;
const AAAA = 28;

/** A name server on this machine. It answers a question of some type with an address in bytes, or not at all. */
async function nameServer(answer: (type: number) => Uint8Array | 'none' | 'silent'): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    // RFC 1035: a header of 12 bytes, then the question: a name, its type, its class.
    const end = query.indexOf(0, 12) + 5;
    const type = query.readUInt16BE(end - 4);
    const found = answer(type);
    if (found === 'silent') return;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(found === 'none' ? 0 : 1, 6);
    header.fill(0, 8);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(found.length, 10);
    const rest = found === 'none' ? [] : [record, found as Uint8Array];
    socket.send(Buffer.concat([header, query.subarray(12, end), ...rest]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

test('a name has its IPv4 and IPv6 addresses', async () => {
  const v6 = Uint8Array.from([0x20, 0x01, 0x0d, 0xb8, ...Array(11).fill(0), 1]);
  const server = await nameServer((type) => (type === A ? Uint8Array.of(192, 0, 2, 7) : v6));
  expect(await createResolveName([server])('receiver.example.com')).toEqual(['192.0.2.7', '2001:db8::1']);
});

test('one family is enough, and a name without an address has none', async () => {
  const only = await nameServer((type) => (type === AAAA ? 'none' : Uint8Array.of(192, 0, 2, 7)));
  expect(await createResolveName([only])('receiver.example.com')).toEqual(['192.0.2.7']);
  const none = await nameServer(() => 'none');
  expect(await createResolveName([none])('receiver.example.com')).toEqual([]);
});

test('D60: a silent name server is abandoned, and delays no other look-up of the process', async () => {
  const server = await nameServer(() => 'silent');
  const resolve = createResolveName([server]);
  let over = false;
  const silent = Promise.all(Array.from({ length: 16 }, (_, index) => resolve(`silent${index}.example.com`))).then((found) => {
    over = true;
    return found;
  });
  await lookup('localhost');
  expect(over).toBe(false);
  expect(await silent).toEqual(Array(16).fill([]));
});

test('localhost is this machine, whatever a name server says', async () => {
  const server = await nameServer(() => Uint8Array.of(192, 0, 2, 7));
  const resolve = createResolveName([server]);
  for (const name of ['localhost', 'LOCALHOST.', 'app.localhost']) expect(await resolve(name)).toEqual(['127.0.0.1', '::1']);
});
