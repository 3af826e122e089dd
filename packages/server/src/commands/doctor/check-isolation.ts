import { ConfigError } from '../../config/config-error.ts';
import type { Config } from '../../config/settings.ts';
import { chooseIsolation } from '../../isolation/choose-isolation.ts';
import { workerFiles } from '../../process/worker-files.ts';
import type { Finding } from './finding.ts';

const check = 'isolation';

/** Whether a service with these settings would isolate its keys on this machine. */
export async function checkIsolation(config: Config): Promise<Finding> {
  try {
    const { confinement, fact } = await chooseIsolation(config, workerFiles);
    if (confinement !== undefined) return { check, ok: true, detail: fact ?? 'keys are isolated from the network' };
    if (fact === undefined) return { check, ok: true, detail: 'keys are not isolated from the network: --isolate is off' };
    const fix = 'See docs/guide/isolation.md for what it needs, or set --isolate off if this is intended.';
    return { check, ok: true, warning: true, detail: fact, fix };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { check, ok: false, detail: error.message, fix: error.fix };
  }
}
