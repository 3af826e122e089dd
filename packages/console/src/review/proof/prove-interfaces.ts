import type { EffectShape } from '@countersign/contract';
import type { Knowledge, NameClaim } from '../types.ts';
import { proveAll } from './prove-all.ts';
import { createdIn, type NamedRecord, type Prover } from './prove-record.ts';

type Interface = Knowledge['interfaces'][number];

/** The interfaces that the log proves, among those for a contract of some effects. All others are left out. */
interface ProvenInterfaces {
  readonly interfaces: readonly Interface[];
  readonly names: readonly NameClaim[];
}

/**
 * Proves the contract interfaces that a request is read with.
 * SECURITY: D1110: an interface that only an altered response states would name a call, so that it needs no second step.
 */
export async function provenInterfaces(
  effects: readonly EffectShape[],
  interfaces: readonly Interface[],
  prover: Pick<Prover, 'record'>,
): Promise<ProvenInterfaces> {
  // A contract is in its effects as the receiver, as the sender or in the name of its token.
  const text = JSON.stringify(effects).toLowerCase();
  const used = interfaces.filter(({ smartContractAddress }) => text.includes(smartContractAddress.toLowerCase()));
  const proofs = await Promise.all(used.map((each) => proveAll([interfaceRecord(each)], prover)));
  return {
    interfaces: used.filter((_, at) => proofs[at] !== undefined),
    names: used.map(({ label, smartContractAddress }, at) => ({
      ...{ kind: 'interface', name: label, address: smartContractAddress },
      proof: proofs[at],
    })),
  };
}

/** Interfaces do not change. */
const interfaceRecord = ({ smartContractInterfaceId: id, label, type, ...contract }: Interface): NamedRecord => ({
  ...{ kind: 'smartContractInterface', id, updatedAt: createdIn(id) },
  body: {
    ...{ label, type, smartContractAddress: contract.smartContractAddress },
    smartContractInterface: contract.smartContractInterface,
  },
});
