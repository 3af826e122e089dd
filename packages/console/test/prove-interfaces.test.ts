import type { EffectShape } from '@countersign/contract';
import { expect, test } from 'vitest';
import { provenInterfaces } from '../src/review/proof/prove-interfaces.ts';
import type { NamedRecord } from '../src/review/proof/prove-record.ts';
import type { Knowledge } from '../src/review/types.ts';

const vault = '0x00000000000000000000000000000000000000aa';
const interfaceOf = (label: string, smartContractAddress: string) =>
  ({
    ...{ smartContractInterfaceId: `01890000-0000-7000-8000-${label}`, label, smartContractAddress },
    ...{ smartContractInterface: '[]', type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', notes: 'N' },
  }) as Knowledge['interfaces'][number];
const called = [{ kind: 'CALL', what: 'harvest()', to: vault.toUpperCase().replace('0X', '0x') }] as EffectShape[];

test('D1110: only proven interfaces of called contracts are used, and a name is claimed for each of these', async () => {
  const [own, false_, other] = [
    interfaceOf('own', vault),
    interfaceOf('false', vault),
    interfaceOf('other', vault.replace('aa', 'bb')),
  ];
  const asked: NamedRecord[] = [];
  const prover = {
    async record(record: NamedRecord) {
      asked.push(record);
      return record.body.label === 'own' ? { activityId: 'a1', userName: 'Ann', atMs: 1 } : undefined;
    },
  };
  const { interfaces, names } = await provenInterfaces(called, [own, false_, other], prover);
  expect(interfaces).toEqual([own]);
  expect(names.map(({ kind, name, proof }) => [kind, name, proof?.activityId])).toEqual([
    ['interface', 'own', 'a1'],
    ['interface', 'false', undefined],
  ]);
  // A contract that is not called costs no call.
  expect(asked).toHaveLength(2);
  const { smartContractAddress, smartContractInterface, type, label } = own;
  expect(asked[0]).toMatchObject({
    ...{ kind: 'smartContractInterface', updatedAt: { seconds: String(Math.floor(0x018900000000 / 1000)) } },
    body: { smartContractAddress, smartContractInterface, type, label },
  });
});
