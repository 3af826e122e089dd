import { setTimeout as sleep } from 'node:timers/promises';
import { startBalancer } from '../../fault/support/balancer.ts';
import { type Serving, serve } from '../../fault/support/serving.ts';
import type { Fault } from '../fault.ts';
import { Arena } from '../support/arena.ts';
import { openPlace, tortureFlags } from '../support/places.ts';
import { isServed } from '../support/timed-history.ts';
import { timesOf } from '../support/times.ts';

const FLAGS = ['--lame-duck-seconds', '2', ...tortureFlags];

/** Both nodes are replaced one after the other. The balancer asks for readiness and repeats nothing. */
export const rollingRestart: Fault = {
  name: 'rolling-restart',
  title: 'rolling restart (SIGTERM) of two nodes behind a load balancer',
  stores: ['sqlite', 'postgres'],
  rounds: 5,
  async run(stage) {
    const place = await openPlace(stage.engine);
    const balancer = await startBalancer();
    const nodes: Serving[] = [];
    const add = async () => {
      const node = await serve(place, FLAGS);
      nodes.push(node);
      await balancer.add(node.url);
    };
    try {
      await add();
      await add();
      const arena = await Arena.behind(place, balancer.url);
      for (let round = 1; round <= stage.rounds; round++) {
        const first = arena.history.sightings.length;
        const load = arena.startLoad();
        await sleep(300);
        const beganMs = performance.now();
        for (const node of nodes.splice(0)) {
          node.signal('SIGTERM');
          const { code, stderr } = await node.ended;
          if (code !== 0 || stderr !== '') arena.broken.others.push(`SIGTERM ended a node with ${code}: ${stderr}`);
          balancer.remove(node.url);
          await add();
        }
        const goneMs = performance.now();
        await sleep(300);
        await load.stop();
        const seen = arena.history.sightings.slice(first);
        const failed = seen.filter(({ status }) => !isServed(status));
        if (failed.length > 0) arena.broken.others.push(`round ${round}: ${failed.length} of ${seen.length} requests failed`);
        arena.times.push(timesOf(seen, beganMs, goneMs));
        await arena.check();
        stage.onRound?.(round);
      }
      arena.notes.push(`${arena.history.sightings.length} requests during ${2 * stage.rounds} restarts`);
      return await arena.findings();
    } finally {
      balancer.close();
      await Promise.all(nodes.map((node) => node.kill()));
      await place.remove();
    }
  },
};
