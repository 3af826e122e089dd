import { text } from 'node:stream/consumers';
import { base58 } from '@scure/base';
import { chainSettings } from '../../../packages/server/src/config/settings/chains.ts';
import type { Config } from '../../../packages/server/src/config/settings.ts';
import { serveHttp } from '../../../packages/server/test/notify/webhooks/loopback-server.ts';
import type { Caller, Json } from '../../support/caller.ts';
import type { TronLedger } from '../../support/tron-ledger.ts';
import { uniqueName } from '../../support/world.ts';
import { reach } from './support.ts';

export const TRX = 1_000_000n;
/** An address that nobody has the key of. */
export const RECEIVER = 'TBbb6BNEpvAg5J8BbqXRbZwLiHNLZ1cYrV';

const TYPE_URL = Buffer.from('type.googleapis.com/protocol.TransferContract');

/** The stand-in over HTTP. `lies` change responses, by path. */
export async function serveTron(ledger: TronLedger) {
  const lies = new Map<string, (answer: Json, body: Json) => Json>();
  const asked: string[] = [];
  const server = await serveHttp(async (request, response) => {
    const body = JSON.parse(await text(request));
    const path = request.url ?? '';
    asked.push(`${path} ${JSON.stringify(body)}`);
    const answer = ledger.answer(path, body) as Json;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(lies.get(path)?.(answer, body) ?? answer));
  });
  return { url: `http://127.0.0.1:${server.port}`, lies, asked, close: server.close };
}

export type TronServer = Awaited<ReturnType<typeof serveTron>>;

/** Settings of a service that sends through these nodes. */
export function tronConfig({ chain }: TronLedger, servers: readonly TronServer[]): Partial<Config> {
  return {
    chainEndpoints: [{ chain, endpoints: servers.map(({ url }) => ({ url })) }],
    chainNetworks: chainSettings.chainNetworks.schema.parse('127.0.0.0/8') as Config['chainNetworks'],
  };
}

/** A new account with 10 TRX. */
export async function fundedTron(caller: Caller, ledger: TronLedger): Promise<string> {
  const account = {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/195'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_TRON',
  };
  const { addresses } = await caller.result('createWallet', { walletName: uniqueName('Tron'), accounts: [account] });
  const [address] = addresses as [string];
  ledger.fund(address, 10n * TRX);
  return address;
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}
const integer = (number: number, value: bigint) => Buffer.concat([varint(BigInt(number << 3)), varint(value)]);
const bytes = (number: number, value: Uint8Array) =>
  Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(value.length)), value]);
const addressBytes = (address: string) => base58.decode(address).subarray(0, 21);

interface Reference {
  readonly block?: string;
  readonly hash?: string;
  readonly expiration?: bigint;
}

/** `raw_data_hex` of a transfer. Without a reference block it has zeros. */
export function transferTrx(
  from: string,
  sun: bigint,
  { block = '0000', hash = '00'.repeat(8), expiration = 1n }: Reference = {},
) {
  const contract = Buffer.concat([bytes(1, addressBytes(from)), bytes(2, addressBytes(RECEIVER)), integer(3, sun)]);
  const parameter = Buffer.concat([bytes(1, TYPE_URL), bytes(2, contract)]);
  return Buffer.concat([
    bytes(1, Buffer.from(block, 'hex')),
    bytes(4, Buffer.from(hash, 'hex')),
    integer(8, expiration),
    bytes(11, Buffer.concat([integer(1, 1n), bytes(2, parameter)])),
    integer(14, 1_700_000_000_000n),
  ]).toString('hex');
}

/** The parameters of a payment of one TRX. */
export const tronPayment = ({ chain }: TronLedger, from: string, unsignedTransaction = transferTrx(from, TRX)) => ({
  signWith: from,
  caip2: chain,
  unsignedTransaction,
});

/** Sends a payment, and returns the id of its status. */
export async function payTrx(caller: Caller, ledger: TronLedger, from: string, unsigned?: string): Promise<string> {
  return (await caller.result('tronSendTransaction', tronPayment(ledger, from, unsigned))).sendTransactionStatusId;
}

/** Adds blocks until a transaction has a state. */
export const reachTrx = (caller: Caller, ledger: TronLedger, id: string, state: string): Promise<Json> =>
  reach(caller, id, state, async () => ledger.advance(2));
