import { describe, expect, test } from 'vitest';
import { readSend, type SendRecord, sendWrite } from '../../src/sending/send-record.ts';
import type { SendRow } from '../../src/store/rows.ts';
import { openIntegrity } from '../../src/vault/integrity/integrity.ts';
import { Secret } from '../../src/vault/keys/secret.ts';

const { integrity } = openIntegrity(new Secret(new Uint8Array(32).fill(3)));

const body = JSON.stringify({ activityId: 'a', hash: '0xab', signed: '00', attempts: 0, isOut: false, confirmations: 0 });
const fields = {
  organizationId: 'o',
  id: 'i',
  chain: 'solana:test',
  account: 'x',
  nonce: 0,
  state: 'COMPLETED',
  revision: 3,
} as const;

/** A row as releases wrote it that had no key of the bytes. */
function earlierRow(requestKey: string): SendRow {
  const { organizationId, id, chain, account, nonce, state, revision } = fields;
  const content = JSON.stringify([chain, account, nonce, state, body, ...(requestKey === '' ? [] : [requestKey])]);
  const mac = integrity.row('sends', organizationId, 'send', id, revision, content);
  return { ...fields, body, requestKey, bytesKey: '', mac };
}

function rowOf(keys: Pick<SendRecord, 'requestKey' | 'bytesKey'>): SendRow {
  const record = { ...fields, ...keys, ...(JSON.parse(body) as object) } as unknown as SendRecord;
  return sendWrite(integrity, record).row as SendRow;
}

describe('rows of sent transactions', () => {
  test.each(['', 'name'])('of earlier releases are read (name "%s")', (requestKey) => {
    expect(readSend(integrity, earlierRow(requestKey))).toMatchObject({ id: 'i', requestKey, bytesKey: '', hash: '0xab' });
  });

  test.each([
    { requestKey: '', bytesKey: '' },
    { requestKey: 'name', bytesKey: '' },
    { requestKey: '', bytesKey: 'bytes' },
    { requestKey: 'name', bytesKey: 'bytes' },
  ])('are read with the keys $requestKey and $bytesKey', (keys) => {
    expect(readSend(integrity, rowOf(keys))).toMatchObject({ ...fields, ...keys, hash: '0xab' });
  });

  test('D947: a row whose key of the bytes was removed, moved or changed does not verify', () => {
    const row = rowOf({ requestKey: '', bytesKey: 'bytes' });
    for (const changed of [
      { bytesKey: '' },
      { bytesKey: 'other' },
      { requestKey: 'bytes', bytesKey: '' },
      { requestKey: 'name' },
    ])
      expect(readSend(integrity, { ...row, ...changed })).toBeUndefined();
    expect(readSend(integrity, { ...earlierRow('name'), requestKey: '', bytesKey: 'name' })).toBeUndefined();
  });
});
