import { beforeEach, describe, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { type Member, privateKeyParams, uniqueName } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, type Organization, outcomeOf, userIs } from './support.ts';
import {
  corpusTransaction,
  type EthereumFields,
  erc20Abi,
  erc20Transfer,
  ethereumDigest,
  ethereumTransaction,
  permit,
} from './transactions.ts';

const receiver = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const stranger = `0x${'99'.repeat(20)}`;
const token = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

describeEngines('policies on what is signed', (subject) => {
  let organization: Organization;
  let user: Member;
  let addresses: Readonly<Record<string, string>>;

  beforeEach(async () => {
    organization = await createOrganization(subject().service.root, { members: 1 });
    user = memberAt(organization, 0);
    const { privateKeys } = await organization.root.result('createPrivateKeys', {
      privateKeys: [
        privateKeyParams('CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_TRON']),
        privateKeyParams('CURVE_ED25519', ['ADDRESS_FORMAT_SOLANA']),
      ],
    });
    const named = privateKeys.flatMap((key: { addresses: { format: string; address: string }[] }) => key.addresses);
    addresses = Object.fromEntries(
      named.map(({ format, address }: { format: string; address: string }) => [format.replace('ADDRESS_FORMAT_', ''), address]),
    );
  });

  const allow = (condition: string) => createPolicy(organization.root, 'ALLOW', { condition, consensus: userIs(user) });
  const deny = (condition: string) => createPolicy(organization.root, 'DENY', { condition });

  async function signTransaction(chain: string, unsignedTransaction: string): Promise<string> {
    const params = { signWith: addresses[chain], unsignedTransaction, type: `TRANSACTION_TYPE_${chain}` };
    return outcomeOf(await user.caller.submit('signTransaction', params));
  }

  const signEthereum = (fields: EthereumFields) => signTransaction('ETHEREUM', ethereumTransaction(fields));

  async function signRaw(payload: string, encoding = 'PAYLOAD_ENCODING_HEXADECIMAL'): Promise<string> {
    const params = { signWith: addresses.ETHEREUM, payload, encoding, hashFunction: 'HASH_FUNCTION_NO_OP' };
    // The specification has the two plain encodings only.
    return outcomeOf(await user.caller.with({ dialect: 'turnkey' }).submit('signRawPayload', params));
  }

  const allowed = '200 COMPLETED';
  const denied = expect.stringMatching(/^403 (POLICY_DENIED|REQUEST_NOT_AUTHORIZED)$/);

  describe('Ethereum', () => {
    test('D37: a user who may sign certain transactions may not sign digests, of these or other transactions', async () => {
      await allow(`eth.tx.to == '${receiver}'`);
      const [good, bad] = [ethereumTransaction({ to: receiver }), ethereumTransaction({ to: stranger })];
      expect(await signTransaction('ETHEREUM', good)).toBe(allowed);
      expect(await signTransaction('ETHEREUM', bad)).toEqual(denied);
      for (const unsigned of [good, bad]) {
        const digest = ethereumDigest(unsigned);
        expect(await signRaw(digest)).toEqual(denied);
        expect(await signRaw(unsigned)).not.toBe(allowed);
        const keccak = { signWith: addresses.ETHEREUM, payload: unsigned, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' };
        const hashed = { ...keccak, hashFunction: 'HASH_FUNCTION_KECCAK256' };
        expect(outcomeOf(await user.caller.submit('signRawPayload', hashed))).toEqual(denied);
        const batch = {
          signWith: addresses.ETHEREUM,
          payloads: [digest],
          encoding: keccak.encoding,
          hashFunction: 'HASH_FUNCTION_NO_OP',
        };
        expect(outcomeOf(await user.caller.submit('signRawPayloads', batch))).toEqual(denied);
      }
      await allow("activity.kind == 'SIGN_RAW_PAYLOAD'");
      expect(await signRaw(ethereumDigest(bad))).toBe(allowed);
    });

    test('D34: all spellings of an address compare as equal', async () => {
      const bare = receiver.slice(2);
      const spellings = [
        receiver,
        receiver.toLowerCase(),
        `0x${bare.toUpperCase()}`,
        `0X${bare.toUpperCase()}`,
        bare.toLowerCase(),
      ];
      for (const spelling of spellings) {
        const policyId = await allow(`eth.tx.to == '${spelling}' && eth.tx.from == '${addresses.ETHEREUM?.toLowerCase()}'`);
        expect(await signEthereum({ to: receiver }), spelling).toBe(allowed);
        expect(await signEthereum({ to: stranger }), spelling).toEqual(denied);
        await organization.root.result('deletePolicy', { policyId });
      }
      await allow(`eth.tx.to in ['${stranger}', '${receiver.toLowerCase()}']`);
      expect(await signEthereum({ to: receiver })).toBe(allowed);
    });

    test('D43: integers are exact to 256 bits', async () => {
      const limit = 2n ** 200n + 1n;
      await allow(`eth.tx.value <= ${limit}`);
      expect(await signEthereum({ value: limit })).toBe(allowed);
      expect(await signEthereum({ value: limit + 1n })).toEqual(denied);
      expect(await signEthereum({ value: 2n ** 256n - 1n })).toEqual(denied);
      await deny(`eth.tx.value == ${2n ** 53n + 1n}`);
      expect(await signEthereum({ value: 2n ** 53n })).toBe(allowed);
      expect(await signEthereum({ value: 2n ** 53n + 1n })).toEqual(denied);
    });

    test('D44: a contract creation matches no address', async () => {
      await allow(`eth.tx.to == '${receiver}'`);
      await allow(`eth.tx.to != '${stranger}'`);
      expect(await signEthereum({ to: null, data: '0x6000' })).toEqual(denied);
      expect(await signEthereum({ to: receiver })).toBe(allowed);
      await allow("eth.tx.type == 'TYPE_2'");
      expect(await signEthereum({ to: null, data: '0x6000' })).toBe(allowed);
    });

    test('D44: an ALLOW on receivers allows contract creations only where it speaks of them', async () => {
      const create = () => signEthereum({ to: null, data: '0x6000' });
      for (const condition of [
        `eth.tx.to != '${stranger}'`,
        `!(eth.tx.to == '${stranger}')`,
        `!(eth.tx.to in ['${stranger}'])`,
        `eth.tx.to == '${receiver}' || eth.tx.value < 5`,
        `eth.tx.to != '${stranger}' && eth.tx.data != ''`,
        `eth.tx.to != '${stranger}' && activity.params.sign_with != ''`,
      ]) {
        const policyId = await allow(condition);
        expect(await create(), condition).toEqual(denied);
        await organization.root.result('deletePolicy', { policyId });
      }
      for (const condition of [
        "eth.tx.to == ''",
        "'' == eth.tx.to",
        `eth.tx.to in ['${receiver}', '']`,
        `eth.tx.to in ['', '${receiver}']`,
        'eth.tx.is_deployment',
        `eth.tx.is_deployment || eth.tx.to == '${receiver}'`,
      ]) {
        const policyId = await allow(condition);
        expect(await create(), condition).toBe(allowed);
        expect(await signEthereum({ to: stranger }), condition).toEqual(denied);
        await organization.root.result('deletePolicy', { policyId });
      }
    });

    test('D44: a DENY on one address leaves contract creations alone, and one on them denies no other', async () => {
      await allow("eth.tx.type == 'TYPE_2'");
      const create = () => signEthereum({ to: null, data: '0x6000' });
      const blocked = await deny(`eth.tx.to == '${stranger}'`);
      expect(await create()).toBe(allowed);
      expect(await signEthereum({ to: stranger })).toEqual(denied);
      await organization.root.result('deletePolicy', { policyId: blocked });
      for (const condition of ["eth.tx.to == ''", 'eth.tx.is_deployment', `eth.tx.to != '${receiver}'`]) {
        const policyId = await deny(condition);
        expect(await create(), condition).toEqual(denied);
        expect(await signEthereum({ to: receiver }), condition).toBe(allowed);
        await organization.root.result('deletePolicy', { policyId });
      }
    });

    test('D45: an absent, zero or different chain id does not match the allowed one', async () => {
      await allow('eth.tx.chain_id == 11155111');
      expect(await signEthereum({ chainId: 11155111n })).toBe(allowed);
      expect(await signEthereum({ type: 'legacy', chainId: 11155111n })).toBe(allowed);
      expect(await signEthereum({ chainId: 1n })).toEqual(denied);
      expect(await signEthereum({ chainId: 0n })).not.toBe(allowed);
      expect(await signEthereum({ type: 'legacy', chainId: null })).toEqual(denied);
    });

    test('D36: delegating an account needs a policy that names the delegation', async () => {
      await allow(`eth.tx.to == '${receiver}' && eth.tx.value < 5`);
      expect(await signEthereum({ to: receiver })).toBe(allowed);
      expect(await signEthereum({ to: receiver, type: 4 })).toEqual(denied);
      const policyId = await allow("eth.tx.type in ['TYPE_2', 'TYPE_4']");
      expect(await signEthereum({ to: receiver, type: 4 })).toBe(allowed);
      await organization.root.result('deletePolicy', { policyId });
      await allow(`eth.tx.authorization_list.all(each, each.address == '0x${'22'.repeat(20)}')`);
      expect(await signEthereum({ to: receiver, type: 4 })).toBe(allowed);
    });

    test('a policy on arguments needs the contract’s interface, and then sees them', async () => {
      await allow(
        `eth.tx.to == '${token}' && eth.tx.function_name == 'transfer' && eth.tx.contract_call_args['wad'] < 1000 && eth.tx.contract_call_args['dst'] == '${receiver}'`,
      );
      const call = (to: string, amount: bigint) => signEthereum({ to: token, value: 0n, data: erc20Transfer(to, amount) });
      expect(await call(receiver, 5n)).toEqual(denied);
      await organization.root.result('createSmartContractInterface', {
        smartContractAddress: token.toLowerCase(),
        smartContractInterface: erc20Abi,
        type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
        label: uniqueName('Token'),
        notes: '',
      });
      expect(await call(receiver, 999n)).toBe(allowed);
      expect(await call(receiver, 1000n)).toEqual(denied);
      expect(await call(receiver, 2n ** 255n)).toEqual(denied);
      expect(await call(stranger, 5n)).toEqual(denied);
      expect(await signEthereum({ to: token, value: 0n, data: `${erc20Transfer(receiver, 5n)}00` })).not.toBe(allowed);
    });

    test('D42: tx.fully_parsed is true only if everything was understood', async () => {
      await allow('tx.fully_parsed');
      expect(await signEthereum({ to: receiver })).toBe(allowed);
      expect(await signEthereum({ to: receiver, data: '0xac9650d8' })).toEqual(denied);
    });

    test('D67: what the service knows by itself widens no policy', async () => {
      await allow("tx.fully_parsed || eth.tx.function_name == 'transfer'");
      await allow("eth.tx.function_name == 'transfer'");
      await allow("!(eth.tx.function_name == 'approve')");
      const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
      const call = { to: usdc, value: 0n, chainId: 1n, data: erc20Transfer(receiver, 5n) };
      expect(await signEthereum(call)).toEqual(denied);
      await allow('eth.tx.max_cost < 1000000000000000000 && eth.tx.max_fee == eth.tx.max_cost');
      expect(await signEthereum(call)).toBe(allowed);
    });

    test('typed data is judged by its content', async () => {
      await allow(
        `eth.eip_712.primary_type == 'Permit' && eth.eip_712.domain.verifying_contract == '${token}' && eth.eip_712.message['spender'] == '${receiver}' && eth.eip_712.message['value'] <= 100`,
      );
      const typed = (message: string) => signRaw(message, 'PAYLOAD_ENCODING_EIP712');
      expect(await typed(permit(token, receiver, 100n))).toBe(allowed);
      expect(await typed(permit(token, receiver, 101n))).toEqual(denied);
      expect(await typed(permit(token, stranger, 1n))).toEqual(denied);
      expect(await typed(permit(stranger, receiver, 1n))).toEqual(denied);
      expect(await signRaw('12'.repeat(32))).toEqual(denied);
    });

    test('members of typed data compare with a quoted integer and with an integer', async () => {
      const typed = (message: string) => signRaw(message, 'PAYLOAD_ENCODING_EIP712');
      await allow("eth.eip_712.message['value'] == '0'");
      expect(await typed(permit(token, receiver, 0n))).toBe(allowed);
      expect(await typed(permit(token, receiver, 100000000n))).toEqual(denied);
      await allow("eth.eip_712.message['value'] < 100000000");
      expect(await typed(permit(token, receiver, 99999999n))).toBe(allowed);
      expect(await typed(permit(token, receiver, 100000000n))).toEqual(denied);
    });

    test('a quoted integer is read as an integer beside an integer field', async () => {
      await allow("eth.tx.chain_id in ['1', '137'] && eth.tx.value <= '0x64'");
      const call = { to: receiver, chainId: 137n, value: 100n };
      expect(await signEthereum(call)).toBe(allowed);
      expect(await signEthereum({ ...call, value: 101n })).toEqual(denied);
      expect(await signEthereum({ ...call, chainId: 10n })).toEqual(denied);
    });

    test('a rule for a cold wallet allows a plain transfer to it, and a token transfer to it', async () => {
      const bare = receiver.slice(2).toLowerCase();
      await allow(`eth.tx.to == '${receiver}' || (eth.tx.data[0..10] == '0xa9059cbb' && eth.tx.data[34..74] == '${bare}')`);
      expect(await signEthereum({ to: receiver, chainId: 1n, value: 5n })).toBe(allowed);
      expect(await signEthereum({ to: token, chainId: 1n, value: 0n, data: erc20Transfer(receiver, 5n) })).toBe(allowed);
      expect(await signEthereum({ to: token, chainId: 1n, value: 0n, data: erc20Transfer(stranger, 5n) })).toEqual(denied);
      expect(await signEthereum({ to: stranger, chainId: 1n, value: 5n })).toEqual(denied);
    });
  });

  test('policies can name a wallet, an account and a private key, and an address in any spelling', async () => {
    const { root } = organization;
    const account = (addressFormat: string, curve: string, path: string) => ({
      addressFormat,
      curve,
      path,
      pathFormat: 'PATH_FORMAT_BIP32',
    });
    const walletName = uniqueName('Wallet');
    const { walletId, addresses: made } = await root.result('createWallet', {
      walletName,
      accounts: [
        account('ADDRESS_FORMAT_ETHEREUM', 'CURVE_SECP256K1', "m/44'/60'/0'/0/0"),
        account('ADDRESS_FORMAT_SOLANA', 'CURVE_ED25519', "m/44'/501'/0'/0'"),
        account('ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH', 'CURVE_SECP256K1', "m/84'/0'/0'/0/0"),
      ],
    });
    const [ethereum, solana, bitcoin] = made as [string, string, string];
    const sign = async (signWith: string | undefined) => {
      const hashFunction = signWith === solana ? 'HASH_FUNCTION_NOT_APPLICABLE' : 'HASH_FUNCTION_SHA256';
      const params = { signWith, payload: 'x', encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction };
      return outcomeOf(await user.caller.submit('signRawPayload', params));
    };
    const under = async (condition: string, check: () => Promise<void>) => {
      const policyId = await allow(condition);
      await check();
      await root.result('deletePolicy', { policyId });
    };
    for (const condition of [`wallet.id == '${walletId}'`, `wallet.label == '${walletName}' && !wallet.imported`]) {
      await under(condition, async () => {
        for (const address of made) expect(await sign(address), condition).toBe(allowed);
        expect(await sign(addresses.ETHEREUM)).toEqual(denied);
      });
    }
    const spellings: [string, string][] = [
      [ethereum, ethereum],
      [ethereum, ethereum.toLowerCase()],
      [solana, solana],
      [bitcoin, bitcoin],
      [bitcoin, bitcoin.toUpperCase()],
    ];
    for (const [address, spelling] of spellings) {
      await under(`wallet_account.address == '${spelling}'`, async () => {
        for (const each of made) expect(await sign(each), spelling).toEqual(each === address ? allowed : denied);
      });
    }
    await under('!private_key.exported', async () => {
      expect(await sign(addresses.ETHEREUM)).toBe(allowed);
      expect(await sign(ethereum)).toEqual(denied);
    });
  });

  describe('Solana', () => {
    const solana = (name: string) => corpusTransaction('solana', name, addresses.SOLANA as string);

    test('D38: one transfer to the right account does not allow others', async () => {
      const single = solana('transfer, legacy message');
      const several = solana('several transfers with compute budget and memo');
      await allow(`solana.tx.transfers.count == 1 && solana.tx.transfers[0].to == '${single.expected.account_keys[1]}'`);
      expect(await signTransaction('SOLANA', single.unsignedTransaction)).toBe(allowed);
      expect(await signTransaction('SOLANA', several.unsignedTransaction)).toEqual(denied);
      expect(await signTransaction('SOLANA', solana('Token approve').unsignedTransaction)).toEqual(denied);
    });

    test('D39: accounts from a lookup table match no address', async () => {
      const looked = solana('version 0 message with an address lookup table').unsignedTransaction;
      await allow('solana.tx.instructions.count() > 0');
      expect(await signTransaction('SOLANA', looked)).toBe(allowed);
      const policyId = await deny('solana.tx.address_table_lookups.count() > 0');
      expect(await signTransaction('SOLANA', looked)).toEqual(denied);
      await organization.root.result('deletePolicy', { policyId });
      await deny('!tx.fully_parsed');
      expect(await signTransaction('SOLANA', looked)).toEqual(denied);
      expect(await signTransaction('SOLANA', solana('transfer, version 0 message').unsignedTransaction)).toBe(allowed);
    });
  });

  test('Tron: receiver and amount decide, and a contract call does not match', async () => {
    const tron = (name: string) => corpusTransaction('tron', name, addresses.TRON as string);
    const { unsignedTransaction, expected } = tron('TransferContract');
    await allow(
      `tron.tx.contract[0].type == 'TransferContract' && tron.tx.contract[0].to_address == '${expected.contract[0].to_address}' && tron.tx.contract[0].amount <= 1500000`,
    );
    expect(await signTransaction('TRON', unsignedTransaction)).toBe(allowed);
    expect(await signTransaction('TRON', tron('TransferContract of the largest amount').unsignedTransaction)).toEqual(denied);
    expect(await signTransaction('TRON', tron('TriggerSmartContract: TRC-20 transfer').unsignedTransaction)).toEqual(denied);
  });
});
