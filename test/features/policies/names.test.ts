import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { errorOf, privateKeyParams, userParams } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, outcomeOf, userIs } from './support.ts';
import { erc20Transfer, ethereumTransaction } from './transactions.ts';

const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const wbtc = '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599';
const dai = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
const stranger = `0x${'99'.repeat(20)}`;
const newAddress = () => `0x${randomBytes(20).toString('hex')}`;
const runAbi = JSON.stringify([
  { type: 'function', name: 'run', inputs: [{ name: 'amount', type: 'uint256' }], outputs: [], stateMutability: 'nonpayable' },
]);
const ethereumAccount = {
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
};
/** run(7) */
const run = `0xa444f5e9${'7'.padStart(64, '0')}`;

describeEngines('names keep their meaning', (subject) => {
  const organization = (members = 0) => createOrganization(subject().service.root, { members });
  const contact = (label: string) => ({ label, address: newAddress() });
  const token = (address: string, symbol: string, decimals = 18) => ({ asset: `eip155:1/erc20:${address}`, symbol, decimals });

  test.each([
    ['D455: USDC with 18 decimals', usdc, 'USDC', 'tokens.0.asset'],
    ['D455: WBTC named USDC', wbtc, 'USDC', 'tokens.0.asset'],
    ['D455: DAI named ETH', dai, 'ETH', 'tokens.0.asset'],
    ['D456: a stranger named USDC', stranger, 'USDC', 'tokens.0.symbol'],
    ['D456: a stranger named eth', stranger, 'eth', 'tokens.0.symbol'],
    ['D456: a stranger named L1NK', stranger, 'L1NK', 'tokens.0.symbol'],
  ])('%s is rejected', async (_, address, symbol, field) => {
    const { root } = await organization();
    const refusal = errorOf(await root.submit('createTokens', { tokens: [token(address, symbol)] }));
    expect(refusal).toMatchObject({ status: 400, code: 'REQUEST_INVALID', fields: [field] });
  });

  test('D457, D463: a sentence names the network, the wallet and the contract of a listed token', async () => {
    const { root } = await organization();
    await root.result('createTokens', { tokens: [token(stranger, 'FOO', 6)] });
    const again = errorOf(await root.submit('createTokens', { tokens: [token(newAddress(), 'F0O')] }));
    expect(again).toMatchObject({ status: 400, fields: ['tokens.0.symbol'] });
    const { addresses } = await root.result('createWallet', {
      walletName: 'Treasury "main"',
      accounts: [ethereumAccount],
    });
    const read = async (chainId: bigint) => {
      const unsignedTransaction = ethereumTransaction({ to: stranger, value: 0n, data: erc20Transfer(usdc, 10n ** 9n), chainId });
      const parameters = { signWith: addresses[0], unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
      return (await root.data('simulateActivity', { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', parameters })).description;
    };
    const signed = `, signed by the wallet "Treasury \\"main\\"" (${addresses[0]})`;
    expect(await read(1n)).toBe(
      `send 1,000 FOO (0x9999999999999999999999999999999999999999) to ${usdc} on Ethereum, network fee at most 0.0002 ETH${signed}`,
    );
    expect(await read(8453n)).toContain(' on Base, ');
    expect(await read(424242n)).toContain(' on chain 424242, ');
  });

  test.each([
    ['a Cyrillic letter', '\u0410cme'],
    ['other case', 'ACME'],
    ['spaces around', ' Acme '],
    ['another Cyrillic letter', 'Acm\u0435'],
    ['letters of full width', '\uff21\uff43\uff4d\uff45'],
  ])('D458: a label that differs by %s only is rejected', async (_, label) => {
    const { root } = await organization();
    const { contactIds } = await root.result('createContacts', { contacts: [contact('Acme'), contact('Globex')] });
    const rejected = { status: 400, fields: ['contacts.0.label'] };
    expect(errorOf(await root.submit('createContacts', { contacts: [contact(label)] }))).toMatchObject(rejected);
    const renamed = await root.submit('updateContact', { contactId: contactIds[1], label });
    expect(errorOf(renamed)).toMatchObject({ status: 400, fields: ['label'] });
    // The same contact may be spelled differently, and others have other labels.
    await root.result('updateContact', { contactId: contactIds[0], label: 'ACME' });
    await root.result('createContacts', { contacts: [contact('Acme Zürich'), contact('Acme 2')] });
  });

  test.each([
    ['a space without width', 'Acme\u200b'],
    ['a change of direction', 'Acme\u202etxt'],
    ['a soft hyphen', 'Ac\u00adme'],
    ['a Braille pattern without dots', 'Acme\u2800'],
    ['an address', usdc],
    ['an address in a sentence', `pay ${usdc}`],
    ['a shortened address', '0xA0b8…eB48'],
    ['an address on Tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['a shortened address on Tron', 'TR7NHq...Lj6t'],
  ])('D459: a label with %s is rejected', async (_, label) => {
    const { root } = await organization();
    const refusal = errorOf(await root.submit('createContacts', { contacts: [contact(label)] }));
    expect(refusal).toMatchObject({ status: 400, code: 'REQUEST_INVALID', fields: ['contacts.0.label'] });
  });

  test('D459: other names must not contain format characters', async () => {
    const { root } = await organization();
    const key = privateKeyParams('CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
    const refused = [
      await root.submit('createPrivateKeys', { privateKeys: [{ ...key, privateKeyName: 'Hot\u200b' }] }),
      await root.submit('createWallet', { walletName: 'Tre\u2066asury', accounts: [ethereumAccount] }),
      await root.submit('updateOrganizationName', { organizationName: 'Trea\u200bsury' }),
      await root.submit('createUserTag', { userTagName: 'ad\u00admins', userIds: [] }),
      await root.submit('createUsers', { users: [{ ...userParams(newApiKey()), userName: 'Ann\u202e' }] }),
      await root.submit('createUsers', { users: [{ ...userParams(newApiKey()), userName: 'Ann\u3164' }] }),
      await root.submit('createUserTag', { userTagName: 'admins\u2800', userIds: [] }),
    ];
    for (const response of refused) expect(errorOf(response)).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    await root.result('createUserTag', { userTagName: 'Zürich – Büro 東京', userIds: [] });
  });

  test('D460: a contact says on which networks it counts', async () => {
    const { root } = await organization();
    const contacts = [contact('Acme'), { label: 'Globex', address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }];
    await root.result('createContacts', { contacts });
    expect((await root.data('listContacts')).contacts).toMatchObject([
      { label: 'Acme', networks: 'every EVM network' },
      { label: 'Globex', networks: 'every Tron network' },
    ]);
  });

  test('D461, D462: a descriptor makes nothing understood, and only a policy that names interfaces stores an ABI', async () => {
    const made = await organization(2);
    const [wide, named] = [memberAt(made, 0), memberAt(made, 1)];
    const params = { privateKeys: [privateKeyParams('CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM'])] };
    const { privateKeys } = await made.root.result('createPrivateKeys', params);
    const signWith = privateKeys[0].addresses[0].address;
    await createPolicy(made.root, 'ALLOW', { condition: "activity.action in ['CREATE', 'DELETE']", consensus: userIs(wide) });
    const ofInterfaces = "activity.resource == 'SMART_CONTRACT_INTERFACE'";
    await createPolicy(made.root, 'ALLOW', { condition: ofInterfaces, consensus: userIs(named) });
    const signing = "activity.kind == 'SIGN_TRANSACTION' && tx.understood";
    await createPolicy(made.root, 'ALLOW', { condition: signing, consensus: userIs(wide) });
    const sign = () => {
      const unsignedTransaction = ethereumTransaction({ to: stranger, value: 0n, data: run });
      return wide.caller.submit('signTransaction', { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' });
    };
    const store = (type: string, smartContractInterface: string) => ({
      smartContractAddress: stranger,
      smartContractInterface,
      type: `SMART_CONTRACT_INTERFACE_TYPE_${type}`,
      label: type,
    });
    const descriptor = JSON.stringify({
      context: { contract: { deployments: [{ chainId: 1, address: stranger }] } },
      metadata: {},
      display: { formats: { 'run(uint256 amount)': { intent: 'Run', fields: [] } } },
    });
    expect(outcomeOf(await wide.caller.submit('createSmartContractInterface', store('ETHEREUM', runAbi)))).toMatch(/^403/);
    await named.caller.result('createSmartContractInterface', store('ERC7730', descriptor));
    expect(outcomeOf(await sign())).toMatch(/^403/);
    const { smartContractInterfaceId } = await named.caller.result('createSmartContractInterface', store('ETHEREUM', runAbi));
    expect(outcomeOf(await sign())).toBe('200 COMPLETED');
    expect(outcomeOf(await wide.caller.submit('deleteSmartContractInterface', { smartContractInterfaceId }))).toMatch(/^403/);
    // The parent, which created the organization, stores nothing in it.
    const parent = subject().service.root.with({ organizationId: made.id });
    expect((await parent.submit('createSmartContractInterface', store('ETHEREUM', runAbi))).status).toBeGreaterThanOrEqual(400);
  });
});
