import type { Cost, ParsedTransaction, RawSignature, SigningRequest } from '@countersign/chains';
import type { TransactionTypeName } from '@countersign/contract';
import type { ChainClient } from '../chain-nodes/chain-client.ts';
import type { Broadcast } from './broadcast.ts';
import type { NewSend } from './new-send.ts';
import type { SendRecord } from './send-record.ts';
import type { Sending, SendingAccount } from './sending.ts';

/** What the nodes say about an account at one time. */
export interface AccountView {
  /** The next sequence number that the nodes expect, with what waits in their pools. 0 on a chain without sequence numbers. */
  readonly expected: number;
  /** The next state of a transaction. Pure. */
  next(send: SendRecord): SendRecord;
}

/** How the sender hands transactions of a kind of chain to nodes, and follows them to a final state. */
export interface FollowedChain {
  /** Whether a transaction can only be executed after those of its account with lower sequence numbers. */
  readonly isInSequence: boolean;
  /** Whether a final state needs a number of blocks. Otherwise the nodes tell which blocks are final. */
  readonly countsConfirmations: boolean;
  /** Handed to the nodes again after this time: a node may have dropped it. */
  readonly againMs: number;
  /**
   * Asks the nodes about an account and its transactions. Throws CHAIN_UNAVAILABLE or CHAIN_DISAGREEMENT, and then nothing changes.
   * INVARIANT: only the chain makes a transaction final that may be with a node, and a state that a reorganization can still take back is not
   * final.
   */
  view(client: ChainClient, account: string, sends: readonly SendRecord[], confirmations: number): Promise<AccountView>;
  /** Hands the same bytes to all endpoints. Repetition has no other effect. */
  broadcast(client: ChainClient, send: Pick<SendRecord, 'signed' | 'hash'>): Promise<Broadcast>;
  /** What users can do about a transaction that every node rejects, and that a node may have had before. Absent if it expires. */
  readonly rejectedLater?: string;
  /** The floor of an account after these transactions reached their states. */
  floor(floor: number, sends: readonly SendRecord[]): number;
}

/** The address of a key, and the parameters of a request to send. */
export interface SendRequest<Params> {
  readonly params: Params;
  /** The transactions of the account without a final state. */
  readonly account: SendingAccount;
  /** What approvers saw, if the activity was pending. */
  readonly planned: unknown;
}

/** How a request to send becomes a transaction, from what the nodes say about its account. */
export interface CompletedChain<Params, Facts, Completed> {
  readonly transactionType: TransactionTypeName;
  /** The parameter that names the key. */
  readonly signWith: keyof Params & string;
  /** The CAIP-2 name of the chain. */
  chainOf(params: Params): string;
  /** Whose transactions are sent in order, and counted together. */
  accountOf(params: Params, publicKey: Uint8Array): string;
  /** Throws ChainError for a transaction that the service can sign, and not send. Called before the nodes are asked. */
  requireSendable?(params: Params, parsed: ParsedTransaction): void;
  /**
   * Asks the nodes what the transaction needs. `planned` is what approvers saw, if the activity was pending. Throws ChainError for parameters
   * that cannot be sent.
   */
  readFacts(client: ChainClient, params: Params, planned: Completed | undefined, account: string): Promise<Facts>;
  /** SECURITY: D742: nothing about the account is known, and the plan cannot be executed. It only shows policies what was asked for. */
  readonly unread: Facts;
  /** Facts that are from before other transactions of the account became final are read again. */
  renewed(client: ChainClient, params: Params, facts: Facts, account: SendingAccount): Promise<Facts>;
  /**
   * Fills in what the caller left to the service.
   * INVARIANT: what the caller gave stays as it is, and nothing costs more than what approvers saw.
   */
  complete(request: SendRequest<Params>, facts: Facts, limits: Pick<Sending, 'maxFeePerGas'>): Completed;
  /**
   * What makes two transactions the same one on a chain without nonces: with equal bytes, only one of them can ever be executed. Absent on
   * chains where the nonce tells them apart.
   */
  sameBytes?(completed: Completed): string;
  /**
   * Signatures of the same key inside of the transaction. They are made after the request is allowed, and before the transaction is signed.
   * INVARIANT: D1002: with them the transaction reads as it did for policies, except for the signatures.
   */
  readonly signedFirst?: {
    requests(completed: Completed): readonly SigningRequest[];
    /** The unsigned transaction with the signatures. */
    insert(completed: Completed, signatures: readonly RawSignature[]): string;
  };
  /** Throws if the account cannot pay for the transaction and for those that are not in a block yet. */
  requireFunds(completed: Completed, facts: Facts, account: SendingAccount, cost: Cost): void;
  /** Fees that a sponsor pays. Absent on chains where the service sponsors none. */
  readonly sponsoring?: {
    isAskedFor(params: Params): boolean;
    /**
     * What the account lacks for the highest fee, in the smallest unit. Throws if it does not hold the amount itself.
     * INVARIANT: D912: at most the highest fee.
     */
    missing(completed: Completed, facts: Facts, account: SendingAccount): bigint;
  };
  /** The signed transaction as nodes take it, if it is signed in another form. */
  toBytes?(signed: string): string;
  /** What the sender needs to know of the transaction. */
  toFollow(
    completed: Completed,
    facts: Facts,
    cost: Cost,
  ): Pick<NewSend, 'nonce' | 'nonces' | 'maxCost' | 'lifetime' | 'spends' | 'replaces' | 'isCancellation'>;
}

/** One kind of chain to send on: everything that differs from the others. The table is in `send-chains.ts`. */
export interface SendChain<Params, Facts, Completed> extends FollowedChain, CompletedChain<Params, Facts, Completed> {}
