import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { errorOf, uniqueName } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, userIs } from '../policies/support.ts';

const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const acme = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const newAddress = () => `0x${randomBytes(20).toString('hex')}`;
const contact = (address = newAddress()) => ({ label: uniqueName('Vendor'), address, contactTags: ['vendors'] });
const token = (asset = `eip155:1/erc20:${newAddress()}`) => ({
  asset,
  symbol: `T${randomBytes(6).toString('hex')}`,
  decimals: 6,
});

describeEngines('the address book', (subject) => {
  const organization = (members = 1) => createOrganization(subject().service.root, { members });

  test('A56: a broad policy does not allow changes of payment recipients', async () => {
    const made = await organization();
    const { caller } = memberAt(made, 0);
    await createPolicy(made.root, 'ALLOW', { condition: "activity.action in ['CREATE', 'UPDATE', 'DELETE']" });
    const { contactIds } = await made.root.result('createContacts', { contacts: [contact()] });
    const { tokenIds } = await made.root.result('createTokens', { tokens: [token()] });
    const refused = { status: 403, code: 'POLICY_DENIED' };
    expect(errorOf(await caller.submit('createContacts', { contacts: [contact()] }))).toMatchObject(refused);
    expect(errorOf(await caller.submit('updateContact', { contactId: contactIds[0], contactTags: [] }))).toMatchObject(refused);
    expect(errorOf(await caller.submit('deleteContacts', { contactIds }))).toMatchObject(refused);
    expect(errorOf(await caller.submit('createTokens', { tokens: [token()] }))).toMatchObject(refused);
    expect(errorOf(await caller.submit('deleteTokens', { tokenIds }))).toMatchObject(refused);
  });

  test('A56: a policy that names contacts or tokens allows such changes, also by parameters', async () => {
    const made = await organization();
    const member = memberAt(made, 0);
    await createPolicy(made.root, 'ALLOW', {
      condition: "activity.resource == 'CONTACT' && activity.params.contacts.all(c, c.contact_tags.count() == 0)",
      consensus: userIs(member),
    });
    const plain = { ...contact(), contactTags: [] };
    expect((await member.caller.submit('createContacts', { contacts: [plain] })).status).toBe(200);
    expect(errorOf(await member.caller.submit('createContacts', { contacts: [contact()] }))).toMatchObject({ status: 403 });
  });

  test('an address has one label in any spelling, and a token one entry', async () => {
    const { root } = await organization(0);
    await root.result('createContacts', { contacts: [contact(usdc)] });
    const again = errorOf(await root.submit('createContacts', { contacts: [contact(usdc.toLowerCase())] }));
    expect(again).toMatchObject({ status: 400, fields: ['contacts.0.address'] });
    await root.result('createTokens', { tokens: [token(`eip155:1/erc20:${acme}`)] });
    const twin = errorOf(await root.submit('createTokens', { tokens: [token(`eip155:1/erc20:${acme.toLowerCase()}`)] }));
    expect(twin).toMatchObject({ status: 400, fields: ['tokens.0.asset'] });
    const { contacts } = await root.data('listContacts');
    expect(contacts).toMatchObject([{ address: usdc, contactTags: ['vendors'] }]);
    const { tokens } = await root.data('listTokens');
    expect(tokens[0]).toMatchObject({ asset: `eip155:1/erc20:${acme.toLowerCase()}`, source: 'ORGANIZATION' });
  });

  test.each([
    ['a typo in a checksum', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB49'],
    ['a Bitcoin address with a typo', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['an address of a chain that is not read', 'cosmos1hsk6jryyqjfhp5dhc55tc9jtckygx0eph6dd02'],
    ['a name', 'acme.eth'],
  ])('refuses %s as a contact', async (_, address) => {
    const { root } = await organization(0);
    const refusal = errorOf(await root.submit('createContacts', { contacts: [contact(address)] }));
    expect(refusal).toMatchObject({ status: 400, code: 'REQUEST_INVALID', fields: ['contacts.0.address'] });
  });

  test.each([
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  ])('takes %s as a contact', async (address) => {
    const { root } = await organization(0);
    await root.result('createContacts', { contacts: [contact(address)] });
    expect((await root.data('listContacts')).contacts).toMatchObject([{ address }]);
  });
});
