import { createHash } from 'node:crypto';
import { TxEnvelopeEip1559 } from 'ox';
import { output, psbtOf, rawTransaction, txIdOf } from '../../packages/chains/test/bitcoin/psbt-builder.ts';
import { encode } from '../../packages/chains/test/ethereum/effects/support.ts';
import { buildTransaction, key as solanaKey } from '../../packages/chains/test/solana/message-builder.ts';
import { signer as solanaTestKey } from '../../packages/chains/test/solana/support.ts';
import { addressBytes, contract, type RawField, rawData, toHex } from '../../packages/chains/test/tron/wire-builder.ts';
import type { Caller, Json } from '../../test/support/caller.ts';
import { createPrivateKey, uniqueName } from '../../test/support/world.ts';

/** The parameters of a request that gives parsers much to do. */
export interface ParsingCase {
  readonly name: string;
  readonly activity: Parameters<Caller['submit']>[0];
  params(): object;
}

const CONTRACT = `0x${'12'.repeat(20)}`;
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

/** The requests at their limits, or just beyond them, in an organization that has keys and interfaces. */
export async function parsingCases(root: Caller): Promise<readonly ParsingCase[]> {
  const signWith = await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_TRON']);
  const { privateKey } = await root.data('getPrivateKey', { privateKeyId: signWith });
  const publicKey = Buffer.from(privateKey.publicKey, 'hex');
  const signer: Signer = { root, signWith, publicKey };
  return [
    ...typedData(signer),
    ...bitcoin(signer),
    ...tron(signer, privateKey),
    ...payloads(signer),
    ...interfaces(),
    ...(await stored(signer)),
  ];
}

interface Signer {
  readonly root: Caller;
  readonly signWith: string;
  readonly publicKey: Buffer;
}

