import { describe, expect, test } from 'vitest';
import { isExhaustive } from '../../support/exhaustive.ts';
import type { Engine } from '../../support/installation.ts';
import { missingForCallFaults } from './support/phases/call-fault.ts';
import { type PhaseCommandName, runPhases } from './support/phases/campaign.ts';
import { phaseCommands } from './support/phases/commands.ts';

const names = Object.keys(phaseCommands) as PhaseCommandName[];
const all = names.flatMap((command) => phaseCommands[command].engines.map((engine: Engine) => ({ command, engine })));
/** Each command on one engine, unless all are asked for. */
const cases = isExhaustive
  ? all
  : all.filter(({ command }, index) => all.findIndex((other) => other.command === command) === index);

/** The short form of `npm run fault -- phases`. */
describe.skipIf(missingForCallFaults() !== undefined)('fault 16: maintenance commands killed in the middle', () => {
  test.each(cases)(
    '$command on $engine: nothing is lost, executed twice or unlogged, and the advised repair works',
    { timeout: 600_000 },
    async (which) => {
      const { violations, kills } = await runPhases({ ...which, points: Number(process.env.PHASE_POINTS ?? 1) });
      expect(violations).toEqual([]);
      expect(kills).toBeGreaterThan(0);
    },
  );
});
