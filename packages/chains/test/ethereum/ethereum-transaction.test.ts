import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { ethereumTransaction, parseAuthorization } from '../../src/ethereum/index.ts';
import { decodeRlp } from '../../src/ethereum/rlp.ts';
import { contextWith, type Item, parse, refusal, rlp, secret, signer, signerOf, signWith } from './support.ts';

const to = '35'.repeat(20);
const unsigned155 = 'ec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080';
const hash = `01${'ab'.repeat(31)}`;
/** chain 1, nonce 2, priority 3, fee 4, gas 21000, to, value 5, no data, no access list. */
const feeMarket: readonly Item[] = ['01', '02', '03', '04', '5208', to, '05', '', []];
const legacy: readonly Item[] = ['09', '04a817c800', '5208', to, '0de0b6b3a7640000', ''];
const authorization: Item = ['01', to, '05', '01', '11'.repeat(32), '22'.repeat(32)];

const replaced = (items: readonly Item[], index: number, item: Item): readonly Item[] => items.with(index, item);

describe('the example of EIP-155', () => {
  test('has the digest, signature and view that the EIP gives', () => {
    const parsed = parse(unsigned155);
    const [request] = ethereumTransaction.signingRequests(parsed, signer);
    expect(request).toEqual({
      kind: 'ecdsa',
      digest: hexToBytes('daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53'),
    });
    expect(signWith(secret, unsigned155)).toBe(
      'f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
    );
    expect(parsed).toMatchObject({
      type: 'TRANSACTION_TYPE_ETHEREUM',
      namespace: 'eth.tx',
      description: 'send 1 ETH to 0x3535353535353535353535353535353535353535 on Ethereum, network fee at most 0.00042 ETH',
      fullyParsed: true,
      unparsed: [],
    });
    expect(parsed.policy).toEqual({
      type: 'LEGACY',
      is_deployment: false,
      from: '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f',
      to: `0x${to}`,
      data: '0x',
      value: 1_000_000_000_000_000_000n,
      gas: 21_000n,
      gas_price: 20_000_000_000n,
      max_fee: 420_000_000_000_000n,
      max_cost: 1_000_420_000_000_000_000n,
      chain_id: 1n,
      nonce: 9n,
    });
  });

  test.each(['', '0x', '0X'])('is read with the prefix %j', (prefix) => {
    expect(parse(prefix + unsigned155).envelope.signingBytes).toEqual(hexToBytes(unsigned155));
    expect(parse(prefix + unsigned155.toUpperCase()).policy).toEqual(parse(unsigned155).policy);
  });
});

