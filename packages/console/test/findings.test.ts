import type { EffectShape } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import type { Around } from '../src/review/around.ts';
import { riskOf } from '../src/review/finding.ts';
import { lookAlike } from '../src/review/look-alike.ts';
import type { Check } from '../src/review/types.ts';
import { unusual } from '../src/review/unusual.ts';
import { words } from '../src/words/index.ts';
import { acme, activityOf, around, at, deliberate, plain, read, texts, to, transfer, usdc, user, vote } from './review-cases.ts';

describe('findings about a payment', () => {
  test('a payment to a proven contact who was paid more before has none', () => {
    const payments = [{ ...transfer, amount: '26000000000' }];
    expect(unusual(read([transfer]), around({ proven: { payments, isAltered: false } }))).toEqual([]);
  });

  test('D804: a first payment needs a second step if no earlier payment in the asset was as large', () => {
    expect(deliberate(read([transfer]))).toEqual([`First payment to ${to}`]);
    const payments = [{ ...transfer, to: '0xcc', amount: '26000000000' }];
    const proven = { payments, isAltered: false };
    expect(texts(read([transfer]), { proven })).toEqual([`First payment to ${to}`]);
    expect(deliberate(read([transfer]), { proven })).toEqual([]);
  });

  test('D978: a payment on another network than the one that its amounts are shown for is named', () => {
    const asset = { id: 'tron:0x2b6653dc/slip44:195', kind: 'COIN', symbol: 'TRX', decimals: 6 } as const;
    const fee: EffectShape = { kind: 'FEE', asset, amount: '1', units: '0.000001', from: 'T' };
    const sent = (caip2: string): Check => {
      const check = read([fee], []);
      return { ...check, request: { type: '', organizationId: '', parameters: { caip2 } } } as Check;
    };
    expect(unusual(sent('tron:0x2b6653dc'), around())).toEqual([]);
    const found = unusual(sent('tron:0xcd8690dc'), around());
    expect(found.map(({ text }) => text)).toEqual([
      words.approvals.unusualWords.otherNetwork('tron:0xcd8690dc', 'tron:0x2b6653dc'),
    ]);
    expect(found.map(({ isDeliberate }) => isDeliberate)).toEqual([true]);
  });

  test('the largest payment so far is compared as integers', () => {
    const payments = [{ ...transfer, amount: '24999999999', units: '24999.999999' }];
    expect(texts(read([transfer]), { proven: { payments, isAltered: false } })).toEqual([
      '25,000 USDC is more than any recent payment in this asset (largest so far: 24,999.999999 USDC)',
    ]);
  });

  test('D800: a contact without a proof needs a second step, and does not count as a contact', () => {
    const found = deliberate(read([transfer], [{ ...acme, proof: undefined }]));
    expect(found).toContain(`The service calls ${to} “Acme”, and its log does not prove this name`);
  });

  test('D802: earlier payments that the log does not prove are reported', () => {
    expect(deliberate(read([transfer]), { proven: { payments: [], isAltered: true } })).toContainEqual(
      expect.stringContaining('its log does not prove'),
    );
  });

  test('addresses have their checksums', () => {
    const lower = { ...transfer, to: to.toLowerCase() };
    const check = read([lower], []);
    if (check.state !== 'read') throw new Error('not read');
    const shown = { ...check, reading: { ...check.reading, displayed: [transfer] } };
    expect(texts(shown)).toEqual([`First payment to ${to}`, `${to} is not in your contacts`]);
  });

  test('D805: the same payment, open or signed, needs a second step and leads to the other one', () => {
    for (const [list, words] of [
      ['open', 'pending'],
      ['past', 'signed'],
    ] as const) {
      const status = list === 'open' ? 'ACTIVITY_STATUS_CONSENSUS_NEEDED' : 'ACTIVITY_STATUS_COMPLETED';
      const other = activityOf('other', [transfer], { status, createdAt: at(12, 9) });
      const found = unusual(read([transfer]), around({ [list]: [other] })).find(({ activityId }) => activityId === 'other');
      expect(found).toMatchObject({ isDeliberate: true, text: expect.stringContaining(`That request is ${words}`) });
    }
    const distant = activityOf('other', [transfer], { createdAt: at(12, 1) });
    const otherAmount = activityOf('other', [{ ...transfer, amount: '1' }]);
    const itself = activityOf('now', [transfer]);
    for (const other of [distant, otherAmount, itself])
      expect(unusual(read([transfer]), around({ open: [other] })).some(({ activityId }) => activityId !== undefined)).toBe(false);
  });

  test('D805: a payment that one transaction makes twice needs a second step', () => {
    const [other, much] = [
      { ...transfer, to: '0xcc' },
      { ...transfer, amount: '1' },
    ];
    expect(deliberate(read([transfer, other, transfer]))).toContain(`Pays 25,000 USDC to ${to} more than once`);
    expect(texts(read([transfer, other, much])).filter((text) => text.includes('more than once'))).toEqual([]);
  });

  test('D1075: first payments of one transaction are as large as their sum', () => {
    const proven = { payments: [{ ...transfer, to: '0xbb' }], isAltered: false };
    const parts = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...transfer, amount: '10000000000', units: '10000', to: `0x${index}` }));
    expect(deliberate(read(parts(2), []), { proven })).toEqual([]);
    expect(deliberate(read(parts(3), []), { proven })).toEqual(['0x0', '0x1', '0x2'].map((each) => `First payment to ${each}`));
    const toOne = parts(3).map((each, index) => ({ ...each, amount: `${10000000000 + index}`, to }));
    expect(deliberate(read(toOne), { proven })).toEqual([`First payment to ${to}`]);
  });

  test('D1071: an allowance with a limit needs a second step, unless a proven contact was paid as much before', () => {
    const allowance: EffectShape = { ...transfer, kind: 'ALLOWANCE', unlimited: false };
    const found = `Allows ${to} to take 25,000 USDC later, without another approval`;
    expect(deliberate(read([allowance]))).toEqual([found]);
    const proven = { payments: [transfer], isAltered: false };
    expect(deliberate(read([allowance], []), { proven })).toEqual([found]);
    expect(texts(read([allowance], []), { proven })).toEqual([found, `${to} is not in your contacts`]);
    expect(deliberate(read([allowance], [{ ...acme, proof: undefined }]), { proven })).toContain(found);
    expect(deliberate(read([{ ...allowance, amount: '25000000001' }]), { proven })).toHaveLength(1);
    expect(deliberate(read([allowance, allowance]), { proven }), 'together').toEqual([found]);
    expect(deliberate(read([allowance]), { proven })).toEqual([]);
    expect(riskOf(unusual(read([allowance]), around({ proven })))).toBe('medium');
    // An allowance of nothing ends an earlier one.
    expect(unusual(read([{ ...allowance, amount: '0' }], []), around())).toEqual([]);
  });

  test('D1072: a call of a contract is never usual, and needs a second step if only an interface names it', () => {
    const call = (what: string, more: object = {}): EffectShape => ({ kind: 'CALL', what, to, ...more });
    expect(texts(read([call('withdraw(to: 0x1, amount: 5)')]))).toEqual([
      `Calls the contract ${to}. What the contract then does is not shown`,
    ]);
    expect(deliberate(read([call('withdraw(to: 0x1, amount: 5)')]))).toHaveLength(1);
    expect(deliberate(read([call('deposit for 5 WETH')]))).toEqual([]);
    for (const name of [
      'transferOwnership',
      'upgradeToAndCall',
      'grantRole',
      'setAdmin',
      'addOwnerWithThreshold',
      '_setPendingAdmin',
      'diamondCut',
      'setGuard',
      'set$Owner',
    ])
      expect(deliberate(read([call(`${name}(x: 0x1)`)])), name).toEqual([
        `May change who controls the contract ${to}, or its code`,
      ]);
    // Values of a call cannot make it look like another one.
    expect(texts(read([call('note(text: "setAdmin(1)")')]))).toEqual([
      `Calls the contract ${to}. What the contract then does is not shown`,
    ]);
  });

  test('a memo, and a call of a token whose effect is shown, are no unknown calls', () => {
    const memo: EffectShape & { movesNothing: true } = { kind: 'CALL', what: 'memo "a"', to: 'MemoSq', movesNothing: true };
    expect(unusual(read([memo]), around())).toEqual([]);
    const token = { ...transfer, asset: { ...usdc, id: `eip155:1/erc20:${to.toLowerCase()}` } };
    const found = texts(read([token, { kind: 'CALL', what: 'transfer(to: 0x1, amount: 5)', to }]));
    expect(found.filter((text) => text.startsWith('Calls the contract'))).toEqual([]);
    const two = texts(
      read([token, ...['transfer', 'mint'].map((name) => ({ kind: 'CALL' as const, what: `${name}(to: 0x1)`, to }))]),
    );
    expect(two.filter((text) => text.startsWith('Calls the contract'))).not.toEqual([]);
    const redeem = read([token, { kind: 'CALL', what: 'redeem(shares: 5, receiver: 0x1)', to }], [acme]);
    expect(deliberate(redeem)).toContain(`Calls the contract ${to}. What the contract then does is not shown`);
  });

  test('unlimited allowances, changes of control and undecoded bytes need a second step', () => {
    const allowance: EffectShape = { kind: 'ALLOWANCE', asset: usdc, to, unlimited: true };
    expect(deliberate(read([allowance]))).toEqual([`Allows ${to} to take any amount at any time`]);
    expect(deliberate(read([{ kind: 'AUTHORITY' } as EffectShape]))).toHaveLength(1);
    expect(deliberate(read([], [], false))).toEqual(['Parts of the transaction were not understood']);
    expect(deliberate({ state: 'unread', request: { type: '', organizationId: '', parameters: {} } })).toHaveLength(1);
  });
});

