import { ChainError, readQuantity } from '@countersign/chains';
import type { JsonValue } from '@countersign/strict-json';
import { wrongParams } from './rpc-error.ts';

/** The parameters of `eth_send_transaction` that a call of `eth_sendTransaction` stands for, without its account. */
export type RpcPayment = Readonly<Record<'caip2' | 'to', string>> &
  Readonly<Partial<Record<'value' | 'data' | 'nonce' | 'gasLimit' | 'maxFeePerGas' | 'maxPriorityFeePerGas', string>>>;

type Fields = { readonly [name: string]: JsonValue };

const known = new Set(
  'from,to,value,data,input,nonce,gas,gasPrice,maxFeePerGas,maxPriorityFeePerGas,chainId,type,accessList'.split(','),
);

/** Fields that a transaction of the service does not have, with what to do instead. */
const notSent: Readonly<Record<string, string>> = {
  authorizationList: 'Delegations are not sent here. Sign them with eth_signTransaction, and hand the bytes to a node.',
  blobVersionedHashes: 'Blobs are not sent here. Sign them with eth_signTransaction, and hand the bytes to a node.',
  maxFeePerBlobGas: 'Blobs are not sent here. Sign them with eth_signTransaction, and hand the bytes to a node.',
};

/**
 * Reads the transaction of `eth_sendTransaction`. The service fills in nonce, gas and fees that are absent. A `gasPrice` is the most to pay
 * for each unit of gas. Throws RpcError.
 */
export function readPayment(value: JsonValue | undefined, pathChainId: bigint | undefined): RpcPayment {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongParams('The transaction must be an object.');
  const fields = Object.fromEntries(Object.entries(value as Fields).filter(([, each]) => each !== null));
  requireKnown(fields);
  const quantity = (name: string) => {
    const given = fields[name];
    return given === undefined ? undefined : readText(given, name);
  };
  const gasPrice = quantity('gasPrice');
  if (gasPrice !== undefined && (fields.maxFeePerGas !== undefined || fields.maxPriorityFeePerGas !== undefined))
    throw wrongParams('"gasPrice" and "maxFeePerGas" are two names of one limit. Send one of them.');
  const { to } = fields;
  if (to === undefined)
    throw wrongParams(
      '"to" is missing. Contracts are not created here: sign with eth_signTransaction, and hand the bytes to a node.',
    );
  const optional = {
    value: quantity('value'),
    data: dataIn(fields),
    nonce: quantity('nonce'),
    gasLimit: quantity('gas'),
    maxFeePerGas: quantity('maxFeePerGas') ?? gasPrice,
    maxPriorityFeePerGas: quantity('maxPriorityFeePerGas'),
  };
  return {
    caip2: `eip155:${chainIdIn(quantity('chainId'), pathChainId)}`,
    // The activity reports what is wrong with it.
    to: String(to),
    ...Object.fromEntries(Object.entries(optional).filter(([, each]) => each !== undefined)),
  };
}

function requireKnown(fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    if (Object.hasOwn(notSent, name)) throw wrongParams(`"${name}": ${notSent[name]}`);
    if (!known.has(name)) throw wrongParams(`The field "${name}" is unknown. Leave it out.`);
    if (name === 'accessList' && !(Array.isArray(value) && value.length === 0))
      throw wrongParams('"accessList" must be empty: the service sends transactions without access lists.');
    if (name === 'type' && !['0x0', '0x2'].includes(value as string))
      throw wrongParams('"type" must be absent or "0x2": the service chooses the type by the chain.');
  }
}

function readText(value: JsonValue, name: string): string {
  try {
    return String(readQuantity(value, name));
  } catch (error) {
    if (error instanceof ChainError) throw wrongParams(error.message, { cause: error });
    throw error;
  }
}

function dataIn({ data, input }: Fields): string | undefined {
  if (data !== undefined && input !== undefined && data !== input)
    throw wrongParams('"input" and "data" are two names of one field, and differ. Send one of them.');
  const given = data ?? input;
  if (given === undefined || (typeof given === 'string' && given.startsWith('0x'))) return given as string | undefined;
  throw wrongParams('"data" must be bytes in hexadecimal, beginning with 0x.');
}

function chainIdIn(named: string | undefined, inPath: bigint | undefined): string {
  if (named === undefined && inPath === undefined)
    throw wrongParams('"chainId" is missing. Name the chain in the transaction, or after the key in the URL.');
  if (named !== undefined && inPath !== undefined && named !== String(inPath))
    throw wrongParams(`"chainId" is ${named}, and the path is for chain ${inPath}.`);
  return named ?? String(inPath);
}
