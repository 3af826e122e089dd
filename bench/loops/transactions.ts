import { createECDH } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ContractInterface, type SignerKey, type TransactionType, transactionTypes } from '@countersign/chains';

/** An unsigned transaction and what reading it needs. */
export interface Transaction {
  readonly type: TransactionType;
  readonly name: string;
  readonly unsigned: string;
  readonly signer: SignerKey;
  readonly interfaces: readonly ContractInterface[];
}

/** The transactions of the conformance suite, of every type. */
export function readTransactions(): readonly Transaction[] {
  return [...ethereum(), ...solana(), ...solanaWithInterfaces(), ...tron(), ...bitcoin()];
}

function ethereum(): Transaction[] {
  interface Entry extends Pick<Transaction, 'name' | 'unsigned' | 'interfaces'> {
    readonly secretKey: string;
  }
  const type = transactionTypes.TRANSACTION_TYPE_ETHEREUM;
  return read<readonly Entry[]>('ethereum.json').map(({ name, unsigned, interfaces, secretKey }) => ({
    type,
    name,
    unsigned,
    interfaces,
    signer: secp256k1Signer(secretKey),
  }));
}

/** The common shape of the other chains' files. */
interface Entries<Signer, Extra = unknown> {
  readonly signer: Signer;
  readonly transactions: readonly ({ readonly name: string; readonly unsignedTransaction: string } & Extra)[];
}

function solanaSigner(): SignerKey {
  const { publicKeyHex } = read<Entries<{ readonly publicKeyHex: string }>>('solana.json').signer;
  return { curve: 'CURVE_ED25519', publicKey: new Uint8Array(Buffer.from(publicKeyHex, 'hex')) };
}

function solana(): Transaction[] {
  const type = transactionTypes.TRANSACTION_TYPE_SOLANA;
  const signer = solanaSigner();
  return read<Entries<unknown>>('solana.json').transactions.map(({ name, unsignedTransaction: unsigned }) => ({
    type,
    name,
    unsigned,
    signer,
    interfaces: [],
  }));
}

function solanaWithInterfaces(): Transaction[] {
  type File = Entries<unknown, { readonly idl: string }> & {
    readonly program: string;
    readonly interfaces: Readonly<Record<string, unknown>>;
  };
  const { program: address, interfaces, transactions } = read<File>('solana-idl.json');
  const type = transactionTypes.TRANSACTION_TYPE_SOLANA;
  const signer = solanaSigner();
  return transactions.map(({ name, unsignedTransaction: unsigned, idl }) => ({
    type,
    name: `with an interface, ${name}`,
    unsigned,
    signer,
    interfaces: [{ kind: 'solana', address, json: JSON.stringify(interfaces[idl]) }],
  }));
}

function tron(): Transaction[] {
  const { signer, transactions } = read<Entries<{ readonly secretKeyHex: string }>>('tron.json');
  const type = transactionTypes.TRANSACTION_TYPE_TRON;
  const key = secp256k1Signer(signer.secretKeyHex);
  return transactions.map(({ name, unsignedTransaction: unsigned }) => ({ type, name, unsigned, signer: key, interfaces: [] }));
}

function bitcoin(): Transaction[] {
  type File = Entries<{ readonly secretKeyHex: string }, { readonly addressFormat: string }>;
  const { signer, transactions } = read<File>('bitcoin.json');
  const type = transactionTypes.TRANSACTION_TYPE_BITCOIN;
  return transactions.map(({ name, unsignedTransaction: unsigned, addressFormat }) => ({
    type,
    name,
    unsigned,
    signer: { ...secp256k1Signer(signer.secretKeyHex), addressFormat },
    interfaces: [],
  }));
}

function secp256k1Signer(secretKeyHex: string): SignerKey {
  const pair = createECDH('secp256k1');
  pair.setPrivateKey(secretKeyHex, 'hex');
  return { curve: 'CURVE_SECP256K1', publicKey: new Uint8Array(pair.getPublicKey(null, 'compressed')) };
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`../../conformance/transactions/${file}`, import.meta.url), 'utf8')) as T;
}