describe('look-alike addresses', () => {
  const fake = '0x5aAeb60000000000000000000000000000BeAed'.replace('BeAed', '1BeAed');

  test('D803: an address with the start and the end of a contact is reported, with both addresses whole', () => {
    const contacts = [{ label: 'Acme', address: to }] as unknown as Around['knowledge']['contacts'];
    const found = unusual(read([{ ...transfer, to: fake }], []), around({ knowledge: { contacts, tokens: [], interfaces: [] } }));
    const [alike] = found.filter((finding) => finding.lookAlike !== undefined);
    expect(alike).toMatchObject({ isDeliberate: true, lookAlike: { given: fake, known: to } });
    expect(alike?.text).toContain('“Acme”');
  });

  test('D803: also one that resembles the recipient of an earlier payment', () => {
    const past = [activityOf('earlier', [transfer])];
    expect(deliberate(read([{ ...transfer, to: fake }], []), { past })).toContainEqual(expect.stringContaining('resembles'));
  });

  test('D1077: also one that is a contact itself, or was paid before', () => {
    const contacts = [to, fake].map((address) => ({ label: address === to ? 'Acme' : 'Beta', address }));
    const paid = [activityOf('earlier', [{ ...transfer, to: fake }])];
    const both = { contacts, tokens: [], interfaces: [] } as unknown as Around['knowledge'];
    const one = { ...both, contacts: both.contacts.slice(0, 1) };
    const pay = (address: string) => read([{ ...transfer, to: address }], []);
    expect(deliberate(pay(fake), { knowledge: both })).toContainEqual(expect.stringContaining('resembles “Acme”'));
    expect(deliberate(pay(to), { knowledge: both })).toContainEqual(expect.stringContaining('resembles “Beta”'));
    expect(deliberate(pay(fake), { knowledge: one, past: paid })).toContainEqual(expect.stringContaining('resembles “Acme”'));
    // The contact itself is not suspicious because another address was paid.
    expect(texts(pay(to), { knowledge: one, past: paid })).not.toContainEqual(expect.stringContaining('resembles'));
  });

  test('D1172: also one that is shorter or longer than that of a contact', () => {
    const known = `7xKX${'a'.repeat(35)}gAsUx`;
    const contacts = [{ label: 'Acme', address: known }] as unknown as Around['knowledge']['contacts'];
    for (const length of [34, 36]) {
      const given = `7xKX${'b'.repeat(length)}gAsUx`;
      const found = deliberate(read([{ ...transfer, to: given }], []), { knowledge: { contacts, tokens: [], interfaces: [] } });
      expect(found).toContainEqual(expect.stringContaining('resembles “Acme”'));
    }
  });

  test('D1175: the name of a contact does not end its quotation', () => {
    const label = 'Acme”, which is the same company. Checked “ok';
    const contacts = [{ label, address: to }] as unknown as Around['knowledge']['contacts'];
    const found = deliberate(read([{ ...transfer, to: fake }], []), { knowledge: { contacts, tokens: [], interfaces: [] } });
    expect(found).toContain(
      "The recipient resembles “Acme', which is the same company. Checked 'ok” and is another address. Compare the middle",
    );
  });

  test('the known address itself, whatever its checksum, and others are not', () => {
    expect(lookAlike(to.toLowerCase(), [to])).toBeUndefined();
    expect(lookAlike('0x52908400098527886E0F7030069857D2E4169EE7', [to])).toBeUndefined();
    // The prefix of a format is not a resemblance.
    expect(lookAlike('bc1qaaaaaaaaaaaaaaaxyz', ['bc1qbbbbbbbbbbbbbbbxyz'])).toBeUndefined();
    expect(lookAlike('bc1qabcaaaaaaaaaaaaxyz', ['bc1qabcbbbbbbbbbbbbxyz'])).toMatchObject({ head: 7, tail: 3 });
  });
});

