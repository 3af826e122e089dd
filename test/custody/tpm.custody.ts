import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileRootKey, nextFileRootKey } from '../../packages/server/src/vault/root-key/providers/file.ts';
import { tpmFormat } from '../../packages/server/src/vault/root-key/providers/tpm.ts';
import { describeRootKeyProvider } from '../../packages/server/test/vault/root-key/provider-suite.ts';
import { makeDataDirectory } from '../support/data-directory.ts';
import { SoftwareTpm } from './swtpm.ts';

async function startTpm(): Promise<SoftwareTpm> {
  const tpm = await SoftwareTpm.start(makeDataDirectory('swtpm'));
  onTestFinished(() => tpm.pullOut());
  return tpm;
}

describeRootKeyProvider('TPM 2.0 (swtpm)', async ({ directory }) => {
  const [machine, other] = [await startTpm(), await startTpm()];
  const path = join(directory, 'root.tpm');
  const on = ({ tpm }: SoftwareTpm) => tpmFormat('sha256:7', tpm);
  return {
    node: () => fileRootKey(path, on(machine)),
    withWrongCredentials: () => fileRootKey(path, on(other)),
    wrongSecret: 'port=',
    next: () => ({ target: nextFileRootKey(path, on(machine)), after: fileRootKey(path, on(machine)) }),
    async lose() {
      await machine.pullOut();
      return () => machine.plugIn();
    },
  };
});

describe('a root key that a TPM sealed', () => {
  test('D553: a copy of the file opens nothing on another machine', async () => {
    const [machine, other] = [await startTpm(), await startTpm()];
    const directory = makeDataDirectory('tpm');
    const { id } = await fileRootKey(join(directory, 'root.tpm'), tpmFormat(undefined, machine.tpm)).create();
    copyFileSync(join(directory, 'root.tpm'), join(directory, 'copy.tpm'));
    const copy = (tpm: SoftwareTpm) => fileRootKey(join(directory, 'copy.tpm'), tpmFormat(undefined, tpm.tpm)).find(id);
    await expect(copy(other)).rejects.toThrow('another TPM sealed the root key');
    await expect(copy(machine)).resolves.toMatchObject({ id });
  });

  test('D553: a machine that was started differently does not open it, and one that was started as before does', async () => {
    const machine = await startTpm();
    const path = join(makeDataDirectory('tpm'), 'root.tpm');
    const open = () => fileRootKey(path, tpmFormat('sha256:7', machine.tpm));
    const { id } = await open().create();
    execFileSync('tpm2_pcrextend', [`7:sha256=${'a'.repeat(64)}`], { env: machine.environment });
    await expect(open().find(id)).rejects.toThrow('a PCR that it is sealed to has another value');
    await machine.pullOut();
    await machine.plugIn();
    await expect(open().find(id)).resolves.toMatchObject({ id });
  });
});
