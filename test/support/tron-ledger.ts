import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58 } from '@scure/base';

interface Block {
  readonly id: string;
  readonly number: number;
  readonly timestamp: number;
}

interface Executed {
  readonly block: number;
  readonly isFailed: boolean;
}

/** A transfer as the bytes say it. */
interface Transfer {
  readonly id: string;
  readonly owner: string;
  readonly to: string;
  readonly amount: bigint;
  /** The contract of a token, in hexadecimal. Empty for TRX. */
  readonly token: string;
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  readonly expiration: number;
}

/**
 * A stand-in for a node of Tron, because no package has one. It knows transfers of TRX and of TRC-20 tokens, and verifies what a node verifies: the signature
 * and its owner, the txID, the reference block, the expiration, the balance, and that no transaction is executed twice.
 */
export interface TronLedger {
  /** CAIP-2 name. */
  readonly chain: string;
  /** The response to a request. */
  answer(path: string, body: Readonly<Record<string, unknown>>): unknown;
  /** Every transaction that was handed over, in hexadecimal. */
  readonly handed: string[];
  /** Whether transactions wait until `execute`. */
  isHolding: boolean;
  /** Blocks before this one are gone. */
  firstBlock: number;
  /** Adds to the balance in TRX, or in the token of a contract. */
  fund(address: string, amount: bigint, token?: string): void;
  balanceOf(address: string, token?: string): bigint;
  /** Adds blocks, three seconds apart. */
  advance(blocks: number): void;
  /** Executes what waits. */
  execute(): void;
}

const FINAL_AFTER = 19;
const BLOCK_MS = 3_000;
const DAY_MS = 86_400_000;

/** Prices of the main network, in sun. */
const prices = [
  { key: 'getEnergyFee', value: 100 },
  { key: 'getTransactionFee', value: 1_000 },
];

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** `chain` is the CAIP-2 name: the end of the id of the first block. */
export function createTronLedger({ chain }: { readonly chain?: string } = {}): TronLedger {
  const blocks: Block[] = [];
  const balances = new Map<string, bigint>();
  const executed = new Map<string, Executed>();
  let waiting: Transfer[] = [];

  function addBlock(): void {
    const number = blocks.length;
    const hash = sha256(Buffer.from(`block ${number} of this chain`)).toString('hex');
    const timestamp = number === 0 ? 1_700_000_000_000 : (blocks[number - 1] as Block).timestamp + BLOCK_MS;
    const id = number.toString(16).padStart(16, '0') + hash.slice(16);
    const isNamed = number === 0 && chain !== undefined;
    blocks.push({ id: isNamed ? id.slice(0, -8) + chain.slice(-8) : id, number, timestamp });
  }
  for (let count = 0; count < 100; count++) addBlock();
  const head = () => blocks.at(-1) as Block;
  const finalHead = () => blocks.at(-1 - FINAL_AFTER) as Block;
  const shown = ({ id, number, timestamp }: Block) => ({ blockID: id, block_header: { raw_data: { number, timestamp } } });

  const held = (owner: string, token: string) => balances.get(owner + token) ?? 0n;

  /** What is wrong with a transaction now. */
  function problem({ id, owner, amount, token, refBlockBytes, refBlockHash, expiration }: Transfer): string | undefined {
    if (executed.has(id)) return 'DUP_TRANSACTION_ERROR';
    if (expiration <= head().timestamp || expiration > head().timestamp + DAY_MS) return 'TRANSACTION_EXPIRATION_ERROR';
    const referred = blocks.findLast(({ id: block }) => block.slice(12, 16) === refBlockBytes);
    if (referred?.id.slice(16, 32) !== refBlockHash) return 'TAPOS_ERROR';
    if (held(owner, token) < amount) return 'CONTRACT_VALIDATE_ERROR';
    return undefined;
  }

  function run(transfer: Transfer): string | undefined {
    const wrong = problem(transfer);
    if (wrong !== undefined) return wrong;
    const { id, owner, to, amount, token } = transfer;
    balances.set(owner + token, held(owner, token) - amount);
    balances.set(to + token, held(to, token) + amount);
    executed.set(id, { block: head().number, isFailed: false });
    return undefined;
  }

  function broadcast(hex: string): unknown {
    ledger.handed.push(hex);
    const transfer = readTransfer(Buffer.from(hex, 'hex'));
    if (transfer === undefined) return { result: false, code: 'SIGERROR' };
    if (ledger.isHolding) waiting.push(transfer);
    const code = ledger.isHolding ? problem(transfer) : run(transfer);
    return code === undefined ? { result: true, txid: transfer.id } : { result: false, code, txid: transfer.id };
  }

  function info(id: string, upTo: Block): unknown {
    const found = executed.get(id);
    if (found === undefined || found.block > upTo.number) return {};
    return { id, blockNumber: found.block, receipt: { net_usage: 268 } };
  }

  const ledger: TronLedger = {
    chain: `tron:0x${(blocks[0] as Block).id.slice(-8)}`,
    handed: [],
    isHolding: false,
    firstBlock: 0,
    fund: (address, amount, token) => void balances.set(toHex(address) + contractHex(token), amount),
    balanceOf: (address, token) => held(toHex(address), contractHex(token)),
    advance(count) {
      for (let added = 0; added < count; added++) addBlock();
    },
    execute() {
      const now = waiting;
      waiting = [];
      for (const transfer of now) run(transfer);
    },
    answer(path, body) {
      if (path === '/wallet/getnowblock') return shown(head());
      if (path === '/walletsolidity/getnowblock') return shown(finalHead());
      if (path === '/wallet/getblockbynum') {
        const number = body.num as number;
        const block = number === 0 || number >= ledger.firstBlock ? blocks[number] : undefined;
        return block === undefined ? {} : shown(block);
      }
      if (path === '/wallet/getchainparameters') return { chainParameter: prices };
      if (path === '/wallet/getaccount') {
        const balance = ledger.balanceOf(body.address as string);
        return balance === 0n ? {} : { address: body.address, balance: Number(balance) };
      }
      if (path === '/wallet/triggerconstantcontract') {
        const balance = ledger.balanceOf(body.owner_address as string, body.contract_address as string);
        return { constant_result: [balance.toString(16).padStart(64, '0')] };
      }
      if (path === '/wallet/gettransactioninfobyid') return info(body.value as string, head());
      if (path === '/walletsolidity/gettransactioninfobyid') return info(body.value as string, finalHead());
      if (path === '/wallet/broadcasthex') return broadcast(body.transaction as string);
      return { Error: `no such method: ${path}` };
    },
  };
  return ledger;
}

