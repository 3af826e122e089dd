import { bech32 } from '@scure/base';
import { beforeEach, expect, test } from 'vitest';
import {
  output,
  type Record as PsbtRecord,
  psbtOf,
  type RawInput,
  rawTransaction,
  txIdOf,
  witnessUtxo,
} from '../../../packages/chains/test/bitcoin/psbt-builder.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { type Member, privateKeyParams } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, type Organization, outcomeOf, userIs } from './support.ts';

const BTC = 100_000_000n;
const strangerHash = '33'.repeat(20);
const stranger = { script: `0014${strangerHash}`, words: [0, ...bech32.toWords(Buffer.from(strangerHash, 'hex'))] };
const strangerOn = (prefix: string) => bech32.encode(prefix, stranger.words);

const allowed = '200 COMPLETED';
const denied = expect.stringMatching(/^403 (POLICY_DENIED|REQUEST_NOT_AUTHORIZED)$/);

describeEngines('policies on Bitcoin transactions', (subject) => {
  let organization: Organization;
  let user: Member;
  let privateKeyId: string;
  let mainnet: string;
  let testnet: string;
  let script: string;

  beforeEach(async () => {
    organization = await createOrganization(subject().service.root, { members: 1 });
    user = memberAt(organization, 0);
    const formats = ['ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH', 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH'];
    const { privateKeys } = await organization.root.result('createPrivateKeys', {
      privateKeys: [privateKeyParams('CURVE_SECP256K1', formats)],
    });
    const addressOf = (wanted: string) =>
      privateKeys[0].addresses.find(({ format }: { format: string }) => format === wanted).address;
    privateKeyId = privateKeys[0].privateKeyId;
    [mainnet, testnet] = formats.map(addressOf) as [string, string];
    const [, ...words] = bech32.decode(mainnet as `${string}1${string}`).words;
    script = `0014${Buffer.from(bech32.fromWords(words)).toString('hex')}`;
  });

  const allow = (condition: string) => createPolicy(organization.root, 'ALLOW', { condition, consensus: userIs(user) });

  async function sign(signWith: string, unsignedTransaction: string): Promise<string> {
    const params = { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_BITCOIN' };
    // The specification has no Bitcoin transactions.
    return outcomeOf(await user.caller.with({ dialect: 'turnkey' }).submit('signTransaction', params));
  }

  /** A coin of 10 BTC that the key owns: the input, and the record that proves its amount. */
  function coin(salt: string): { readonly input: RawInput; readonly proof: PsbtRecord } {
    const previous = rawTransaction([{ txId: salt.repeat(32) }], [output(10n * BTC, script)]);
    return { input: { txId: txIdOf(previous), vout: 0 }, proof: ['00', previous] };
  }

  test('D78: a fee limit prevents signatures for two requests that each misstate the other input', async () => {
    await allow('bitcoin.tx.fee < 50000 && tx.fully_parsed');
    const [first, second] = [coin('a1'), coin('b2')];
    const lie = witnessUtxo(10_000n, script);
    const pay = [output(10n * BTC, stranger.script)];
    const lies = [
      [[first.input, first.proof] as const, [second.input, lie] as const],
      [[first.input, lie] as const, [second.input, second.proof] as const],
    ];
    for (const signWith of [mainnet, privateKeyId]) {
      for (const inputs of lies) expect(await sign(signWith, psbtOf(inputs, pay))).toEqual(denied);
    }
    const honest = [first, second].map(({ input, proof }) => [input, proof] as const);
    expect(await sign(mainnet, psbtOf(honest, pay))).toEqual(denied);
    expect(await sign(mainnet, psbtOf(honest, [output(20n * BTC - 10_000n, stranger.script)]))).toBe(allowed);
  });

  test('D80: a forbidden address is also forbidden in its encoding for another network', async () => {
    await allow('bitcoin.tx.outputs.count() > 0');
    const { input, proof } = coin('a1');
    const psbt = psbtOf([[input, proof]], [output(10n * BTC - 10_000n, stranger.script)]);
    for (const signWith of [mainnet, testnet]) expect(await sign(signWith, psbt)).toBe(allowed);
    for (const prefix of ['bc', 'tb', 'bcrt']) {
      const condition = `bitcoin.tx.outputs.any(o, o.address == '${strangerOn(prefix)}')`;
      const policyId = await createPolicy(organization.root, 'DENY', { condition });
      for (const signWith of [mainnet, testnet]) expect(await sign(signWith, psbt), prefix).toEqual(denied);
      await organization.root.result('deletePolicy', { policyId });
    }
  });

  test('D80: a policy with a mistyped Bitcoin address, or one of another chain, is refused', async () => {
    const address = strangerOn('bc');
    const mistyped = `${address.slice(0, -1)}${address.endsWith('q') ? 'p' : 'q'}`;
    for (const literal of [mistyped, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '']) {
      const condition = `bitcoin.tx.outputs.all(o, o.address == '${literal}')`;
      const params = { policyName: `Pay ${literal}`, effect: 'EFFECT_ALLOW', condition, notes: '' };
      expect(outcomeOf(await organization.root.submit('createPolicy', params)), literal).toBe('400 POLICY_INVALID');
    }
  });
});
