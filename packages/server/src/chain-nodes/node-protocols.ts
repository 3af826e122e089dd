import type { WideJsonObject, WideJsonValue } from '@countersign/strict-json';
import { z } from 'zod';
import type { ChainNamespace } from '../config/chain-endpoints.ts';
import { EndpointError, NodeRejection } from './node-errors.ts';

/** How the nodes of a namespace (CAIP-2) are called, and how a node proves which chain it has. */
export interface NodeProtocol {
  readonly wire: NodeWire;
  readonly identity: {
    readonly method: string;
    readonly params: unknown;
    /** The CAIP-2 name of the node's chain, from its response. */
    readonly chain: z.ZodType<string>;
  };
}

/** How a call becomes an HTTP request, and a response its result. */
interface NodeWire {
  /** What is appended to the path of the URL. */
  path(method: string): string;
  body(method: string, params: unknown, id: number): unknown;
  /** The result. Throws NodeRejection for an error of the node, and EndpointError for what is not a response. */
  result(response: WideJsonValue, id: number): WideJsonValue;
}

const isObject = (value: WideJsonValue): value is WideJsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON-RPC 2.0, and 1.0 as Bitcoin Core speaks it: `result` and `error` are both present, and one of them is null. */
const jsonRpc: NodeWire = {
  path: () => '',
  body: (method, params, id) => ({ jsonrpc: '2.0', id, method, params }),
  result(response, id) {
    if (!isObject(response)) throw new EndpointError('INVALID_RESPONSE', 'its response is not a JSON-RPC object');
    if (response.id !== id) throw new EndpointError('INVALID_RESPONSE', 'its response has another id');
    const { error = null, result } = response;
    if (error === null) {
      if (result === undefined) throw new EndpointError('INVALID_RESPONSE', 'its response has neither a result nor an error');
      return result;
    }
    if (!isObject(error) || typeof error.code !== 'number' || !Number.isInteger(error.code))
      throw new EndpointError('INVALID_RESPONSE', 'its error is not a JSON-RPC error');
    throw new NodeRejection(error.code, typeof error.message === 'string' ? error.message : '', error.data);
  },
};

/** The HTTP interface of a Tron node: the method is a path such as `wallet/getaccount`, and the parameters are the body. */
const tronHttp: NodeWire = {
  path: (method) => `/${method}`,
  body: (_method, params) => params,
  result(response) {
    if (!isObject(response)) throw new EndpointError('INVALID_RESPONSE', 'its response is not a JSON object');
    if (typeof response.Error === 'string') throw new NodeRejection(0, response.Error, undefined);
    return response;
  },
};

/** CAIP-2 references have at most 32 characters, so hashes are cut (CAIP-4, CAIP-30). */
const REFERENCE_LENGTH = 32;

/** The chains that the service connects to, by CAIP-2 namespace. A namespace of the settings without an entry does not compile. */
export const nodeProtocols: { readonly [Name in ChainNamespace]: NodeProtocol } = {
  eip155: {
    wire: jsonRpc,
    identity: {
      method: 'eth_chainId',
      params: [],
      chain: z
        .string()
        .regex(/^0x[0-9a-fA-F]{1,16}$/)
        .transform((hex) => `eip155:${BigInt(hex)}`),
    },
  },
  solana: {
    wire: jsonRpc,
    identity: {
      method: 'getGenesisHash',
      params: [],
      chain: z
        .string()
        .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
        .transform((hash) => `solana:${hash.slice(0, REFERENCE_LENGTH)}`),
    },
  },
  bip122: {
    wire: jsonRpc,
    identity: {
      method: 'getblockhash',
      params: [0],
      chain: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .transform((hash) => `bip122:${hash.slice(0, REFERENCE_LENGTH)}`),
    },
  },
  tron: {
    wire: tronHttp,
    identity: {
      method: 'wallet/getblockbynum',
      params: { num: 0 },
      // The reference is the end of the hash of the first block, which is also the chain id of Tron's virtual machine.
      chain: z.object({ blockID: z.string().regex(/^[0-9a-f]{64}$/) }).transform(({ blockID }) => `tron:0x${blockID.slice(-8)}`),
    },
  },
};
