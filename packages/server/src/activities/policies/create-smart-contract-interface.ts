import { ChainError, contractInterfaceTypes, newInterfaceBounds } from '@countersign/chains';
import { activities } from '@countersign/contract';
import { createSlices, inSlices } from '../../admission/index.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { invalidField, limitExceeded, nameTaken } from '../../wire/refuse.ts';

export const createSmartContractInterface = execute(activities.createSmartContractInterface, {
  locksOrganization: true,

  async plan({ organization, limits, nowMs }, params) {
    const { smartContractInterface, type, label, notes = '' } = params;
    const stored = organization.records.smartContractInterface;
    const limit = limits.maxSmartContractInterfaces;
    if (stored.size + 1 > limit) throw limitExceeded('smart contract interfaces', limit, 'maxSmartContractInterfaces');
    const { normalizeAddress, readInSteps } = contractInterfaceTypes[type];
    const smartContractAddress = await orRefuse('smartContractAddress', () => normalizeAddress(params.smartContractAddress));
    // SECURITY: D356: a long interface takes tens of milliseconds, and is read again after each start of the service.
    await orRefuse('smartContractInterface', () =>
      inSlices(readInSteps(smartContractInterface, newInterfaceBounds), createSlices(organization.id)),
    );
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

async function orRefuse<T>(field: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ChainError) throw invalidField(field, error.message, { cause: error });
    throw error;
  }
}
