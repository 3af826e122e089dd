import { setTimeout as sleep } from 'node:timers/promises';
import { stampFromNowOn } from '../../../support/caller.ts';
import { createPrivateKey } from '../../../support/world.ts';
import { runCommand } from '../../fault/support/command-process.ts';
import type { Attempt } from '../../fault/support/history.ts';
import { environmentFor, startServing, wordsFor } from '../../fault/support/serving.ts';
import { activityKey, readStored } from '../../fault/support/stored.ts';
import { waitUntil } from '../../fault/support/wait-until.ts';
import { type Fault, type Findings, nothingBroken, type Stage } from '../fault.ts';
import { Arena } from '../support/arena.ts';
import { PostgresPair } from '../support/postgres-pair.ts';
import { isServed } from '../support/timed-history.ts';

/** How far the standby is behind when it takes over, round by round. */
const LAGS_MS = [3_000, 300, 50, 1_000];

/**
 * What the standby did not get is lost, and no service can bring it back. It must say so, carry nothing out, and after the operator has
 * accepted the loss carry nothing out again that was acknowledged before.
 */
export const laggingFailOver: Fault = {
  name: 'lagging-fail-over',
  title: 'an asynchronous standby that lags takes over without the last commits',
  stores: ['postgres'],
  rounds: 4,
  async run(stage) {
    const all: Findings[] = [];
    for (let round = 0; round < stage.rounds; round++) {
      all.push(await lose(LAGS_MS[round % LAGS_MS.length] as number));
      stage.onRound?.(round + 1);
    }
    return together(stage, all);
  },
};

async function lose(lagMs: number): Promise<Findings> {
  const pair = await PostgresPair.start();
  const { place } = pair;
  let arena: Arena | undefined;
  try {
    await pair.addStandby({ synchronous: false });
    arena = await Arena.open(place);
    const { history, broken } = arena;
    const load = arena.startLoad();
    await sleep(3_000);
    pair.holdBack();
    await sleep(lagMs);
    await pair.crash();
    await pair.promote();
    const goneMs = performance.now();
    await sleep(4_000);
    await load.stop();
    const lost = await missing(arena);
    const after = history.sightings.filter(({ sentMs, status }) => sentMs >= goneMs && isServed(status)).length;
    if (lost.length > 0) {
      if (after > 0)
        broken.lost.push(`${lost.length} acknowledged activities were lost, and ${after} requests were served after that`);
      const { url } = arena;
      const told = async () => {
        const page = await fetch(`${url}/readyz`);
        return page.status === 503 && (await page.text()).includes('lost commits');
      };
      if (!(await waitUntil(10_000, told)))
        broken.lost.push(`/readyz did not tell of ${lost.length} lost activities (lag ${lagMs} ms)`);
      arena.notes.push(
        `lag ${lagMs} ms: ${lost.length} acknowledged activities lost; the running service ${broken.lost.length === 0 ? 'refused' : 'DID NOT REFUSE'}; ${await restarted(arena, lost)}`,
      );
    } else arena.notes.push(`lag ${lagMs} ms: nothing was lost`);
    const { notes } = arena;
    return { rounds: 1, bodies: history.attempts.length, acknowledged: history.acknowledgedMs.size, broken, times: [], notes };
  } finally {
    await arena?.close();
    await place.remove();
  }
}

/** Bodies that were acknowledged and that the database does not hold. */
async function missing({ history, place }: Arena): Promise<Attempt[]> {
  const { activities } = await readStored(await place.raw());
  return [...history.acknowledgedMs.keys()].filter(
    ({ about, caller, fingerprint }) => about === undefined && !activities.has(activityKey(caller.organizationId, fingerprint)),
  );
}

/**
 * Started again, the service knows the checkpoint of the log that it noted, which is up to two seconds old. Where that tells of the loss,
 * it refuses until the operator accepts the loss, and then carries nothing out again.
 */
async function restarted(arena: Arena, lost: readonly Attempt[]): Promise<string> {
  const { place, broken } = arena;
  await arena.process.kill();
  const again = startServing(place);
  const isUp = await again.firstLine().then(
    () => true,
    () => false,
  );
  const { code, stderr } = isUp ? await again.kill() : await again.ended;
  if (isUp) return 'after a restart, IT SERVES: the loss is newer than the stored checkpoint';
  if (code !== 1 || !stderr.includes('countersign recover')) broken.others.push(`it ended with ${code}: ${stderr}`);
  const accepted = await runCommand(['recover', '--accept-loss', ...wordsFor(place)], { environment: environmentFor(place) });
  if (accepted.code !== 0) broken.others.push(`recover ended with ${accepted.code}: ${accepted.stderr}`);
  arena.launch();
  await arena.ready();
  for (const { caller, name, body } of lost.slice(0, 50)) {
    const { status } = await caller.with({ url: arena.url }).send(caller.submitPath(name), body);
    if (status < 400) broken.twice.push(`${body} was lost, and is carried out again`);
  }
  stampFromNowOn();
  await createPrivateKey(arena.root());
  return 'after a restart it refused to start, and after `recover` it executed nothing twice';
}

function together({ rounds }: Stage, all: readonly Findings[]): Findings {
  const broken = nothingBroken();
  for (const one of all)
    for (const kind of Object.keys(broken) as (keyof typeof broken)[]) broken[kind].push(...one.broken[kind]);
  const sum = (field: 'bodies' | 'acknowledged') => all.reduce((total, one) => total + one[field], 0);
  return {
    rounds,
    bodies: sum('bodies'),
    acknowledged: sum('acknowledged'),
    broken,
    times: [],
    notes: all.flatMap(({ notes }) => notes),
  };
}
