import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { checkMachine, type MachineReaders, machineReaders, openMachineBinding } from '../../src/installation/machine-binding.ts';
import { openIntegrity } from '../../src/vault/integrity/integrity.ts';
import { generateIntegrityKey } from '../../src/vault/integrity/integrity-key.ts';

describe('D264: the machine of a data directory', () => {
  const { integrity } = openIntegrity(generateIntegrityKey());
  let directory: string;

  beforeEach(() => {
    directory = makeDataDirectory('machine');
    return () => rmSync(directory, { recursive: true });
  });

  const config = (bindMachine: string) => readConfig({ dataDir: directory, bindMachine }, {});
  const machine = (name: string): MachineReaders => ({ 'machine-id': async () => name, tpm: async () => `tpm of ${name}` });
  const file = () => join(directory, 'machine.json');
  const foreign = { name: 'EpochError', message: expect.stringContaining('bound to another machine') };

  test('is recorded once, without its identity', async () => {
    await openMachineBinding(config('off'), integrity, machine('one'));
    expect(await checkMachine(config('off'), integrity, machine('one'))).toBeUndefined();
    await openMachineBinding(config('machine-id'), integrity, machine('one'));
    const text = readFileSync(file(), 'utf8');
    expect(JSON.parse(text)).toEqual({ version: 1, how: 'machine-id', mac: expect.any(String) });
    expect(text).not.toContain('one');
    await openMachineBinding(config('machine-id'), integrity, machine('one'));
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  test('must be the same at each startup, whatever the setting says', async () => {
    await openMachineBinding(config('machine-id'), integrity, machine('one'));
    const text = readFileSync(file(), 'utf8');
    for (const how of ['machine-id', 'tpm', 'off'])
      await expect(openMachineBinding(config(how), integrity, machine('two'))).rejects.toMatchObject(foreign);
    const nothing = async (): Promise<string> => {
      throw new Error('there is none');
    };
    const without = { 'machine-id': nothing, tpm: nothing };
    await expect(openMachineBinding(config('off'), integrity, without)).rejects.toMatchObject(foreign);
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  test('can be bound in another way by its own machine', async () => {
    await openMachineBinding(config('machine-id'), integrity, machine('one'));
    await openMachineBinding(config('tpm'), integrity, machine('one'));
    expect(await checkMachine(config('tpm'), integrity, machine('one'))).toBe('tpm');
    await expect(checkMachine(config('tpm'), integrity, machine('two'))).rejects.toMatchObject(foreign);
  });

  test('is not guessed from an altered file', async () => {
    await openMachineBinding(config('machine-id'), integrity, machine('one'));
    const bound = JSON.parse(readFileSync(file(), 'utf8'));
    writeFileSync(file(), JSON.stringify({ ...bound, how: 'tpm' }));
    await expect(checkMachine(config('off'), integrity, machine('one'))).rejects.toMatchObject(foreign);
    writeFileSync(file(), '{}');
    await expect(checkMachine(config('off'), integrity, machine('one'))).rejects.toMatchObject({ name: 'EpochError' });
  });

  test('without an identity cannot be bound, and the error says what to do', async () => {
    const failing: MachineReaders = {
      ...machineReaders,
      tpm: async () => Promise.reject(new Error('spawn tpm2_createek ENOENT')),
    };
    await expect(openMachineBinding(config('tpm'), integrity, failing)).rejects.toMatchObject({
      name: 'ConfigError',
      fix: expect.stringContaining('tpm2-tools'),
    });
  });
});
