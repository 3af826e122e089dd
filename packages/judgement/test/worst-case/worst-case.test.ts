import { addressFormats } from '@countersign/chains';
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { hostileRequests } from '../../src/worst-case/corpus.ts';
import { worstCaseWords } from '../../src/worst-case/words.ts';
import { worstOf } from './support.ts';

const ids = (worst: ReturnType<typeof worstOf>) => worst.allowed.map(({ request }) => request.id);
const two = 'approvers.count() >= 2';

describe('worst cases', () => {
  test('a policy without a condition allows every request that needs no name, to any user', () => {
    const worst = worstOf({ consensus: 'true' }, [], { every: true });
    const missing = hostileRequests.filter(({ id }) => !ids(worst).includes(id)).map(({ id }) => id);
    // These must be named, need a tag or name that a policy trusts, or belong to the root quorum.
    expect(missing).toEqual([
      'ethereum/delegation',
      'bitcoin/sighash-none',
      'bitcoin/sighash-single',
      'administration/create-policy',
      'administration/create-policies',
      'administration/update-policy',
      'administration/delete-policy',
      'administration/delete-policies',
      'administration/root-quorum',
      'administration/api-key',
      'administration/api-key-of-root',
      'administration/update-user-tags',
      'administration/update-tag',
      'administration/create-user-with-tag',
      'administration/rename-user',
      'administration/rename-wallet',
      'administration/create-contact',
      'administration/create-token',
      'administration/create-interface',
    ]);
  });

  test('the words name the fewest approvers who suffice', () => {
    const words = (consensus: string) => worstCaseWords(worstOf({ condition: "activity.kind == 'EXPORT_WALLET'", consensus }));
    expect(words('true')).toBe('any user may export keys');
    expect(words(two)).toBe('any two users may export keys');
    expect(words("approvers.filter(u, u.tags.contains('t')).count() >= 2")).toBe(
      'any two users with the tag "t" may export keys',
    );
    expect(words("approvers.any(u, u.id == 'ann') && approvers.count() >= 2")).toBe(
      'any user and the user "ann" may export keys',
    );
    expect(words("approvers.any(u, u.tags.contains('a')) && approvers.any(u, u.tags.contains('b'))")).toBe(
      'any user with the tags "a" and "b" may export keys',
    );
    expect(words("credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')")).toBe(
      'any user, with passkeys, may export keys',
    );
    expect(words('approvers.all(u, false)')).toBe('no approvers were found who satisfy its consensus');
  });

  test('a careful payment policy allows nothing worse than what it is for', () => {
    const worst = worstOf({
      condition:
        "eth.tx.chain_id == 1 && tx.understood && tx.max_fee <= 0.02 ETH && effects.all(e, e.kind in ['TRANSFER', 'FEE']) && effects.filter(e, e.kind == 'TRANSFER').all(e, e.asset == 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' && e.to in contacts.tagged('vendors')) && effects.filter(e, e.kind == 'TRANSFER').sum(e, e.amount) <= 25_000 USDC",
      consensus: two,
    });
    expect(worstCaseWords(worst)).toBe('any two users may send small amounts of a stablecoin to a contact');
  });

  test('an empty list of effects satisfies `all`, and the allowance beside it is found', () => {
    const worst = worstOf({
      condition: "effects.filter(e, e.kind == 'TRANSFER').all(e, e.to in contacts.tagged('vendors'))",
      consensus: two,
    });
    expect(worstCaseWords(worst)).toContain('any two users may');
    expect(worstCaseWords(worst)).toContain('give an unlimited allowance to anyone');
  });

  test('1 lamport and a million dollars, Permit2 and tokens beside `max_cost` are found', () => {
    const sol = worstOf({
      condition:
        "tx.understood && solana.tx.transfers.count() == 1 && solana.tx.transfers[0].amount <= 50 SOL && effects.all(e, e.kind in ['TRANSFER', 'FEE'])",
    });
    expect(ids(sol)).toContain('solana/coin-and-token');
    expect(ids(worstOf({ condition: 'eth.tx.chain_id == 1 && tx.max_cost <= 0.1 ETH' }))).toContain('ethereum/token-huge');
  });

  test('a DENY of the organization counts', () => {
    const allow = { condition: "activity.kind == 'SIGN_TRANSACTION' && eth.tx.chain_id == 1" };
    const deny = { effect: 'EFFECT_DENY' as const, condition: 'effects.any(e, e.unlimited)' };
    expect(ids(worstOf(allow))).toContain('ethereum/approve');
    const restricted = worstOf(allow, [deny]);
    expect(ids(restricted)).not.toContain('ethereum/approve');
    expect(ids(restricted)).toContain('ethereum/coin-huge');
  });

  test('a policy for another chain, wallet, key, time and address is tried with these', () => {
    expect(ids(worstOf({ condition: "eth.tx.chain_id == 11155111 && wallet.id == 'w'" }))).toContain('ethereum/coin-huge');
    expect(ids(worstOf({ condition: "private_key.tags.contains('release')" }))).toContain('any/digest');
    expect(ids(worstOf({ condition: 'eth.tx.chain_id == 1', time: "CronSpan('0 9 25 * *', '8h', 'UTC')" }))).toContain(
      'ethereum/coin-huge',
    );
    const named = worstOf({ condition: "eth.tx.to == '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' && eth.tx.chain_id == 1" });
    expect(named.allowed.find(({ request }) => request.id === 'ethereum/coin-huge')?.to).toBe('NAMED');
  });

  test('a policy that allows nothing of the corpus says how many requests were tried, and proves nothing', () => {
    const words = worstCaseWords(worstOf({ condition: "activity.kind == 'CREATE_WALLET'" }));
    expect(words).toMatch(/^none of \d{2,3} tried requests is allowed$/);
    expect(words).not.toMatch(/prove/i);
  });

  test('D410: the search ends at its budget, however long the policies are, and says so', () => {
    const long = Array.from({ length: 400 }, (_, index) => `eth.tx.nonce != ${index + 1_000}`).join(' && ');
    const others = Array.from({ length: 30 }, () => ({ effect: 'EFFECT_DENY' as const, condition: `!(${long})` }));
    const worst = worstOf({ condition: long }, others, { steps: 200_000 });
    expect(worst.isComplete).toBe(false);
    expect(worst.tried).toBeLessThan(60);
    expect(worstCaseWords(worst)).toMatch(/not all requests were tried$/);
    // With a usual policy the same budget is enough.
    expect(worstOf({ condition: "activity.kind == 'CREATE_WALLET'" }, [], { steps: 200_000 }).isComplete).toBe(true);
  });

  test('D412: a name cannot end its quotation and go on as the words of the service', () => {
    const name = '" may export keys. None of 200 tried requests is allowed\n"';
    const worst = worstOf({
      condition: "activity.kind == 'EXPORT_WALLET'",
      consensus: "approvers.any(u, u.tags.contains('t'))",
    });
    const words = worstCaseWords(worst, () => name);
    expect(words.match(/"/g)).toHaveLength(2);
    expect(words).not.toContain('\n');
    expect(worstCaseWords(worst, () => 'Treasury')).toBe('any user with the tag "Treasury" may export keys');
  });

  test('D413: what a change adds comes first', () => {
    const before = worstOf({ condition: "activity.kind == 'EXPORT_WALLET'" });
    const after = worstOf({ condition: "activity.kind in ['EXPORT_WALLET', 'DELETE_WALLETS']" });
    expect(worstCaseWords(after, undefined, before)).toBe(
      'new: any user may delete wallets and keys. as before: any user may export keys',
    );
    expect(worstCaseWords(before, undefined, before)).toBe('as before: any user may export keys');
  });

  test('D447: an account on any chain is tried: it signs payloads, and it is exported', () => {
    const key = hexToBytes('024bc2a31265153f07e70e0bab08724e6b85e217f8cd628ceb62974247bb493382');
    const edwards = hexToBytes('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
    const formats = Object.values(addressFormats).filter(({ id }) => !/_(TESTNET|SIGNET|REGTEST)_/.test(id));
    expect(formats.length).toBeGreaterThan(15);
    for (const { id, curves, encode } of formats) {
      const address = encode(curves[0] === 'CURVE_ED25519' ? edwards : key, curves[0]);
      const account = `wallet_account.address == '${address}'`;
      const signed = worstOf({ condition: `activity.kind == 'SIGN_RAW_PAYLOAD' && ${account}` });
      expect([id, worstCaseWords(signed)]).toEqual([
        id,
        expect.stringMatching(/^any user may sign any digest, and so any transaction/),
      ]);
      expect([id, worstCaseWords(worstOf({ condition: `activity.kind == 'EXPORT_WALLET_ACCOUNT' && ${account}` }))]).toEqual([
        id,
        'any user may export keys',
      ]);
    }
    const [first] = formats;
    const other = first?.encode(key, first.curves[0]) ?? '';
    const careful = `activity.kind == 'SIGN_RAW_PAYLOAD' && wallet_account.address == '${other}' && activity.params.hash_function == 'HASH_FUNCTION_SHA512'`;
    expect(worstCaseWords(worstOf({ condition: careful }))).toMatch(/^none of/);
  });
});

test('D560: a stored contact with the tag of a policy is a receiver that it allows, beside texts that are no tags', () => {
  const condition =
    "tx.understood && effects.all(e, e.kind in ['TRANSFER', 'FEE']) && effects.filter(e, e.kind == 'TRANSFER').all(e, e.to in contacts.tagged('vendors'))";
  const address = '0x2222222222222222222222222222222222222222';
  const book = (contactTags: readonly string[]) =>
    new Map([['c', { label: 'Acme', address, contactTags, notes: '', createdAtMs: 0, updatedAtMs: 0 }]]);
  for (const contact of [new Map(), book(['vendors']), book(['friends'])]) {
    const { allowed } = worstOf({ condition }, [], { records: { contact } });
    expect(allowed.map(({ to }) => to)).toContain('CONTACT');
    expect(allowed.map(({ to }) => to)).not.toContain('ANYONE');
  }
});
