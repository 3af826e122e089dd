import type { Config } from '../../config/settings.ts';
import type { WitnessSetting } from '../../config/witnesses.ts';
import { createLocalTreeState } from '../../log/local-tree-state.ts';
import { LogError } from '../../log/log-error.ts';
import { compareWithWitness } from '../../log/witness/witness-comparison.ts';
import { WitnessUnreachable } from '../../log/witness/witness-fetch.ts';
import type { Store } from '../../store/store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Finding } from './finding.ts';

/** Compares the log with the checkpoint that each witness shows. Changes nothing. */
export function checkWitnesses(
  config: Pick<Config, 'witnesses' | 'requireWitness'>,
  store: Store,
  { integrity, service }: Pick<Vault, 'integrity' | 'service'>,
  origin: string,
): Promise<readonly Finding[]> {
  const mustConfirm = config.requireWitness !== undefined && config.witnesses.length === 1;
  async function check(witness: WitnessSetting): Promise<Finding> {
    const { name } = witness.key;
    try {
      const { size, root } = await createLocalTreeState(store.log, integrity).refresh();
      const seen = await compareWithWitness(store.log, witness, origin, service.logKey, { size, root });
      const detail =
        seen === undefined ? `${name} has not cosigned this log yet` : `${name} has cosigned ${seen} of ${size} entries`;
      return { check: 'witness', ok: true, detail, ...(seen === undefined && { warning: true, fix: fixFor(origin) }) };
    } catch (error) {
      if (error instanceof LogError) return { check: 'witness', ok: false, detail: error.message, fix: error.fix };
      if (!(error instanceof WitnessUnreachable)) throw error;
      const fix = `Check the witness at ${witness.url}, and the network to it.`;
      const finding = { check: 'witness', detail: `${name} cannot be compared: ${error.message}`, fix };
      return mustConfirm ? { ...finding, ok: false } : { ...finding, ok: true, warning: true };
    }
  }
  return Promise.all(config.witnesses.map(check));
}

const fixFor = (origin: string) =>
  `Start the service. If it is running, check that the witness watches ${origin}: its --log-key must be the key at /log/key.`;
