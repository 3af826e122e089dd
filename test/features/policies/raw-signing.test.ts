import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { type Member, privateKeyParams } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, type Organization, outcomeOf, recordedAttempt, userIs } from './support.ts';
import { corpusTransaction, ethereumDigest, ethereumTransaction, permit } from './transactions.ts';

const receiver = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const stranger = `0x${'99'.repeat(20)}`;
const allowed = '200 COMPLETED';
const denied = '403 POLICY_DENIED';
const NO_BLIND_HASHES = 'FEATURE_NAME_NO_BLIND_HASHES';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
const personal = (text: string) => Buffer.from(`\x19Ethereum Signed Message:\n${text.length}${text}`).toString('hex');
/** EIP-7702: 0x05 || rlp([1, address, 0]). */
const authorization = (address: string) => `05d70194${address.slice(2).toLowerCase()}80`;

type Hash = 'NO_OP' | 'SHA256' | 'KECCAK256' | 'NOT_APPLICABLE';

describeEngines('raw signing', (subject) => {
  let organization: Organization;
  let user: Member;
  let keys: Readonly<Record<string, string>>;
  let keyIds: Readonly<Record<string, string>>;

  beforeEach(async () => {
    organization = await createOrganization(subject().service.root, { members: 1 });
    user = memberAt(organization, 0);
    const { privateKeys } = await organization.root.result('createPrivateKeys', {
      privateKeys: [
        privateKeyParams('CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_TRON']),
        privateKeyParams('CURVE_ED25519', ['ADDRESS_FORMAT_SOLANA']),
        privateKeyParams('CURVE_P256', ['ADDRESS_FORMAT_COMPRESSED']),
      ],
    });
    const named = privateKeys.flatMap((key: { privateKeyId: string; addresses: { format: string; address: string }[] }) =>
      key.addresses.map(({ format, address }) => ({ format: format.replace('ADDRESS_FORMAT_', ''), address, ...key })),
    );
    keys = Object.fromEntries(named.map(({ format, address }: { format: string; address: string }) => [format, address]));
    keyIds = Object.fromEntries(
      named.map(({ format, privateKeyId }: { format: string; privateKeyId: string }) => [format, privateKeyId]),
    );
    await createPolicy(organization.root, 'ALLOW', {
      condition: "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
      consensus: userIs(user),
    });
  });

  const deny = (condition: string) => createPolicy(organization.root, 'DENY', { condition });

  /** Signs one payload with the given hash function, alone, in a batch after a message, and by the first version of the type. */
  async function signRaw(payload: string, hash: Hash, chain = 'ETHEREUM', encoding = 'HEXADECIMAL'): Promise<readonly string[]> {
    const { caller } = user;
    const form = { encoding: `PAYLOAD_ENCODING_${encoding}`, hashFunction: `HASH_FUNCTION_${hash}` };
    const harmless = hash === 'NO_OP' ? [] : [encoding === 'TEXT_UTF8' ? 'harmless' : '00ff'];
    const one = await caller.submit('signRawPayload', { signWith: keys[chain], payload, ...form });
    const batch = { signWith: keys[chain], payloads: [...harmless, payload], ...form };
    const many = await caller.submit('signRawPayloads', batch);
    const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD';
    const first = await caller
      .with({ dialect: 'turnkey' })
      .submit('signRawPayload', { privateKeyId: keyIds[chain], payload, ...form }, { type });
    return [one, many, first].map((answer) => outcomeOf(answer).replace('REQUEST_NOT_AUTHORIZED', 'POLICY_DENIED'));
  }

  const all = (outcome: string) => [outcome, outcome, outcome];

  async function setSwitch(value: string | undefined): Promise<void> {
    if (value === undefined) await organization.root.result('removeOrganizationFeature', { name: NO_BLIND_HASHES });
    else await organization.root.result('setOrganizationFeature', { name: NO_BLIND_HASHES, value });
  }

  describe('D470: the bytes of a transaction that a DENY forbids are sent as a raw payload', () => {
    test('Ethereum: denied as a transaction and as raw bytes, and neighbours are signed', async () => {
      await deny(`activity.kind == 'SIGN_TRANSACTION' && eth.tx.to == '${stranger}'`);
      for (const type of ['legacy', 2] as const) {
        const [good, bad] = [ethereumTransaction({ type, to: receiver }), ethereumTransaction({ type, to: stranger })];
        for (const prefix of ['', '0x', '0X']) {
          expect(await signRaw(`${prefix}${bad}`, 'KECCAK256'), `${type}`).toEqual(all(denied));
          expect(await signRaw(`${prefix}${good}`, 'KECCAK256'), `${type}`).toEqual(all(allowed));
        }
        expect(await signRaw(bad.toUpperCase(), 'KECCAK256')).toEqual(all(denied));
        const transaction = { signWith: keys.ETHEREUM, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction: bad };
        expect(outcomeOf(await user.caller.submit('signTransaction', transaction))).toBe(denied);
      }
      expect(await signRaw(personal('hello'), 'KECCAK256')).toEqual(all(allowed));
      expect(await signRaw('hello', 'KECCAK256', 'ETHEREUM', 'TEXT_UTF8')).toEqual(all(allowed));
    });

    test('Tron and Solana', async () => {
      const tron = corpusTransaction('tron', 'TransferContract', keys.TRON as string).unsignedTransaction;
      const solana = corpusTransaction('solana', 'transfer, legacy message', keys.SOLANA as string).unsignedTransaction;
      // One empty signature slot comes before the message.
      const message = solana.slice(2 + 128);
      expect(await signRaw(tron, 'SHA256', 'TRON')).toEqual(all(allowed));
      expect(await signRaw(message, 'NOT_APPLICABLE', 'SOLANA')).toEqual(all(allowed));
      await deny("tron.tx.contract.any(c, c.type == 'TransferContract')");
      await deny('solana.tx.transfers.any(t, t.amount > 1)');
      expect(await signRaw(tron, 'SHA256', 'TRON')).toEqual(all(denied));
      expect(await signRaw(message, 'NOT_APPLICABLE', 'SOLANA')).toEqual(all(denied));
      expect(await signRaw('sign in', 'NOT_APPLICABLE', 'SOLANA', 'TEXT_UTF8')).toEqual(all(allowed));
      expect(await signRaw('sign in', 'SHA256', 'TRON', 'TEXT_UTF8')).toEqual(all(allowed));
    });

    test('an EIP-7702 authorization as bytes', async () => {
      await deny(`eth.eip_7702_authorization.address == '${stranger}'`);
      expect(await signRaw(authorization(stranger), 'KECCAK256')).toEqual(all(denied));
      expect(await signRaw(authorization(receiver), 'KECCAK256')).toEqual(all(allowed));
    });

    test('effects, and the explanation shows the transaction', async () => {
      const policyId = await deny(`effects.any(e, e.to == '${stranger}')`);
      const payload = ethereumTransaction({ to: stranger });
      const params = {
        signWith: keys.ETHEREUM,
        payload,
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: 'HASH_FUNCTION_KECCAK256',
      };
      const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
      const { decision, description } = await user.caller.data('simulateActivity', { type, parameters: params, explain: true });
      expect(decision).toMatchObject({ outcome: 'DENY', by: 'POLICY', policyIds: [policyId] });
      expect(decision.text).toContain(stranger);
      expect(description).toMatch(/^send /);
      expect(outcomeOf(await user.caller.submit('signRawPayload', params))).toBe(denied);
    });
  });

  test('D37: an ALLOW sees nothing of the transaction in a raw payload', async () => {
    const other = await createOrganization(subject().service.root, { members: 1 });
    const member = memberAt(other, 0);
    const { privateKeys } = await other.root.result('createPrivateKeys', {
      privateKeys: [privateKeyParams('CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM'])],
    });
    const allow = (condition: string) => createPolicy(other.root, 'ALLOW', { condition, consensus: userIs(member) });
    for (const condition of [
      `eth.tx.to == '${receiver}'`,
      'tx.understood',
      'tx.is_payment',
      "effects.any(e, e.kind == 'TRANSFER')",
      "activity.kind != 'SIGN_RAW_PAYLOADS' && tx.is_payment",
      "activity.kind == 'SIGN_TRANSACTION'",
    ])
      await allow(condition);
    const payload = ethereumTransaction({ to: receiver });
    const form = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_KECCAK256' };
    const signWith = privateKeys[0].addresses[0].address;
    const raw = await member.caller.submit('signRawPayload', { signWith, payload, ...form });
    expect(outcomeOf(raw)).toMatch(/^403 /);
    const transaction = { signWith, unsignedTransaction: payload, type: 'TRANSACTION_TYPE_ETHEREUM' };
    expect(outcomeOf(await member.caller.submit('signTransaction', transaction))).toBe(allowed);
  });

  describe('D472: the hash of a forbidden transaction is sent', () => {
    const hash = () => ethereumDigest(ethereumTransaction({ to: stranger }));

    test('a key that a DENY on transactions covers signs no hashes in a new organization, and says what to do', async () => {
      expect(await signRaw(hash(), 'NO_OP')).toEqual(all(allowed));
      await deny(`eth.tx.to == '${stranger}'`);
      expect(await signRaw(hash(), 'NO_OP')).toEqual(all(denied));
      expect(await signRaw(hash(), 'NO_OP', 'COMPRESSED')).toEqual(all(allowed));
      const form = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' };
      const refused = await user.caller.submit('signRawPayload', { signWith: keys.ETHEREUM, payload: hash(), ...form });
      expect(refused.body.message).toContain('sign_transaction');
      // The root quorum decides itself.
      const byRoot = await organization.root.submit('signRawPayload', { signWith: keys.ETHEREUM, payload: hash(), ...form });
      expect(outcomeOf(byRoot)).toBe(allowed);
    });

    test('simulation, explanation and backtest say the same about a hash as signing it', async () => {
      const params = {
        signWith: keys.ETHEREUM,
        payload: hash(),
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: 'HASH_FUNCTION_NO_OP',
      };
      const { caller } = user;
      const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
      const simulated = async () => (await caller.data('simulateActivity', { type, parameters: params, explain: true })).decision;
      const backtest = (policies: object) => organization.root.data('backtestPolicies', { policies, range: { types: [type] } });
      expect(await simulated()).toMatchObject({ outcome: 'ALLOW' });
      expect(outcomeOf(await caller.submit('signRawPayload', params))).toBe(allowed);
      const rule = { policyName: 'Not to strangers', effect: 'EFFECT_DENY', condition: `eth.tx.to == '${stranger}'` };
      const added = await backtest({ add: [rule] });
      const covered = 'it hides what is signed, and a rule on transactions now covers its key';
      expect(added.flips).toMatchObject([{ before: 'ALLOW', after: 'DENY', reason: covered }]);
      expect(added.flips[0].explanation).toMatch(/send the content instead of its hash/);

      const { policyId } = await organization.root.result('createPolicy', { ...rule, notes: '' });
      const decision = await simulated();
      expect(decision).toMatchObject({ outcome: 'DENY', by: 'HIDDEN_CONTENT' });
      expect(decision.text).toMatch(/send the content instead of its hash/);
      const refused = await caller.submit('signRawPayload', params);
      expect(outcomeOf(refused)).toBe(denied);
      const activityId = recordedAttempt(refused);
      const { policyEvaluations } = await organization.root.data('getPolicyEvaluations', { activityId });
      expect(JSON.stringify(policyEvaluations)).toMatch(/HIDDEN_CONTENT/);
      const removed = await backtest({ remove: [policyId] });
      const reason = expect.stringContaining('no rule on transactions covers it');
      expect(removed.flips).toHaveLength(2);
      expect(removed.flips[1]).toMatchObject({ activityId, before: 'DENY', after: 'ALLOW', reason });
    });

    test('a DENY that cannot concern the key, and an ALLOW, cover nothing', async () => {
      await deny(`solana.tx.transfers.any(t, t.amount > 1)`);
      await deny(`private_key.id == '${keyIds.SOLANA}' && tx.max_fee > 1`);
      await deny("private_key.tags.contains('none') && eth.tx.value > 1");
      await deny("wallet.label == 'treasury' && eth.tx.value > 1");
      await createPolicy(organization.root, 'ALLOW', { condition: `eth.tx.to == '${receiver}'` });
      expect(await signRaw(hash(), 'NO_OP')).toEqual(all(allowed));
      await deny(`private_key.id == '${keyIds.ETHEREUM}' && eth.tx.value > 5`);
      expect(await signRaw(hash(), 'NO_OP')).toEqual(all(denied));
    });

    test.each([
      "activity.kind == 'SIGN_TRANSACTION'",
      "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'",
      "activity.kind in ['SIGN_TRANSACTION', 'EXPORT_WALLET']",
      "activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'",
    ])('a DENY of transactions as such covers keys: %s', async (condition) => {
      await deny("activity.kind == 'EXPORT_WALLET'");
      await deny("activity.resource == 'WALLET'");
      await deny(`${condition} && private_key.id == '${keyIds.SOLANA}'`);
      expect(await signRaw(hash(), 'NO_OP')).toEqual(all(allowed));
      await deny(condition);
      const transaction = {
        signWith: keys.ETHEREUM,
        type: 'TRANSACTION_TYPE_ETHEREUM',
        unsignedTransaction: ethereumTransaction({}),
      };
      expect(outcomeOf(await user.caller.submit('signTransaction', transaction))).toBe(denied);
      expect(await signRaw(hash(), 'NO_OP')).toEqual(all(denied));
      expect(await signRaw(personal('hello'), 'KECCAK256')).toEqual(all(allowed));
    });

    test('the switch has exceptions for single keys, and only the root quorum changes it', async () => {
      await deny(`eth.tx.to == '${stranger}'`);
      await setSwitch(`covered,off:${keyIds.ETHEREUM}`);
      expect(await signRaw(hash(), 'NO_OP')).toEqual(all(allowed));
      await setSwitch(undefined);
      expect(await signRaw(hash(), 'NO_OP')).toEqual(all(allowed));
      await setSwitch(`none,on:${keyIds.ETHEREUM}`);
      expect(await signRaw(hash(), 'NO_OP')).toEqual(all(denied));
      await setSwitch('all');
      expect(await signRaw(hash(), 'NO_OP')).toEqual(all(denied));
      // What the adapters for viem, ethers and bitcoinjs send: messages, typed data and authorizations as content.
      expect(await signRaw(personal('hello'), 'KECCAK256')).toEqual(all(allowed));
      expect(await signRaw(authorization(receiver), 'KECCAK256')).toEqual(all(allowed));
      const typed = { payload: permit(stranger, receiver, 1n), encoding: 'PAYLOAD_ENCODING_EIP712' };
      const params = { signWith: keys.ETHEREUM, ...typed, hashFunction: 'HASH_FUNCTION_NO_OP' };
      expect(outcomeOf(await user.caller.with({ dialect: 'turnkey' }).submit('signRawPayload', params))).toBe(allowed);
      for (const value of ['some', 'all,all', 'covered,off:x', `off:${keyIds.ETHEREUM},on:${keyIds.ETHEREUM}`]) {
        const refused = await organization.root.submit('setOrganizationFeature', { name: NO_BLIND_HASHES, value });
        expect(refused.status, value).toBe(400);
      }
      const unknown = { name: NO_BLIND_HASHES, value: `off:${organization.id}` };
      expect((await organization.root.submit('setOrganizationFeature', unknown)).status).toBe(404);
      await createPolicy(organization.root, 'ALLOW', { consensus: userIs(user) });
      const change = await user.caller.submit('removeOrganizationFeature', { name: NO_BLIND_HASHES });
      expect(change.status).toBe(403);
    });
  });

  test('D520: a message that is only a hash, or data for a contract, counts as a hash', async () => {
    const message = (content: Buffer) =>
      Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${content.length}`), content]).toString('hex');
    const digest = Buffer.from(keccak_256(Buffer.from('a transaction of a Safe')));
    const hiding = [message(digest), `1900${stranger.slice(2)}deadbeef`];
    for (const payload of hiding) expect(await signRaw(payload, 'KECCAK256')).toEqual(all(allowed));
    await deny(`activity.kind == 'SIGN_TRANSACTION' && eth.tx.to == '${stranger}'`);
    for (const payload of hiding) expect(await signRaw(payload, 'KECCAK256')).toEqual(all(denied));
    const texts = ['e4d909c290d0fb1ca068ffaddf22cbd0', 'sign in to example with 12345678', 'Sign in: 33 characters, no hash..!'];
    for (const text of texts) expect(await signRaw(message(Buffer.from(text)), 'KECCAK256')).toEqual(all(allowed));
  });

  test('D473: payloads that hide a transaction as well as a hash count as hashes', async () => {
    const preimage = Buffer.from('00'.repeat(120), 'hex');
    const typed = Buffer.from(keccak_256(Buffer.from(permit(stranger, receiver, 1n)))).toString('hex');
    const tap = sha256(Buffer.from('TapSighash')).toString('hex');
    const tron = corpusTransaction('tron', 'TransferContract', keys.TRON as string).unsignedTransaction;
    const foreign = corpusTransaction('tron', 'TransferContract', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t').unsignedTransaction;
    const hiding: readonly (readonly [string, string, Hash, string?])[] = [
      ['hash of a hash, as Bitcoin signs', sha256(preimage).toString('hex'), 'SHA256'],
      ['hashes of a Taproot transaction', `${tap}${tap}${'00'.repeat(110)}`, 'SHA256'],
      ['hashes of typed data', `1901${typed}${typed}`, 'KECCAK256'],
      ['a transaction type of another chain', `7b${ethereumTransaction({ to: stranger }).slice(2)}`, 'KECCAK256'],
      ['a transaction with more fields', `ca${'01'.repeat(10)}`, 'KECCAK256'],
      ['a Tron transaction for another account', foreign, 'SHA256', 'TRON'],
      ['a Tron transaction with more bytes', `${tron}4801`, 'SHA256', 'TRON'],
    ];
    for (const [name, payload, hash, chain] of hiding) expect(await signRaw(payload, hash, chain), name).toEqual(all(allowed));
    await deny(`eth.tx.to == '${stranger}'`);
    for (const [name, payload, hash, chain] of hiding) expect(await signRaw(payload, hash, chain), name).toEqual(all(denied));
    expect(await signRaw('00'.repeat(33), 'SHA256')).toEqual(all(allowed));
    expect(await signRaw('ca0102', 'KECCAK256')).toEqual(all(allowed));
  });
});
