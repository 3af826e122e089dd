import { readFileSync } from 'node:fs';
import { type SignerKey, transactionTypes } from '@countersign/chains';
import { normalizers } from '@countersign/judgement';
import { compilePolicies, type DecisionRequest, decide, type PolicySource, type PolicyValue } from '@countersign/policy';
import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';

interface Corpus {
  readonly signer: { readonly publicKeyHex: string; readonly address: string };
  readonly transactions: readonly { readonly name: string; readonly unsignedTransaction: string }[];
}

const corpus: Corpus = JSON.parse(
  readFileSync(new URL('../../../conformance/transactions/solana.json', import.meta.url), 'utf8'),
);
const publicKey = Buffer.from(corpus.signer.publicKeyHex, 'hex');
const signer: SignerKey = { curve: 'CURVE_ED25519', publicKey: new Uint8Array(publicKey) };
const bob = { id: 'u-bob', tags: [], alias: 'bob' };

/** What policies decide about a real transaction, read by the service's own parser. */
function decided(unsigned: string, ...policies: readonly Omit<PolicySource, 'id'>[]): string {
  const parsed = transactionTypes.TRANSACTION_TYPE_SOLANA.parse(unsigned, { signer, interfaces: [] });
  const tx: PolicyValue = { fully_parsed: parsed.fullyParsed };
  const request: DecisionRequest = {
    approvers: [bob],
    credentials: [],
    activity: { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', kind: 'SIGN_TRANSACTION', resource: 'PRIVATE_KEY', action: 'SIGN' },
    namespaces: { tx, [parsed.namespace]: parsed.policy },
    now: 0,
    rootQuorum: { threshold: 1, userIds: [] },
    organizationUsers: new Map([[bob.id, bob]]),
  };
  const set = compilePolicies(
    policies.map((policy, index) => ({ ...policy, id: `p${index}` })),
    { normalizers },
  );
  return decide(set, request).outcome;
}

const allow = (condition: string) => ({ effect: 'EFFECT_ALLOW', condition }) as const;
const deny = (condition: string) => ({ effect: 'EFFECT_DENY', condition }) as const;
const anything = allow('solana.tx.instructions.count() > 0');

const vector = (name: string) => corpus.transactions.find((entry) => entry.name === name)?.unsignedTransaction as string;
const lookedUp = vector('version 0 message with an address lookup table');
const plain = vector('transfer, version 0 message');
/** Somebody whom nothing may be sent to. The lookup table may hold this address or not: nobody can tell. */
const BAD = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

describe('D39: policies on accounts from lookup tables', () => {
  test.each([
    ['a receiver of SOL', `solana.tx.transfers.any(t, t.to == '${BAD}')`],
    ['a receiver of tokens', `solana.tx.spl_transfers.any(t, t.to == '${BAD}')`],
    ['a token', `solana.tx.spl_transfers.any(t, t.token_mint == '${BAD}')`],
    ['an account of an instruction', `solana.tx.instructions.any(i, i.accounts.any(a, a.account_key == '${BAD}'))`],
    ['a named account', `solana.tx.instructions.any(i, i.parsed_instruction_data.named_accounts['destination'] == '${BAD}')`],
    ['an account of the message', `solana.tx.account_keys.contains('${BAD}')`],
    ['a list of receivers', `solana.tx.transfers.any(t, t.to in ['${BAD}', '${corpus.signer.address}'])`],
    ['the word for a looked-up account', "solana.tx.transfers.any(t, t.to == 'ADDRESS_TABLE_LOOKUP')"],
  ])('a DENY on %s denies, and lets a transaction pass that shows all accounts', (_, condition) => {
    expect(decided(lookedUp, anything)).toBe('ALLOW');
    expect(decided(lookedUp, anything, deny(condition))).toBe('DENY');
    expect(decided(plain, anything, deny(condition))).toBe('ALLOW');
  });

  test.each([
    ['a receiver', `solana.tx.transfers.all(t, t.to == '${BAD}')`],
    ['not a receiver', `solana.tx.transfers.all(t, t.to != '${BAD}')`],
    ['no account of the message', `!solana.tx.account_keys.contains('${BAD}')`],
    ['not the word for a looked-up account', "solana.tx.transfers.all(t, t.to != 'ADDRESS_TABLE_LOOKUP')"],
  ])('an ALLOW on %s does not allow', (_, condition) => {
    expect(decided(lookedUp, allow(condition))).toBe('DENY');
  });

  test('who pays the fee is always known', () => {
    expect(decided(lookedUp, allow(`solana.tx.fee_payer == '${corpus.signer.address}'`))).toBe('ALLOW');
  });
});

describe('D73: a small transfer with an enormous priority fee', () => {
  const u64 = (value: bigint) => Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
  const key = (text: string) => [...base58.decode(text)];

  /** One transfer of 1,000 lamports at a price for each of 1,400,000 compute units, written out byte by byte. */
  function transferAt(microLamports: bigint): string {
    const budget = 'ComputeBudget111111111111111111111111111111';
    const message = [
      ...[1, 0, 2, 4, ...publicKey, ...key(BAD), ...key('11111111111111111111111111111111'), ...key(budget)],
      ...new Array(32).fill(7),
      3,
      ...[3, 0, 5, 2, ...[0xc0, 0x5c, 0x15, 0]],
      ...[3, 0, 9, 3, ...u64(microLamports)],
      ...[2, 2, 0, 1, 12, 2, 0, 0, 0, ...u64(1_000n)],
    ];
    return Buffer.from([1, ...new Array(64).fill(0), ...message]).toString('hex');
  }

  const small = `tx.fully_parsed && solana.tx.transfers.count() == 1 && solana.tx.transfers.all(t, t.amount <= 1000)`;

  test('a policy that bounds the fee does not allow it', () => {
    const attack = transferAt(17_592_186_044_416n);
    expect(decided(attack, allow(small))).toBe('ALLOW');
    expect(decided(attack, allow(`${small} && solana.tx.max_fee <= 100000`))).toBe('DENY');
    expect(decided(attack, anything, deny('solana.tx.max_fee > 100000'))).toBe('DENY');
    expect(decided(transferAt(1_000n), allow(`${small} && solana.tx.max_fee <= 100000`))).toBe('ALLOW');
  });

  test('the bound is exact to a lamport', () => {
    // 1,400,000 units at 1,000,000 micro-lamports, and 5,000 for the signature.
    expect(decided(transferAt(1_000_000n), allow('solana.tx.max_fee == 1405000'))).toBe('ALLOW');
  });
});