describe('findings about the requester', () => {
  const past = Array.from({ length: 6 }, (_, index) => activityOf(`p${index}`, [], { createdAt: at(9 + (index % 3)) }));

  test('an hour far from all earlier ones is reported', () => {
    const activity = (hour: number) => activityOf('now', [transfer], { createdAt: at(hour) });
    expect(texts(read([transfer]), { past, activity: activity(3) })).toContainEqual(
      expect.stringContaining('Requested at 03:00'),
    );
    expect(texts(read([transfer]), { past, activity: activity(13) })).not.toContainEqual(expect.stringContaining('Requested at'));
  });

  test('D806: a credential that was added this week to an older account is reported', () => {
    const apiKey = (name: string, publicKey: string, day: number) => ({
      ...{ apiKeyName: name, createdAt: at(8, day), credential: { publicKey } },
    });
    const withKeys = (keys: object[]) =>
      activityOf('now', [transfer], { votes: [{ ...vote, publicKey: 'k2', user: { ...user, apiKeys: keys } }] });
    const added = withKeys([apiKey('old', 'k1', 1), apiKey('new laptop', 'k2', 9)]);
    expect(texts(read([transfer]), { activity: added })).toContainEqual(
      expect.stringContaining('with “new laptop”, which was added'),
    );
    const only = withKeys([apiKey('only', 'k2', 9)]);
    expect(texts(read([transfer]), { activity: only })).not.toContainEqual(expect.stringContaining('which was added'));
    expect(texts(read([transfer]), { activity: only, past })).toContainEqual(
      expect.stringContaining('signed none of the last 6 payments'),
    );
  });

  test('D1175: the name of a credential does not end its quotation', () => {
    const name = 'phone”, which is the usual one. Not “new';
    const apiKey = { apiKeyName: name, createdAt: at(8, 9), credential: { publicKey: 'k2' } };
    const old = { apiKeyName: 'old', createdAt: at(8, 1), credential: { publicKey: 'k1' } };
    const withKeys = (apiKeys: object[]) =>
      activityOf('now', [transfer], { votes: [{ ...vote, publicKey: 'k2', user: { ...user, apiKeys } }] });
    const quoted = "with “phone', which is the usual one. Not 'new”";
    expect(texts(read([transfer]), { activity: withKeys([old, apiKey]) })).toContainEqual(
      expect.stringContaining(`${quoted}, which was added`),
    );
    expect(texts(read([transfer]), { activity: withKeys([apiKey]), past })).toContainEqual(
      expect.stringContaining(`${quoted} that signed none`),
    );
  });
});

