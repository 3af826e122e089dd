import { type Client, completed, type Submitted } from '@countersign/client';
import type { Activities, ActivityStatus, HashFunction, PayloadEncoding, Queries } from '@countersign/contract';
import { expectTypeOf, test } from 'vitest';

test('the contract is the type of the client', () => {
  expectTypeOf<keyof Client>().toEqualTypeOf<keyof Activities | keyof Queries | 'request' | 'organizationId'>();

  expectTypeOf<Parameters<Client['signRawPayload']>[0]>().toEqualTypeOf<{
    signWith: string;
    payload: string;
    encoding: PayloadEncoding;
    hashFunction: HashFunction;
  }>();

  type Signed = Awaited<ReturnType<Client['signRawPayload']>>;
  expectTypeOf<Signed['result']>().toEqualTypeOf<{ r: string; s: string; v: string } | undefined>();
  expectTypeOf<Signed['activity']['status']>().toEqualTypeOf<ActivityStatus>();
  expectTypeOf<Signed['activity']['intent']['privateKeyId']>().toEqualTypeOf<string>();
  expectTypeOf(completed<{ r: string }>).toEqualTypeOf<(submitted: Submitted<unknown, { r: string }>) => { r: string }>();

  type Echoed = Awaited<ReturnType<Client<'turnkey'>['signRawPayload']>>['activity']['intent'];
  expectTypeOf<Echoed['signWith']>().toEqualTypeOf<string>();

  type Wallets = Awaited<ReturnType<Client['listWallets']>>['wallets'];
  expectTypeOf<Wallets[number]['walletName']>().toEqualTypeOf<string>();
});

test('a query without fields needs no argument; one with required fields does', () => {
  expectTypeOf<[]>().toExtend<Parameters<Client['listWallets']>>();
  expectTypeOf<[]>().not.toExtend<Parameters<Client['getWallet']>>();
  expectTypeOf<Parameters<Client['getWallet']>[0]>().toExtend<{ walletId: string; organizationId?: string }>();
});
