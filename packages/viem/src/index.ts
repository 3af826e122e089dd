import { type Client, resultWhenApproved, type WaitOptions } from '@countersign/client';
import {
  getTypesForEIP712Domain,
  type Hex,
  type LocalAccount,
  serializeSignature,
  serializeTransaction,
  serializeTypedData,
  size,
  stringToHex,
  toHex,
} from 'viem';
import { toAccount } from 'viem/accounts';

export interface AccountOptions {
  /** A client of the dialect `turnkey`: the specification has no typed data. */
  readonly client: Client<'turnkey'>;
  /** The address of the account. */
  readonly address: Hex;
  /** The id of the private key, where the address is not enough. */
  readonly signWith?: string;
  /** How long to wait for approvals. A signature that people have to approve takes as long as they do. */
  readonly wait?: WaitOptions;
}

type RawPayload = Parameters<Client<'turnkey'>['signRawPayload']>[0];

/**
 * A local account of viem. The service gets the transaction, message or typed data itself, so that policies and people can judge it.
 * `sign` is for digests: nobody can tell what such a signature is for.
 */
export function toCountersignAccount({ client, address, signWith = address, wait }: AccountOptions): LocalAccount {
  const signatureOf = async (payload: string, encoding: RawPayload['encoding'], hashFunction: RawPayload['hashFunction']) => {
    const submitted = await client.signRawPayload({ signWith, payload, encoding, hashFunction });
    const { r, s, v } = await resultWhenApproved(client, submitted, wait);
    return { r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) } as const;
  };

  return toAccount({
    address,
    async sign({ hash }) {
      return serializeSignature(await signatureOf(hash.slice(2), 'PAYLOAD_ENCODING_HEXADECIMAL', 'HASH_FUNCTION_NO_OP'));
    },
    async signMessage({ message }) {
      const content = bytesOf(message);
      // ERC-191, version 0x45. The service hashes it, so that it has the message.
      const payload = `${stringToHex(`\x19Ethereum Signed Message:\n${size(content)}`)}${content.slice(2)}`.slice(2);
      return serializeSignature(await signatureOf(payload, 'PAYLOAD_ENCODING_HEXADECIMAL', 'HASH_FUNCTION_KECCAK256'));
    },
    async signTransaction(transaction, { serializer = serializeTransaction } = {}) {
      const unsigned = (await serializer(transaction)) as Hex;
      const submitted = await client.signTransaction({
        signWith,
        unsignedTransaction: unsigned.slice(2),
        type: 'TRANSACTION_TYPE_ETHEREUM',
      });
      const { signedTransaction } = await resultWhenApproved(client, submitted, wait);
      return `0x${signedTransaction.replace(/^0x/, '')}` as Awaited<ReturnType<LocalAccount['signTransaction']>>;
    },
    async signTypedData(typedData) {
      const { domain = {}, ...rest } = typedData as Parameters<typeof serializeTypedData>[0];
      // Without the type of the domain, viem would leave the domain out.
      const types = { EIP712Domain: getTypesForEIP712Domain({ domain }), ...rest.types };
      const payload = serializeTypedData({ ...rest, domain, types } as Parameters<typeof serializeTypedData>[0]);
      return serializeSignature(await signatureOf(payload, 'PAYLOAD_ENCODING_EIP712', 'HASH_FUNCTION_NO_OP'));
    },
    async signAuthorization(authorization) {
      const { chainId, nonce } = authorization;
      const contract = authorization.contractAddress ?? authorization.address;
      if (contract === undefined) throw new TypeError('An authorization names a contract: give contractAddress.');
      const payload = JSON.stringify({ address: contract, chainId, nonce });
      const { r, s, yParity } = await signatureOf(payload, 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', 'HASH_FUNCTION_NO_OP');
      return { address: contract, chainId, nonce, r, s, yParity };
    },
  });
}

function bytesOf(message: string | { readonly raw: Hex | Uint8Array }): Hex {
  if (typeof message === 'string') return stringToHex(message);
  return typeof message.raw === 'string' ? message.raw : toHex(message.raw);
}