const contractHex = (token: string | undefined) => (token === undefined ? '' : toHex(token));

const toHex = (address: string) => Buffer.from(base58.decode(address).subarray(0, 21)).toString('hex');

type Field = bigint | Buffer;

/** The fields of a protobuf message by number. Integers and byte strings only. */
function fieldsOf(bytes: Buffer): Map<number, Field> {
  const fields = new Map<number, Field>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('the message ends too early');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = varint();
    const isInteger = tag % 8 === 0;
    fields.set(tag >> 3, isInteger ? value : bytes.subarray(at, at + Number(value)));
    if (!isInteger) at += Number(value);
  }
  return fields;
}

const TRIGGER_SMART_CONTRACT = 31n;

/** What a contract moves: TRX, or a token with `transfer(address,uint256)`. */
function moved(type: bigint, fields: Map<number, Field>): Pick<Transfer, 'to' | 'amount' | 'token'> {
  const target = (fields.get(2) as Buffer).toString('hex');
  if (type !== TRIGGER_SMART_CONTRACT) return { to: target, amount: fields.get(3) as bigint, token: '' };
  const data = (fields.get(4) as Buffer).toString('hex');
  if (!data.startsWith('a9059cbb') || data.length !== 136) throw new Error('this node executes transfers of tokens only');
  return { to: `41${data.slice(32, 72)}`, amount: BigInt(`0x${data.slice(72)}`), token: target };
}

/** A signed transfer. Undefined if its signature is not that of its owner. */
function readTransfer(signed: Buffer): Transfer | undefined {
  const transaction = fieldsOf(signed);
  const [raw, signature] = [transaction.get(1) as Buffer, transaction.get(2) as Buffer];
  const digest = sha256(raw);
  const fields = fieldsOf(raw);
  const contract = fieldsOf(fields.get(11) as Buffer);
  const transfer = fieldsOf(fieldsOf(contract.get(2) as Buffer).get(2) as Buffer);
  const owner = (transfer.get(1) as Buffer).toString('hex');
  const recovered = secp256k1.Signature.fromBytes(signature.subarray(0, 64))
    .addRecoveryBit((signature[64] as number) - 27)
    .recoverPublicKey(digest);
  const address = `41${Buffer.from(keccak_256(recovered.toBytes(false).subarray(1)).subarray(12)).toString('hex')}`;
  if (address !== owner) return undefined;
  return {
    id: digest.toString('hex'),
    owner,
    ...moved(contract.get(1) as bigint, transfer),
    refBlockBytes: (fields.get(1) as Buffer).toString('hex'),
    refBlockHash: (fields.get(4) as Buffer).toString('hex'),
    expiration: Number(fields.get(8)),
  };
}
