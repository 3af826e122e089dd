import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { serveNode } from '../../../packages/server/test/chain-nodes/node-server.ts';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { type Engine, engines, type Installation } from '../../support/installation.ts';
import { countOf, createSponsor, emptyAccount, paySponsored } from './sponsored-support.ts';
import { CHAIN, statusOf } from './support.ts';

/** What the node does with a call. */
type Treat = (method: string, params: readonly string[], call: () => Promise<unknown>) => Promise<unknown>;

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('kill -9 of a server that sponsors gas on %s'),
  (engine) => {
    let anvil: Anvil;
    let node: Awaited<ReturnType<typeof serveNode>>;
    let installation: Installation;
    let server: Serving | undefined;
    let treat: Treat = (_, __, call) => call();
    /** The signed transactions that the node was given, once each. */
    const handed = new Set<string>();

    const start = (gasSponsors: object = {}) =>
      serve(placeOf(installation), [], {
        environment: {
          COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({ [CHAIN]: [node.url] }),
          COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
          COUNTERSIGN_SEND_CONFIRMATIONS: '2',
          COUNTERSIGN_GAS_SPONSORS: JSON.stringify(gasSponsors),
        },
      });

    beforeAll(async () => {
      anvil = await startAnvil();
      node = await serveNode((method, params) => {
        const call = () => anvil.call(method, params as unknown[]).catch(({ message }) => ({ error: { code: -32000, message } }));
        if (method === 'eth_sendRawTransaction') handed.add((params as [string])[0]);
        return treat(method, params as string[], call);
      });
      installation = await engines[engine]();
    });
    afterEach(() => server?.kill());
    afterAll(async () => {
      await installation?.remove();
      await node?.close();
      await anvil?.stop();
    });

    const never = () => new Promise<never>(() => undefined);
    const hands = (method: string) => method === 'eth_sendRawTransaction';

    /** Stops the node at the moment, and tells that it came. */
    const moments: readonly [string, (sponsor: string, reached: () => void) => Treat][] = [
      [
        'while the top-up is planned',
        (sponsor, reached) =>
          (method, [account], call) => {
            if (method !== 'eth_getBalance' || account?.toLowerCase() !== sponsor) return call();
            reached();
            return never();
          },
      ],
      [
        'before the node has the top-up',
        (_, reached) => (method, __, call) => {
          if (!hands(method)) return call();
          reached();
          return never();
        },
      ],
      [
        'before the node answers that it has the top-up',
        (_, reached) => (method, __, call) => {
          if (!hands(method)) return call();
          return call().then(reached).then(never);
        },
      ],
      [
        'before the node has the sponsored transaction',
        (_, reached) => (method, __, call) => {
          if (!hands(method) || handed.size < 2) return call();
          reached();
          return never();
        },
      ],
    ];

    test.each(moments)(
      'D911: a sponsor pays once, and the transaction is sent once, if it is killed %s',
      { timeout: 600_000 },
      async (_, moment) => {
        server = await start();
        const { sponsor, address } = await createSponsor(server.root, anvil);
        await server.kill();
        const { chain, ...named } = sponsor;
        let resolve = () => {};
        const reached = new Promise<void>((done) => {
          resolve = done;
        });
        handed.clear();
        treat = moment(sponsor.signWith, () => resolve());
        server = await start({ [chain]: named });
        const from = await emptyAccount(server.root);
        const id = await paySponsored(server.root, from);
        const mining = { ended: false };
        const miner = (async () => {
          while (!mining.ended) {
            await anvil.mine(1);
            await statusOf((server as Serving).root, id).catch(() => undefined);
          }
        })();
        await reached;
        mining.ended = true;
        await miner;
        await server.kill();
        treat = (__, ___, call) => call();
        server = await start({ [chain]: named });
        const { root } = server;
        const state = async () => {
          await anvil.mine(1);
          return (await statusOf(root, id)).txStatus;
        };
        // The killed process holds two accounts for a minute.
        await expect.poll(state, { timeout: 400_000 }).toBe('COMPLETED');
        expect([await countOf(anvil, address), await countOf(anvil, from)]).toEqual([1, 1]);
        expect(handed.size).toBe(2);
      },
    );
  },
);