describe('what policies see', () => {
  test('D45: a legacy transaction without EIP-155 has no chain id and says so', () => {
    const parsed = parse(rlp(legacy));
    expect(parsed.policy).not.toHaveProperty('chain_id');
    expect(parsed.description).toBe(
      'NOT BOUND TO ONE CHAIN: the transaction has no chain id, so anybody can send it again on every chain, ' +
        'send 1 of the native coin to 0x3535353535353535353535353535353535353535, network fee at most 0.00042 of the native coin',
    );
    const signed = decodeRlp(hexToBytes(signWith(secret, rlp(legacy)))) as Uint8Array[];
    expect(signed).toHaveLength(9);
    expect([27, 28]).toContain(signed[6]?.[0]);
  });

  test('D44: a contract creation goes to nobody', () => {
    const parsed = parse(rlp(replaced(replaced(feeMarket, 5, ''), 7, '6000'), 0x02));
    expect(parsed.policy).toMatchObject({ to: '', is_deployment: true });
    expect(parse(rlp(feeMarket, 0x02)).policy).toMatchObject({ to: `0x${to}`, is_deployment: false });
    expect(parsed.fullyParsed).toBe(false);
    expect(parsed.unparsed).toEqual(['The code of a new contract was not decoded.']);
    expect(parsed.description).toBe(
      'create a contract for 0.000000000000000005 ETH, code of the new contract, 2 bytes not understood: treat as dangerous ' +
        'on Ethereum, network fee at most 0.000000000000084 ETH',
    );
  });

  test('D36: the access list of a type 1 transaction is visible', () => {
    const list = [[to, ['00'.repeat(32), 'ff'.repeat(32)]]];
    const { policy } = parse(rlp(['01', '02', '03', '5208', to, '05', '', list], 0x01));
    expect(policy).toMatchObject({ type: 'TYPE_1', gas_price: 3n });
    expect(policy.access_list).toEqual([{ address: `0x${to}`, storage_keys: [`0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`] }]);
    expect(policy).not.toHaveProperty('max_fee_per_gas');
  });

  test('D36: the blobs of a type 3 transaction are visible, and their content is not claimed to be', () => {
    const parsed = parse(rlp([...feeMarket, '06', [hash]], 0x03));
    expect(parsed.policy).toMatchObject({ type: 'TYPE_3', max_fee_per_blob_gas: 6n, blob_versioned_hashes: [`0x${hash}`] });
    expect(parsed.fullyParsed).toBe(false);
  });

  test('D36: a type 4 transaction says in words whose account it gives to which code', () => {
    const signed = (address: string): Item => {
      const { digest } = parseAuthorization(JSON.stringify({ address: `0x${address}`, chainId: 1, nonce: 5 }), contextWith());
      const [recovery, ...rs] = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' });
      return [
        '01',
        address,
        '05',
        recovery === 0 ? '' : '01',
        bytesToHex(Uint8Array.from(rs.slice(0, 32))),
        bytesToHex(Uint8Array.from(rs.slice(32))),
      ];
    };
    const parsed = parse(rlp([...feeMarket, [signed(to), signed('00'.repeat(20))]], 0x04));
    const authority = '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f';
    expect(parsed.policy.authorization_list).toEqual([
      { chain_id: 1n, address: `0x${to}`, nonce: 5n, authority },
      { chain_id: 1n, address: `0x${'00'.repeat(20)}`, nonce: 5n, authority },
    ]);
    expect(parsed.description).toBe(
      'send 0.000000000000000005 ETH to 0x3535353535353535353535353535353535353535, ' +
        'CHANGE WHO CONTROLS 0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F: it obeys from now on, without limit, the code at ' +
        '0x3535353535353535353535353535353535353535, ' +
        'CHANGE WHO CONTROLS 0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F: it obeys no code any more on Ethereum, ' +
        'network fee at most 0.000000000000084 ETH',
    );
    expect(parsed.fullyParsed).toBe(true);
  });

  test('D36: an authorization that nobody signed is shown without authority', () => {
    const unsigned = replaced(replaced(authorization as Item[], 3, '02'), 0, '');
    const parsed = parse(rlp([...feeMarket, [unsigned]], 0x04));
    expect(parsed.policy.authorization_list).toEqual([{ chain_id: 0n, address: `0x${to}`, nonce: 5n }]);
    expect(parsed.unparsed).toEqual(['Authorization 0 has no valid signature, so the account that it delegates is unknown.']);
    expect(parsed.description).toContain(
      'delegation of an unknown account to the code on 0x3535353535353535353535353535353535353535',
    );
    expect(parsed.description).toContain('treat as dangerous');
  });

  test('call data without an interface is shown as not decoded', () => {
    const parsed = parse(rlp(replaced(replaced(feeMarket, 6, ''), 7, 'a9059cbb00'), 0x02));
    expect(parsed.policy).toMatchObject({ data: '0xa9059cbb00' });
    expect(parsed.policy).not.toHaveProperty('function_name');
    expect(parsed.fullyParsed).toBe(false);
    expect(parsed.description).toBe(
      'unknown call on 0x3535353535353535353535353535353535353535, 5 bytes not understood: treat as dangerous on Ethereum, ' +
        'network fee at most 0.000000000000084 ETH',
    );
  });

  test('D43: the largest value stays exact', () => {
    const parsed = parse(rlp(replaced(feeMarket, 6, 'ff'.repeat(32)), 0x02));
    expect(parsed.policy.value).toBe(2n ** 256n - 1n);
    expect(parsed.description).toContain(
      'send 115,792,089,237,316,195,423,570,985,008,687,907,853,269,984,665,640,564,039,457.584007913129639935 ETH',
    );
  });

  test('the coin is named only where it is known', () => {
    expect(parse(rlp(replaced(feeMarket, 0, '89'), 0x02)).description).toContain('0.000000000000000005 POL');
    expect(parse(rlp(replaced(feeMarket, 0, '0539'), 0x02)).description).toContain('0.000000000000000005 of the native coin');
  });

  test('a chain id beyond 2^53 is exact in v', () => {
    const chainId = 2n ** 63n + 1n;
    const items = [...legacy, chainId.toString(16), '', ''];
    const [, , , , , , v] = decodeRlp(hexToBytes(signWith(secret, rlp(items)))) as Uint8Array[];
    expect([chainId * 2n + 35n, chainId * 2n + 36n]).toContain(BigInt(`0x${bytesToHex(v ?? new Uint8Array())}`));
  });
});

describe('refusals', () => {
  test('D35: more than 128 KiB', () => {
    expect(refusal(() => parse('00'.repeat(131_073)))).toContain('larger than 131072 bytes');
  });

  test('D35: every type byte but the four known ones', () => {
    const accepted = Array.from({ length: 0xc0 }, (_, prefix) => prefix).filter((prefix) => {
      try {
        parse(rlp(feeMarket, prefix));
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_TRANSACTION' });
        return false;
      }
    });
    // Types 1, 3 and 4 are known, but these are the nine fields of type 2.
    expect(accepted).toEqual([0x02]);
  });

  test('a key of another curve', () => {
    const context = { signer: { curve: 'CURVE_ED25519' as const, publicKey: new Uint8Array(32) }, interfaces: [] };
    expect(refusal(() => ethereumTransaction.parse(unsigned155, context))).toContain('INVALID_CURVE');
  });

  test('a key that is no point', () => {
    const context = { ...contextWith(), signer: { ...signer, publicKey: new Uint8Array(33) } };
    expect(refusal(() => ethereumTransaction.parse(unsigned155, context))).toContain('INVALID_PUBLIC_KEY');
  });

  test('another signer than the one policies saw', () => {
    const other = signerOf(hexToBytes('47'.repeat(32)));
    const parsed = parse(unsigned155);
    expect(refusal(() => ethereumTransaction.signingRequests(parsed, other))).toContain('parsed for another signer');
    expect(refusal(() => ethereumTransaction.assemble(parsed, other, []))).toContain('parsed for another signer');
  });

  test('signatures that are not one canonical signature', () => {
    const parsed = parse(unsigned155);
    const signature = (r: string, s: string) => ({ bytes: hexToBytes(r.repeat(32) + s.repeat(32)), recovery: 0 as const });
    const good = signature('11', '22');
    expect(ethereumTransaction.assemble(parsed, signer, [good])).toContain('11'.repeat(32));
    for (const bad of [
      [],
      [good, good],
      [{ ...good, bytes: good.bytes.subarray(1) }],
      [signature('00', '22')],
      [signature('11', '00')],
      [signature('ff', '22')],
      [signature('11', 'ee')],
    ]) {
      expect(refusal(() => ethereumTransaction.assemble(parsed, signer, bad))).toContain('signature');
    }
  });
});
