import { type Client, resultWhenApproved, type WaitOptions } from '@countersign/client';
import {
  AbstractSigner,
  assertArgument,
  getAddress,
  hashMessage,
  hexlify,
  type Provider,
  recoverAddress,
  resolveAddress,
  Signature,
  Transaction,
  type TransactionLike,
  type TransactionRequest,
  type TypedDataDomain,
  TypedDataEncoder,
  type TypedDataField,
  toUtf8Bytes,
} from 'ethers';

export interface SignerOptions {
  /** A client of the dialect `turnkey`: the specification has no typed data. */
  readonly client: Client<'turnkey'>;
  /** The address of the account. */
  readonly address: string;
  /** The id of the private key, where the address is not enough. */
  readonly signWith?: string;
  /** How long to wait for approvals. A signature that people have to approve takes as long as they do. */
  readonly wait?: WaitOptions;
}

type RawPayload = Parameters<Client<'turnkey'>['signRawPayload']>[0];

/** A signer of ethers. The service gets the transaction, message or typed data itself, so that policies and people can judge it. */
export class CountersignSigner extends AbstractSigner {
  readonly #options: SignerOptions;
  readonly address: string;

  constructor(options: SignerOptions, provider?: Provider | null) {
    super(provider ?? undefined);
    this.#options = options;
    this.address = getAddress(options.address);
  }

  async getAddress(): Promise<string> {
    return this.address;
  }

  connect(provider: Provider | null): CountersignSigner {
    return new CountersignSigner(this.#options, provider);
  }

  async signTransaction(request: TransactionRequest): Promise<string> {
    const { from, to, ...rest } = request;
    if (from != null) {
      const named = getAddress(await resolveAddress(from, this.provider));
      assertArgument(named === this.address, 'transaction from address mismatch', 'tx.from', from);
    }
    const receiver = to == null ? {} : { to: await resolveAddress(to, this.provider) };
    const { unsignedSerialized } = Transaction.from({ ...rest, ...receiver } as TransactionLike<string>);
    const { client, signWith = this.address, wait } = this.#options;
    const submitted = await client.signTransaction({
      signWith,
      unsignedTransaction: unsignedSerialized.slice(2),
      type: 'TRANSACTION_TYPE_ETHEREUM',
    });
    const { signedTransaction } = await resultWhenApproved(client, submitted, wait);
    const {
      serialized,
      from: signer,
      unsignedSerialized: content,
    } = Transaction.from(`0x${signedTransaction.replace(/^0x/, '')}`);
    if (content !== unsignedSerialized || signer !== this.address) throw mismatch(this.address);
    return serialized;
  }

  async signMessage(message: string | Uint8Array): Promise<string> {
    const content = typeof message === 'string' ? toUtf8Bytes(message) : message;
    // ERC-191, version 0x45. The service hashes it, so that it has the message.
    const prefix = toUtf8Bytes(`\x19Ethereum Signed Message:\n${content.length}`);
    const payload = `${hexlify(prefix).slice(2)}${hexlify(content).slice(2)}`;
    return this.#sign(hashMessage(content), payload, 'PAYLOAD_ENCODING_HEXADECIMAL', 'HASH_FUNCTION_KECCAK256');
  }

  async signTypedData(
    domain: TypedDataDomain,
    types: Record<string, TypedDataField[]>,
    value: Record<string, unknown>,
  ): Promise<string> {
    const resolved = await TypedDataEncoder.resolveNames(
      domain,
      types,
      value,
      (name) => resolveAddress(name, this.provider) as Promise<string>,
    );
    const payload = JSON.stringify(TypedDataEncoder.getPayload(resolved.domain, types, resolved.value));
    const digest = TypedDataEncoder.hash(resolved.domain, types, resolved.value);
    return this.#sign(digest, payload, 'PAYLOAD_ENCODING_EIP712', 'HASH_FUNCTION_NO_OP');
  }

  /** SECURITY: A71: accepts only a signature of this content by this address, even if `signWith` names another key. */
  async #sign(
    digest: string,
    payload: string,
    encoding: RawPayload['encoding'],
    hashFunction: RawPayload['hashFunction'],
  ): Promise<string> {
    const { client, signWith = this.address, wait } = this.#options;
    const submitted = await client.signRawPayload({ signWith, payload, encoding, hashFunction });
    const { r, s, v } = await resultWhenApproved(client, submitted, wait);
    const signature = Signature.from({ r: `0x${r}`, s: `0x${s}`, yParity: v === '01' ? 1 : 0 });
    if (recoverAddress(digest, signature) !== this.address) throw mismatch(this.address);
    return signature.serialized;
  }
}

const mismatch = (address: string) => new Error(`The service did not sign this for ${address}.`);
