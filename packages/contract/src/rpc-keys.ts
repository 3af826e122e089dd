/** Where tools that speak JSON-RPC sign. The path continues with the key or wallet. */
export const RPC_PATH = '/rpc';

const PREFIX = 'csr_';
const TOKEN = /^csr_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[0-9a-f]{64}$/;

/** A token of the JSON-RPC endpoint. `randomHex` is 32 random bytes in hexadecimal. Register its SHA-256 with `create_rpc_keys`. */
export function rpcTokenOf(organizationId: string, randomHex: string): string {
  const token = `${PREFIX}${organizationId.toLowerCase().replaceAll('-', '')}${randomHex}`;
  if (TOKEN.test(token)) return token;
  throw new TypeError('a token is made of the id of an organization and 64 lower-case hexadecimal digits');
}

/** The organization that a token names; undefined if the text does not have the form of a token. */
export function organizationOfRpcToken(token: string): string | undefined {
  return TOKEN.exec(token)?.slice(1).join('-');
}

/**
 * The operations that an RPC key stamps.
 * SECURITY: D780: the vault builds their bodies and no others, so an RPC key never votes, creates credentials or signs in.
 */
export const rpcOperations = {
  activities: ['signTransaction', 'signRawPayload', 'ethSendTransaction'],
  queries: ['getActivity', 'getPrivateKey', 'getWalletAccount', 'listWalletAccounts'],
} as const;
