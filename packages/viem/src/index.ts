import { type Client, resultWhenApproved, type WaitOptions } from '@countersign/client';
import {
  concatHex,
  getTypesForEIP712Domain,
  type Hex,
  hashMessage,
  hashTypedData,
  isAddressEqual,
  keccak256,
  type LocalAccount,
  numberToHex,
  parseTransaction,
  recoverAddress,
  type Signature,
  serializeSignature,
  serializeTransaction,
  serializeTypedData,
  size,
  stringToHex,
  toHex,
  toRlp,
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
 * `sign` is for digests: policies cannot see what such a signature is for.
 */
export function toCountersignAccount({ client, address, signWith = address, wait }: AccountOptions): LocalAccount {
  /** SECURITY: A71: accepts only a signature of this content by this address, even if `signWith` names another key. */
  const requireOwn = async (hash: Hex, { r, s, yParity }: Signature) => {
    const signer = await recoverAddress({ hash, signature: { r, s, yParity: yParity as number } });
    if (!isAddressEqual(signer, address)) throw mismatch(address);
  };

  const signatureOf = async (
    hash: Hex,
    payload: string,
    encoding: RawPayload['encoding'],
    hashFunction: RawPayload['hashFunction'],
  ) => {
    const submitted = await client.signRawPayload({ signWith, payload, encoding, hashFunction });
    const { r, s, v } = await resultWhenApproved(client, submitted, wait);
    const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) } as const;
    await requireOwn(hash, signature);
    return signature;
  };

  return toAccount({
    address,
    async sign({ hash }) {
      return serializeSignature(await signatureOf(hash, hash.slice(2), 'PAYLOAD_ENCODING_HEXADECIMAL', 'HASH_FUNCTION_NO_OP'));
    },
    async signMessage({ message }) {
      const content = bytesOf(message);
      // ERC-191, version 0x45. The service hashes it, so that it has the message.
      const payload = `${stringToHex(`\x19Ethereum Signed Message:\n${size(content)}`)}${content.slice(2)}`.slice(2);
      const hash = hashMessage(message);
      return serializeSignature(await signatureOf(hash, payload, 'PAYLOAD_ENCODING_HEXADECIMAL', 'HASH_FUNCTION_KECCAK256'));
    },
    async signTransaction(transaction, { serializer = serializeTransaction } = {}) {
      const unsigned = (await serializer(transaction)) as Hex;
      const submitted = await client.signTransaction({
        signWith,
        unsignedTransaction: unsigned.slice(2),
        type: 'TRANSACTION_TYPE_ETHEREUM',
      });
      const { signedTransaction } = await resultWhenApproved(client, submitted, wait);
      const signed = `0x${signedTransaction.replace(/^0x/, '')}` as Awaited<ReturnType<LocalAccount['signTransaction']>>;
      const signature = signatureIn(signed);
      if (signature === undefined || (await serializer(transaction, signature)) !== signed) throw mismatch(address);
      await requireOwn(keccak256(unsigned), signature);
      return signed;
    },
    async signTypedData(typedData) {
      const { domain = {}, ...rest } = typedData as Parameters<typeof serializeTypedData>[0];
      // Without the type of the domain, viem would leave the domain out.
      const types = { EIP712Domain: getTypesForEIP712Domain({ domain }), ...rest.types };
      const payload = serializeTypedData({ ...rest, domain, types } as Parameters<typeof serializeTypedData>[0]);
      const hash = hashTypedData({ ...rest, domain, types } as Parameters<typeof hashTypedData>[0]);
      return serializeSignature(await signatureOf(hash, payload, 'PAYLOAD_ENCODING_EIP712', 'HASH_FUNCTION_NO_OP'));
    },
    async signAuthorization(authorization) {
      const { chainId, nonce } = authorization;
      const contract = authorization.contractAddress ?? authorization.address;
      if (contract === undefined) throw new TypeError('An authorization names a contract: give contractAddress.');
      const payload = JSON.stringify({ address: contract, chainId, nonce });
      const { r, s, yParity } = await signatureOf(
        authorizationHash(contract, chainId, nonce),
        payload,
        'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
        'HASH_FUNCTION_NO_OP',
      );
      return { address: contract, chainId, nonce, r, s, yParity };
    },
  });
}

const mismatch = (address: Hex) => new Error(`The service did not sign this for ${address}.`);

/** The signature in a signed transaction. Undefined if it is unsigned. */
function signatureIn(signed: Parameters<typeof parseTransaction>[0]): Signature | undefined {
  const { r, s, v, yParity } = parseTransaction(signed) as Partial<Record<'r' | 's', Hex>> & { v?: bigint; yParity?: number };
  if (r === undefined || s === undefined) return undefined;
  // EIP-155: an odd v is of an even y.
  const parity = yParity ?? (v === undefined || v % 2n === 1n ? 0 : 1);
  return { r, s, yParity: parity, ...(v !== undefined && { v }) } as Signature;
}

/** EIP-7702: keccak256(0x05 || rlp([chain_id, address, nonce])). */
function authorizationHash(contract: Hex, chainId: number, nonce: number): Hex {
  const quantity = (value: number): Hex => (value === 0 ? '0x' : numberToHex(value));
  return keccak256(concatHex(['0x05', toRlp([quantity(chainId), contract, quantity(nonce)])]));
}

function bytesOf(message: string | { readonly raw: Hex | Uint8Array }): Hex {
  if (typeof message === 'string') return stringToHex(message);
  return typeof message.raw === 'string' ? message.raw : toHex(message.raw);
}
