import { beforeEach, expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { type Member, privateKeyParams } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, type Organization, outcomeOf, userIs } from './support.ts';
import { erc20Transfer, ethereumTransaction } from './transactions.ts';

const acme = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const stranger = `0x${'99'.repeat(20)}`;
const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const aave = '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2';
const approve = (spender: string, amount: bigint) => erc20Transfer(spender, amount).replace('0xa9059cbb', '0x095ea7b3');
const pay = (to: string, units: bigint) =>
  ethereumTransaction({ to: usdc, value: 0n, data: erc20Transfer(to, units * 1_000_000n) });

describeEngines('transactions that people can read', (subject) => {
  let organization: Organization;
  let user: Member;
  let signWith: string;
  let keyName: string;

  beforeEach(async () => {
    organization = await createOrganization(subject().service.root, { members: 1 });
    user = memberAt(organization, 0);
    const key = privateKeyParams('CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
    keyName = key.privateKeyName;
    const { privateKeys } = await organization.root.result('createPrivateKeys', { privateKeys: [key] });
    signWith = privateKeys[0].addresses[0].address;
    await organization.root.result('createContacts', { contacts: [{ label: 'Acme', address: acme, contactTags: ['vendors'] }] });
  });

  const transaction = (unsignedTransaction: string) => ({ signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' });
  const sign = (unsigned: string, caller = user.caller) => caller.submit('signTransaction', transaction(unsigned));

  async function read(unsigned: string): Promise<Json> {
    const parameters = transaction(unsigned);
    return organization.root.data('simulateActivity', { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', parameters });
  }

  test('a payment shows amount, receiver and maximum fee, before and after signing', async () => {
    const unsigned = pay(acme, 25_000n);
    const { parsed, description } = await read(unsigned);
    const paid = `send 25,000 USDC to "Acme" (${acme}) on Ethereum, network fee at most 0.0002 ETH`;
    const sentence = `${paid}, signed by the private key ${JSON.stringify(keyName)} (${signWith})`;
    expect(description).toBe(sentence);
    expect(parsed).toMatchObject({ description: sentence, fullyParsed: true, unparsed: [] });
    expect(parsed.effects).toMatchObject([
      { kind: 'TRANSFER', amount: '25000000000', units: '25000', to: acme.toLowerCase(), asset: { symbol: 'USDC', decimals: 6 } },
      { kind: 'FEE', amount: '200000000000000', units: '0.0002', asset: { id: 'eip155:1/slip44:60' } },
    ]);
    const { activity } = (await sign(unsigned, organization.root)).body;
    const kept = (await organization.root.data('getActivity', { activityId: activity.id })).activity;
    expect(kept.parsed).toEqual(parsed);
  });

  test('an unlimited allowance is shown in capitals', async () => {
    const { description } = await read(ethereumTransaction({ to: usdc, value: 0n, data: approve(stranger, 2n ** 256n - 1n) }));
    expect(description).toMatch(/^LET 0x9999\S+ SPEND UNLIMITED USDC on Ethereum/);
  });

  test('warns of an unknown call and of a contract that only looks like a token', async () => {
    const unknown = await read(ethereumTransaction({ to: stranger, value: 0n, data: `0x12345678${'00'.repeat(64)}` }));
    expect(unknown.description).toMatch(/68 bytes not understood: treat as dangerous/);
    const alike = await read(ethereumTransaction({ to: stranger, value: 0n, data: erc20Transfer(acme, 1n) }));
    expect(alike.parsed).toMatchObject({ fullyParsed: false });
    await organization.root.result('createTokens', {
      tokens: [{ asset: `eip155:1/erc20:${stranger}`, symbol: 'TST', decimals: 0 }],
    });
    const vouched = await read(ethereumTransaction({ to: stranger, value: 0n, data: erc20Transfer(acme, 1n) }));
    expect(vouched.parsed).toMatchObject({ fullyParsed: true });
    expect(vouched.description).toMatch(/^send 1 TST \(0x9999999999999999999999999999999999999999\) to "Acme"/);
  });

  test('a stored descriptor describes a call and hides nothing', async () => {
    const signature = 'supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)';
    const descriptor = {
      context: { contract: { deployments: [{ chainId: 1, address: aave }] } },
      metadata: { owner: 'Aave DAO' },
      display: {
        formats: {
          [signature]: {
            intent: 'Supply',
            fields: [{ path: 'amount', label: 'Amount', format: 'tokenAmount', params: { tokenPath: 'asset' } }],
          },
        },
      },
    };
    await organization.root.result('createSmartContractInterface', {
      smartContractAddress: aave,
      smartContractInterface: JSON.stringify(descriptor),
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ERC7730',
      label: 'Aave',
    });
    const word = (value: string) => value.replace('0x', '').padStart(64, '0');
    // The selector of supply(address,uint256,address,uint16).
    const data = `0x617ba037${word(usdc)}${word(5_000_000n.toString(16))}${word(stranger)}${word('0')}`;
    const { description } = await read(ethereumTransaction({ to: aave, value: 0n, data }));
    expect(description).toMatch(/Supply/);
    expect(description).toMatch(/5 USDC/);
    expect(description).toMatch(/0x9999/);
    expect(description).toMatch(/132 bytes not understood/);
  });

  test('policies can use effects, units, contacts and fees', async () => {
    const condition =
      "eth.tx.chain_id == 1 && tx.understood && tx.max_fee <= 0.01 ETH && effects.all(e, e.kind == 'FEE' || (e.kind == 'TRANSFER' && e.symbol == 'USDC' && e.amount <= 25_000 USDC && e.to in contacts.tagged('vendors')))";
    await createPolicy(organization.root, 'ALLOW', { condition, consensus: userIs(user) });
    expect(outcomeOf(await sign(pay(acme, 25_000n)))).toBe('200 COMPLETED');
    const refused = [
      pay(acme, 25_001n),
      pay(stranger, 1n),
      ethereumTransaction({ to: usdc, value: 0n, data: approve(acme, 1n) }),
      ethereumTransaction({ to: acme, value: 1n }),
      ethereumTransaction({ to: usdc, value: 0n, data: erc20Transfer(acme, 1n), chainId: 10n }),
    ];
    for (const unsigned of refused) expect(outcomeOf(await sign(unsigned))).toMatch(/^403/);
  });
});
