import { ChainError, contractInterfaceTypes } from '@countersign/chains';
import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { invalidField, limitExceeded, nameTaken } from '../../wire/refuse.ts';

export const createSmartContractInterface = execute(activities.createSmartContractInterface, {
  locksOrganization: true,

  async plan({ organization, limits, nowMs }, params) {
    const { smartContractInterface, type, label, notes = '' } = params;
    const stored = organization.records.smartContractInterface;
    const limit = limits.maxSmartContractInterfaces;
    if (stored.size + 1 > limit) throw limitExceeded('smart contract interfaces', limit, 'maxSmartContractInterfaces');
    const { normalizeAddress, parse } = contractInterfaceTypes[type];
    const smartContractAddress = orRefuse('smartContractAddress', () => normalizeAddress(params.smartContractAddress));
    orRefuse('smartContractInterface', () => parse(smartContractInterface));
    for (const other of stored.values()) {
      if (other.label === label) throw nameTaken('smart contract interface', 'label');
      if (other.type === type && other.smartContractAddress === smartContractAddress) {
        throw invalidField('smartContractAddress', 'already has an interface; delete that one first');
      }
    }
    const record = { label, smartContractAddress, smartContractInterface, type, notes, createdAtMs: nowMs, updatedAtMs: nowMs };
    return { intent: params, subject: { parameters: () => ({ smartContractAddress }) }, prepared: record };
  },

  async run({ newId }, { prepared }) {
    const smartContractInterfaceId = newId();
    return {
      result: { smartContractInterfaceId },
      changes: [{ op: 'putRecord', kind: 'smartContractInterface', id: smartContractInterfaceId, body: prepared }],
    };
  },
});

function orRefuse<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ChainError) throw invalidField(field, error.message, { cause: error });
    throw error;
  }
}