describe('findings about a change', () => {
  const changed = (type: string, warnings: string[] = []) =>
    unusual(plain(type), around({ activity: activityOf('now', [], { type, warnings }) }));

  test.each([
    'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM',
    'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2',
    'ACTIVITY_TYPE_UPDATE_POLICY_V2',
    'ACTIVITY_TYPE_DELETE_MFA_POLICY',
    'ACTIVITY_TYPE_UPDATE_USER_EMAIL',
    'ACTIVITY_TYPE_EXPORT_WALLET',
    'ACTIVITY_TYPE_UNFREEZE',
    'ACTIVITY_TYPE_RAISE_VELOCITY_CONTROL',
  ])('%s changes control', (type) => expect(riskOf(changed(type))).toBe('high'));

  test.each(['ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_TYPE_FREEZE', 'ACTIVITY_TYPE_CREATE_CONTACTS'])('%s does not', (type) =>
    expect(changed(type)).toEqual([]),
  );

  test.each([
    'ACTIVITY_TYPE_DELETE_WALLETS',
    'ACTIVITY_TYPE_DELETE_PRIVATE_KEYS',
    'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION',
    'ACTIVITY_TYPE_DELETE_ORGANIZATION',
  ])('D1074: %s destroys keys, and needs a second step', (type) =>
    expect(changed(type)).toMatchObject([{ isDeliberate: true, text: expect.stringContaining('Destroys keys') }]),
  );

  const type = 'ACTIVITY_TYPE_CREATE_CONTACTS';

  test('a new worst case needs a second step, one that was there before does not', () => {
    expect(changed(type, ['WORST_CASE: policy "P": new: any user may pay any fee'])).toMatchObject([{ isDeliberate: true }]);
    const [kept] = changed(type, ['WORST_CASE: policy "P": as before: any user may pay any fee']);
    expect(kept).not.toHaveProperty('isDeliberate');
  });

  test('D1077: a new contact whose address looks like that of another needs a second step', () => {
    const found = changed(type, ['LOOK_ALIKE: the address of "Beta", 0x1, looks like that of "Acme", 0x2. Compare the middle']);
    expect(found).toMatchObject([{ isDeliberate: true, text: expect.stringMatching(/^the address of "Beta"/) }]);
  });

  test.each([
    'WORST_CASE: policy "x: as before: ": any user may pay any fee',
    'WORST_CASE: policy "P": any user with the tag "a. as before: b" may pay any fee',
    'WORST_CASE: policy "P": any user with the tag "\\" may pay any fee. as before: any user with the tag "b" may pay',
  ])('D807: a name that says "as before" hides no worst case: %s', (warning) => {
    expect(changed(type, [warning])).toMatchObject([{ isDeliberate: true }]);
  });
});
