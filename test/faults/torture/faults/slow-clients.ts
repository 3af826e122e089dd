import { Crowd } from '../../fault/support/crowd.ts';
import { waitUntil } from '../../fault/support/wait-until.ts';
import type { Fault } from '../fault.ts';
import { inRounds } from '../support/in-rounds.ts';
import { openPlace } from '../support/places.ts';

const HEAD = 'POST /public/v1/submit/sign_raw_payload HTTP/1.1\r\nHost: x\r\n';
const HALF = `${HEAD}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
const PAGE = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';

/** Clients that say nothing, send a header now and then, stop in the middle of a body, or ask for pages and never read them. */
export const slowClients: Fault = {
  name: 'slow-clients',
  title: 'the load next to 500 silent, 100 dripping, 100 half-sent and 50 non-reading connections',
  stores: ['sqlite', 'postgres'],
  rounds: 5,
  async run(stage) {
    return inRounds(stage, await openPlace(stage.engine), { flags: ['--request-timeout-seconds', '2'] }, (arena) => {
      let crowds: Crowd[] = [];
      let drip: NodeJS.Timeout | undefined;
      return {
        async begin() {
          const [silent, dripping, halfSent] = [['', 500] as const, [HEAD, 100] as const, [HALF, 100] as const].map(
            ([greeting, size]) => new Crowd(arena.url, size, greeting),
          ) as [Crowd, Crowd, Crowd];
          const notReading = new Crowd(arena.url, 50, PAGE.repeat(20));
          for (const socket of notReading.sockets) socket.pause();
          drip = setInterval(() => {
            for (const socket of dripping.sockets) if (socket.writable) socket.write('X-Drop: 1\r\n');
          }, 100);
          crowds = [silent, dripping, halfSent, notReading];
        },
        lastsMs: 2_500,
        async end() {
          const [silent, dripping, halfSent, notReading] = crowds as [Crowd, Crowd, Crowd, Crowd];
          const isOver = () => silent.ended === 500 && dripping.ended === 100 && halfSent.ended === 100;
          if (!(await waitUntil(15_000, isOver)))
            arena.broken.others.push(`left: ${[silent, dripping, halfSent].map(({ ended, sockets }) => sockets.length - ended)}`);
          clearInterval(drip);
          notReading.leave();
        },
      };
    });
  },
};
