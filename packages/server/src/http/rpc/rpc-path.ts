import { RPC_PATH, ServiceError } from '@countersign/contract';

/** What the path of a request names. */
export interface RpcTarget {
  /** Required with a client certificate. A token names its organization itself. */
  readonly organizationId: string | undefined;
  /** A wallet, a private key, an account or an address. */
  readonly key: string;
  /** The network that the caller works on. */
  readonly chainId: bigint | undefined;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PATH = new RegExp(`^(?:/(${UUID}))??/(${UUID}|0x[0-9a-f]{40})(?:/([1-9][0-9]{0,18}))?/?$`, 'i');

export function isRpcPath(path: string): boolean {
  return path === RPC_PATH || path.startsWith(`${RPC_PATH}/`);
}

/** Reads `/rpc/[<organization>/]<key>[/<chain id>]`. Throws PATH_NOT_FOUND for another form. */
export function readRpcPath(path: string): RpcTarget {
  const [, organizationId, key, chainId] = PATH.exec(path.slice(RPC_PATH.length)) ?? [];
  if (key === undefined)
    throw new ServiceError(
      'PATH_NOT_FOUND',
      `The path must be ${RPC_PATH}/<wallet, private key, account or address>, with the chain id after it if the tool asks for one, such as ${RPC_PATH}/<wallet>/1. Requests with a client certificate have the id of the organization before the key.`,
    );
  return {
    organizationId: organizationId?.toLowerCase(),
    key: key.startsWith('0x') ? key : key.toLowerCase(),
    chainId: chainId === undefined ? undefined : BigInt(chainId),
  };
}
