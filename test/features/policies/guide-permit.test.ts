import { expect, test } from 'vitest';
import { readGuidePolicies } from '../../repository/guides/policies.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createWallet, uniqueName } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, outcomeOf } from './support.ts';

const ALLOWED = '200 COMPLETED';
const DENIED = '403 REQUEST_NOT_AUTHORIZED';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const DAI = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const PROTOCOL = `0x${'66'.repeat(20)}`;
const STRANGER = `0x${'77'.repeat(20)}`;
const MILLION = 1_000_000n;
const UNLIMITED = 2n ** 256n - 1n;
const IN_2026 = 1_790_000_000;

const typed = (primaryType: string, types: object, domain: object, message: object) =>
  JSON.stringify({
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        ...('version' in domain ? [{ name: 'version', type: 'string' }] : []),
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      ...types,
    },
    primaryType,
    domain,
    message,
  });

const fields = (text: string) => text.split(', ').map((field) => ({ type: field.split(' ')[0], name: field.split(' ')[1] }));

interface Permit {
  readonly owner: string;
  readonly spender?: string;
  readonly value?: bigint;
  readonly deadline?: number;
  readonly token?: string;
  readonly chainId?: number;
}

/** ERC-2612, with the domain of USDC on Ethereum. */
function permit({ owner, spender = PROTOCOL, value = 1_000n * MILLION, deadline = IN_2026, token = USDC, chainId = 1 }: Permit) {
  const Permit = fields('address owner, address spender, uint256 value, uint256 nonce, uint256 deadline');
  const domain = { name: 'USD Coin', version: '2', chainId, verifyingContract: token };
  return typed('Permit', { Permit }, domain, { owner, spender, value: value.toString(), nonce: 0, deadline });
}

interface Permit2 {
  readonly spender?: string;
  readonly amount?: bigint;
  readonly expiration?: number;
  readonly token?: string;
  readonly chainId?: number;
}

/** Permit2, the only form whose allowance ends. */
function permit2({ spender = PROTOCOL, amount = 1_000n * MILLION, expiration = IN_2026, token = USDC, chainId = 1 }: Permit2) {
  const PermitDetails = fields('address token, uint160 amount, uint48 expiration, uint48 nonce');
  const PermitSingle = fields('PermitDetails details, address spender, uint256 sigDeadline');
  const details = { token, amount: amount.toString(), expiration, nonce: 0 };
  const domain = { name: 'Permit2', chainId, verifyingContract: PERMIT2 };
  return typed('PermitSingle', { PermitSingle, PermitDetails }, domain, { details, spender, sigDeadline: IN_2026 });
}

/** The form of DAI: all or nothing. */
function permitDai(holder: string) {
  const Permit = fields('address holder, address spender, uint256 nonce, uint256 expiry, bool allowed');
  const domain = { name: 'Dai Stablecoin', version: '1', chainId: 1, verifyingContract: DAI };
  return typed('Permit', { Permit }, domain, { holder, spender: PROTOCOL, nonce: 0, expiry: IN_2026, allowed: true });
}

describeEngines('the permit policy of the guide', (subject) => {
  test('D415: a permit within the limit is signed, and hostile ones are not', async () => {
    const organization = await createOrganization(subject().service.root, { members: 2 });
    const { root } = organization;
    const [trader, other] = [memberAt(organization, 0), memberAt(organization, 1)];
    const { walletId, addresses } = await createWallet(root);
    const another = await createWallet(root);
    const owner = addresses[0] as string;
    const tag = { userTagName: uniqueName('Traders'), userIds: [trader.userId] };
    const { userTagId } = await root.result('createUserTag', tag);
    await root.result('createContacts', { contacts: [{ label: 'Protocol', address: PROTOCOL, contactTags: ['protocols'] }] });
    const policy = readGuidePolicies().find(({ name }) => name === 'Permit with a limit');
    const fill = (text = '') => text.replace('<trading wallet>', walletId).replace('<tag of the traders>', userTagId);
    await createPolicy(root, 'ALLOW', { condition: fill(policy?.condition), consensus: fill(policy?.consensus) });
    const sign = async (payload: string, { by = trader, signWith = owner, encoding = 'PAYLOAD_ENCODING_EIP712' } = {}) =>
      outcomeOf(
        await by.caller
          .with({ dialect: 'turnkey' })
          .submit('signRawPayload', { signWith, payload, encoding, hashFunction: 'HASH_FUNCTION_NO_OP' }),
      );
    expect(await sign(permit2({}))).toBe(ALLOWED);
    expect(await sign(permit2({ amount: 1n }))).toBe(ALLOWED);
    const hostile: Readonly<Record<string, () => Promise<string>>> = {
      'above the limit': () => sign(permit2({ amount: 1_000n * MILLION + 1n })),
      unlimited: () => sign(permit2({ amount: 2n ** 160n - 1n })),
      'a stranger': () => sign(permit2({ spender: STRANGER })),
      'after 2026': () => sign(permit2({ expiration: 1_798_761_601 })),
      'another token': () => sign(permit2({ token: DAI })),
      'another chain': () => sign(permit2({ chainId: 8453 })),
      'one that does not end': () => sign(permit({ owner })),
      'one that is unlimited and does not end': () => sign(permit({ owner, value: UNLIMITED })),
      'the form of DAI': () => sign(permitDai(owner)),
      'another wallet': () => sign(permit2({}), { signWith: another.addresses[0] as string }),
      'another user': () => sign(permit2({}), { by: other }),
      'its digest': () => sign('5a'.repeat(32), { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' }),
    };
    const outcomes = await Promise.all(Object.entries(hostile).map(async ([name, run]) => [name, await run()]));
    expect(outcomes.filter(([, outcome]) => outcome !== DENIED)).toEqual([]);
  });
});
