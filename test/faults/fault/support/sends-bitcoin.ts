import { setTimeout as sleep } from 'node:timers/promises';
import { Transaction } from '@scure/btc-signer';
import { type BitcoinAccount, bitcoinAccount, COIN, FEE, serveBitcoin } from '../../../features/sending/bitcoin-support.ts';
import { type BitcoinLedger, createBitcoinLedger, type UnspentCoin } from '../../../support/bitcoin-ledger.ts';
import type { Caller } from '../../../support/caller.ts';
import type { RawDatabase } from '../../../support/raw-database.ts';
import { type PaidChain, type SendsFound, stillOpen } from './sends-chain.ts';
import { FinalStates } from './sends-checker.ts';
import type { Requests } from './sends-requests.ts';
import { oneOf } from './workload.ts';

/** A payment that the service acknowledged. */
interface Payment {
  readonly account: BitcoinAccount;
  readonly outpoint: string;
  /** Nobody else pays this script. */
  readonly to: string;
  readonly value: bigint;
  readonly activityId: string;
}

interface Outputs {
  readonly to: string;
  readonly value: bigint;
  readonly fee: bigint;
}

const COINS = 8;
/** The share of payments whose coin something else with the same key tries to spend. */
const SPENT_ELSEWHERE = 0.15;
/** The share of payments whose coin a second request, under another name, tries to spend as well. */
const SPENT_TWICE = 0.3;
const BLOCK_MS = 1_000;
const REORGANIZED = 0.1;

const nameOf = ({ txid, index }: Pick<UnspentCoin, 'txid' | 'index'>) => `${txid}:${index}`;
const scriptOf = (number: number) => `0014${(0xfee0_0000_0000 + number).toString(16).padStart(40, '0')}`;

/** The stand-in for a node of Bitcoin, with a block each second, and some that are replaced. Payments give their change back to the account. */
export async function paidBitcoin(): Promise<PaidChain> {
  const ledger = createBitcoinLedger();
  const server = await serveBitcoin(ledger);
  let blocks: NodeJS.Timeout | undefined;
  const load = new BitcoinLoad(ledger);
  return {
    environment: {
      COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({ [ledger.chain]: [server.url] }),
      COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
      COUNTERSIGN_SEND_CONFIRMATIONS: '2',
    },
    async prepare(root, accounts) {
      await load.prepare(root, accounts);
      // The first coins stay: nothing hands their transactions over again.
      ledger.mine(1);
      blocks = setInterval(() => (Math.random() < REORGANIZED ? ledger.reorganize(1) : ledger.mine(1)), BLOCK_MS);
    },
    pay: (requests) => load.pay(requests),
    get replaced() {
      return load.spentElsewhere.size;
    },
    check: (root, raw) => load.check(root, raw),
    async close() {
      clearInterval(blocks);
      await server.close();
    },
  };
}

class BitcoinLoad {
  readonly #ledger: BitcoinLedger;
  #accounts: readonly BitcoinAccount[] = [];
  readonly #payments: Payment[] = [];
  /** Coins of requests that have no answer yet, and of payments. */
  readonly #taken = new Set<string>();
  readonly spentElsewhere = new Set<string>();
  #number = 0;

  constructor(ledger: BitcoinLedger) {
    this.#ledger = ledger;
  }