function typedData({ signWith }: Signer): ParsingCase[] {
  let nonce = 0;
  const message =
    (type: string, list: readonly unknown[], more: object = {}) =>
    () => {
      const types = {
        M: [
          { name: 'list', type },
          { name: 'nonce', type: 'uint256' },
        ],
        ...more,
      };
      nonce += 1;
      const payload = JSON.stringify({ types, primaryType: 'M', domain: { name: 'x', chainId: 1 }, message: { list, nonce } });
      return { signWith, payload, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' };
    };
  const item = ['itemType', 'identifier', 'startAmount', 'endAmount'].map((name) => ({ name, type: 'uint256' }));
  const items = numbers(1_000).map((at) => ({ itemType: 1, identifier: at, startAmount: 1, endAmount: 2 }));
  const sign = (name: string, params: () => object): ParsingCase => ({ name, activity: 'signRawPayload', params });
  return [
    sign('typed data, 41,000 empty strings', message('string[]', Array(41_000).fill(''))),
    sign('typed data, 5,000 empty strings', message('string[]', Array(5_000).fill(''))),
    sign('typed data, 10,000 integers', message('uint8[]', Array(10_000).fill(1))),
    sign('typed data, 1,000 items of an order', message('Item[]', items, { Item: item })),
  ];
}

function bitcoin({ signWith, publicKey }: Signer): ParsingCase[] {
  const hash = createHash('ripemd160').update(createHash('sha256').update(publicKey).digest()).digest('hex');
  const script = `76a914${hash}88ac`;
  const spending = (count: number) =>
    numbers(count).map((vout) => {
      const paid = rawTransaction([{ vout }], [output(100_000n, script)]);
      return [{ txId: txIdOf(paid) }, ['00', paid] as const] as const;
    });
  const paying = numbers(2_300).map((at) => output(1_000n, `0014${at.toString(16).padStart(40, '3')}`));
  const [first] = spending(1);
  const records = numbers(40_000).map((at) => [`fc${at.toString(16).padStart(6, '0')}`, ''] as const);
  const sign = (name: string, unsignedTransaction: string): ParsingCase => ({
    name,
    activity: 'signTransaction',
    params: () => ({ signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_BITCOIN' }),
  });
  return [
    sign('PSBT, 500 legacy inputs, 2,300 outputs', psbtOf(spending(500), paying)),
    sign('PSBT, 40,000 records in one map', psbtOf(first === undefined ? [] : [[...first, ...records]])),
  ];
}

function tron({ signWith }: Signer, { addresses }: Json): ParsingCase[] {
  const address: string = addresses.find(({ format }: Json) => format === 'ADDRESS_FORMAT_TRON').address;
  const key: readonly RawField[] = [
    [1, addressBytes(address)],
    [2, 1n],
  ];
  const permission: readonly RawField[] = [[4, 1n], ...numbers(9_000).map(() => [7, key] as const)];
  const update = contract(46n, 'AccountPermissionUpdateContract', [
    [1, addressBytes(address)],
    [2, permission],
  ]);
  const unsignedTransaction = toHex(rawData([update]));
  const params = () => ({ signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_TRON' });
  return [{ name: 'Tron, 9,000 keys of a permission', activity: 'signTransaction', params }];
}

function payloads({ signWith }: Signer): ParsingCase[] {
  const more = { signWith, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' };
  return [
    {
      name: 'payload of 500,000 characters, Keccak-256',
      activity: 'signRawPayload',
      params: () => ({ ...more, payload: uniqueName('x'.repeat(500_000)) }),
    },
    {
      name: '1,000 payloads of 900 characters, Keccak-256',
      activity: 'signRawPayloads',
      params: () => ({ ...more, payloads: Array(1_000).fill(uniqueName('x'.repeat(900))) }),
    },
  ];
}

function interfaces(): ParsingCase[] {
  const create = (name: string, functions: number): ParsingCase => ({
    name,
    activity: 'createSmartContractInterface',
    params: () => abiParams(functions),
  });
  return [create('ABI with 11,000 functions', 11_000), create('ABI with 1,000 functions', 1_000)];
}

let contracts = 0;
function abiParams(functions: number) {
  contracts += 1;
  return {
    smartContractAddress: `0x${contracts.toString(16).padStart(40, 'a')}`,
    smartContractInterface: JSON.stringify(numbers(functions).map((at) => ({ type: 'function', name: `f${at}` }))),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: uniqueName('ABI'),
  };
}

/** Requests that stored interfaces decode. */
async function stored({ root, signWith }: Signer): Promise<ParsingCase[]> {
  const program = solanaKey(9);
  const idl = {
    instructions: [
      { name: 'f', discriminator: [7], accounts: [], args: [{ name: 'x', type: { array: [{ defined: 'E' }, 2_000] } }] },
    ],
    types: [{ name: 'E', type: { kind: 'struct', fields: [] } }],
  };
  const fields = Array(20).fill({ path: '#.', fields: Array(100).fill({ path: '#.list.[]', label: 'To' }) });
  const descriptor = {
    context: { contract: { deployments: [{ chainId: 1, address: CONTRACT }] } },
    display: { formats: { 'f(uint256[] list)': { intent: 'Pay', fields } } },
  };
  const store = (type: string, smartContractAddress: string, json: object) =>
    root.result('createSmartContractInterface', {
      smartContractAddress,
      smartContractInterface: JSON.stringify(json),
      type: `SMART_CONTRACT_INTERFACE_TYPE_${type}`,
      label: uniqueName('Interface'),
    });
  await store('SOLANA', program, idl);
  await store('ERC7730', CONTRACT, descriptor);
  const solanaSigner = await createPrivateKey(root, 'CURVE_ED25519', ['ADDRESS_FORMAT_SOLANA']);
  const { privateKey } = await root.data('getPrivateKey', { privateKeyId: solanaSigner });
  const empties = buildTransaction({
    otherKeys: [solanaKey(1), program],
    instructions: numbers(250).map(() => ({ program: 2, data: [7] })),
  }).replace(Buffer.from(solanaTestKey.publicKey).toString('hex'), privateKey.publicKey);
  const transaction = (name: string, type: string, signWith: string, unsignedTransaction: string): ParsingCase => ({
    name,
    activity: 'signTransaction',
    params: () => ({ signWith, unsignedTransaction, type: `TRANSACTION_TYPE_${type}` }),
  });
  return [
    transaction('Solana, 250 instructions without content', 'SOLANA', solanaSigner, empties),
    transaction('descriptor with 2,000 fields, list of 1,000', 'ETHEREUM', signWith, listCall(1_000)),
  ];
}

/** An unsigned call with a long list, which a descriptor describes. */
function listCall(length: number): string {
  const fees = { gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
  const data = encode('function f(uint256[] list)', [numbers(length).map(BigInt)]);
  return TxEnvelopeEip1559.serialize(
    TxEnvelopeEip1559.from({ chainId: 1, nonce: 0n, to: CONTRACT as `0x${string}`, data, ...fees }),
  );
}