  async prepare(root: Caller, accounts: number): Promise<void> {
    this.#accounts = await Promise.all(Array.from({ length: accounts }, () => bitcoinAccount(root, this.#ledger)));
    for (const account of this.#accounts) for (let coins = 0; coins < COINS; coins++) account.newCoin();
  }

  async pay(requests: Requests): Promise<void> {
    const account = oneOf(this.#accounts);
    // Change of earlier payments is among them as soon as a block contains it.
    const free = this.#ledger
      .coinsOf(account.script)
      .filter((each) => each.satoshis > 4n * FEE && !this.#taken.has(nameOf(each)));
    const coin = free.at(Math.floor(Math.random() * free.length));
    if (coin === undefined) return;
    this.#taken.add(nameOf(coin));
    const attempts = [this.#send(requests, account, coin)];
    if (Math.random() < SPENT_TWICE) attempts.push(this.#send(requests, account, coin));
    const made = (await Promise.all(attempts)).filter((payment) => payment !== undefined);
    this.#payments.push(...made);
    if (made.length > 0 && Math.random() < SPENT_ELSEWHERE) this.#spendElsewhere(account, coin);
    // No server took it, because the coin was in no block for a moment.
    if (made.length === 0) this.#taken.delete(nameOf(coin));
  }

  async #send(requests: Requests, account: BitcoinAccount, coin: UnspentCoin): Promise<Payment | undefined> {
    this.#number += 1;
    const value = COIN / 100n + BigInt(this.#number % 500);
    const to = scriptOf(this.#number);
    const idempotencyKey = `payment-${this.#number}`;
    const params = { ...this.#payment(account, [coin], { to, value, fee: FEE }), idempotencyKey };
    // A coin that another request spends is refused.
    const activityId = await requests.untilAcknowledged(
      'bitcoinSendTransaction',
      params,
      (code) => code === 'PRECONDITION_FAILED',
    );
    return activityId === undefined ? undefined : { account, outpoint: nameOf(coin), to, value, activityId };
  }

  /** Pays from coins. The rest is the change. */
  #payment({ address, script }: BitcoinAccount, coins: readonly UnspentCoin[], { to, value, fee }: Outputs) {
    const transaction = new Transaction();
    for (const { txid, index, satoshis } of coins)
      transaction.addInput({ txid, index, witnessUtxo: { script: Buffer.from(script, 'hex'), amount: satoshis } });
    const change = coins.reduce((sum, { satoshis }) => sum + satoshis, 0n) - value - fee;
    transaction.addOutput({ script: Buffer.from(to, 'hex'), amount: value });
    if (change > 0n) transaction.addOutput({ script: Buffer.from(script, 'hex'), amount: change });
    const unsignedTransaction = Buffer.from(transaction.toPSBT(0)).toString('hex');
    return { signWith: address, caip2: this.#ledger.chain, unsignedTransaction };
  }

  #spendElsewhere({ script }: BitcoinAccount, coin: UnspentCoin): void {
    if (!this.#ledger.coinsOf(script).some((each) => nameOf(each) === nameOf(coin))) return;
    this.#ledger.spendElsewhere(coin.txid, coin.index);
    this.spentElsewhere.add(nameOf(coin));
  }

  /**
   * Every payment has one final state, and its receiver has the amount once, or nothing if its coin was spent elsewhere. No two signatures spend one coin, and what an account
   * has left, its change, can be spent.
   */
  async check(root: Caller, raw: RawDatabase): Promise<SendsFound> {
    const final = new FinalStates(root);
    const { violations } = final;
    const payers = new Map<string, string[]>();
    let cancelled = 0;
    for (const { outpoint, to, value, activityId } of this.#payments) {
      const { activity } = await root.data('getActivity', { activityId });
      const { sendTransactionStatusId: id } = activity.result.bitcoinSendTransactionResult;
      const { txStatus, txError = '' } = await final.of(id);
      payers.set(outpoint, [...(payers.get(outpoint) ?? []), id]);
      const mayEnd = txStatus === 'COMPLETED' || (txStatus === 'CANCELLED' && this.spentElsewhere.has(outpoint));
      if (!mayEnd) violations.push(`${id} is ${txStatus}: ${txError}`);
      if (txStatus === 'CANCELLED') cancelled += 1;
      const received = this.#ledger.balanceOf(to);
      const due = txStatus === 'COMPLETED' ? value : 0n;
      if (received !== due) violations.push(`${to} received ${received} instead of ${due}`);
    }
    for (const [outpoint, ids] of payers) if (ids.length > 1) violations.push(`${ids} all spend ${outpoint}`);
    violations.push(...this.#handedTwice());
    for (const account of this.#accounts) violations.push(...(await this.#spendRest(root, final, account)));
    await final.again();
    return { payments: this.#payments.length, cancelled, violations: [...violations, ...(await stillOpen(raw))] };
  }

  /** Coins for which the service handed two transactions to the node. Only the first can be in a block. */
  #handedTwice(): readonly string[] {
    const spenders = new Map<string, Set<string>>();
    for (const { id, inputs } of this.#ledger.handed.map(this.#ledger.read))
      for (const outpoint of inputs) spenders.set(outpoint, (spenders.get(outpoint) ?? new Set()).add(id));
    return [...spenders].filter(([, ids]) => ids.size > 1).map(([outpoint, ids]) => `${[...ids]} all spend ${outpoint}`);
  }

  /** Pays everything that an account has left to one receiver. */
  async #spendRest(root: Caller, final: FinalStates, account: BitcoinAccount): Promise<readonly string[]> {
    const { script, address } = account;
    for (const untilMs = Date.now() + 60_000; ; await sleep(200)) {
      const coins = this.#ledger.coinsOf(script).slice(0, 50);
      const rest = coins.reduce((sum, { satoshis }) => sum + satoshis, 0n);
      if (rest <= 2n * FEE) return [];
      this.#number += 1;
      const to = scriptOf(this.#number);
      // About 70 virtual bytes for each input.
      const fee = FEE + BigInt(coins.length) * 200n;
      const params = this.#payment(account, coins, { to, value: rest - fee, fee });
      const { status, body } = await root.submit('bitcoinSendTransaction', params);
      // A coin is in no block for a moment while a reorganization replaces the newest one.
      if (status !== 200 && Date.now() < untilMs) continue;
      if (status !== 200) return [`the rest of ${address} cannot be spent: ${body.message}`];
      const { activity } = await root.data('getActivity', { activityId: body.activity.id });
      const { txStatus } = await final.of(activity.result.bitcoinSendTransactionResult.sendTransactionStatusId);
      const left = this.#ledger.balanceOf(script);
      const isSpent = txStatus === 'COMPLETED' && this.#ledger.balanceOf(to) > 0n;
      if (!isSpent || left >= rest) return [`the rest of ${address} is ${txStatus}, and ${left} satoshis are left`];
    }
  }
}
