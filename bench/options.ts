import { parseArgs } from 'node:util';

/** Where activities are kept. */
export const stores = ['sqlite', 'postgres'] as const;
export type StoreName = (typeof stores)[number];

/** What to measure and how to show it. */
export interface Options {
  readonly bench: string;
  readonly json: boolean;
  readonly help: boolean;
  readonly rounds: number;
  /** Length of one measured window. */
  readonly seconds: number;
  readonly connections: readonly number[];
  readonly stores: readonly StoreName[];
  readonly workers: readonly number[];
  /** Sub-organizations in the larger of two installations. */
  readonly tenants: number;
  /** Signatures in the audit file, or in the past of the backtest. */
  readonly activities: number;
  /** The size of the largest organization. */
  readonly most: number;
  /** Sizes of organizations; all up to the largest if empty. */
  readonly sizes: readonly number[];
  /** What organizations have many of, or words of what disturbs a quiet tenant; everything if empty. */
  readonly kinds: readonly string[];
  /** Whether to write the page and the picture of the documentation. */
  readonly write: boolean;
  /** The command of an earlier build to compare with, or nothing. */
  readonly before: string;
  /** Whether the service is started with --isolate. */
  readonly isolate: boolean;
  /** Counts in the window of the fullest limit. */
  readonly points: number;
}

/** An invalid option. The message is for the person who gave it. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/** Reads the command line. Throws OptionError for unknown options and values. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parse(args);
  if (positionals.length > 1) throw new OptionError(`one benchmark at a time, not ${positionals.join(' ')}`);
  return {
    bench: positionals[0] ?? 'serving',
    json: values.json,
    help: values.help,
    rounds: one('rounds', values.rounds, { whole: true, max: 1000 }),
    seconds: one('seconds', values.seconds, { whole: false, max: 600 }),
    connections: many('connections', values.connections, 1024),
    stores: list(values.store).map((name) => {
      const store = stores.find((known) => known === name);
      if (store === undefined) throw new OptionError(`--store takes ${stores.join(' and ')}, not ${name}`);
      return store;
    }),
    workers: many('workers', values.workers, 64),
    tenants: one('tenants', values.tenants, { whole: true, max: 10_000_000 }),
    activities: one('activities', values.activities, { whole: true, max: 10_000_000 }),
    most: one('most', values.most, { whole: true, max: 10_000_000 }),
    sizes: values.sizes === '' ? [] : many('sizes', values.sizes, 10_000_000),
    kinds: values.kinds === '' ? [] : list(values.kinds),
    write: values.write,
    before: values.before,
    isolate: values.isolate,
    points: one('points', values.points, { whole: true, max: 10_000_000 }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '1.5' },
        connections: { type: 'string', default: '1,32,128' },
        store: { type: 'string', default: 'sqlite,postgres' },
        workers: { type: 'string', default: '1,2' },
        tenants: { type: 'string', default: '1000000' },
        activities: { type: 'string', default: '10000' },
        most: { type: 'string', default: '10000' },
        sizes: { type: 'string', default: '' },
        kinds: { type: 'string', default: '' },
        write: { type: 'boolean', default: false },
        before: { type: 'string', default: '' },
        isolate: { type: 'boolean', default: false },
        points: { type: 'string', default: '20000' },
      },
    });
  } catch (error) {
    throw new OptionError((error as Error).message, { cause: error });
  }
}

const list = (text: string): string[] => [...new Set(text.split(',').map((item) => item.trim()))];

const many = (name: string, text: string, max: number): number[] =>
  list(text).map((item) => one(name, item, { whole: true, max }));

function one(name: string, text: string, { whole, max }: { whole: boolean; max: number }): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0 && value <= max) || (whole && !Number.isInteger(value)))
    throw new OptionError(`--${name} takes a ${whole ? 'whole ' : ''}number above 0 and up to ${max}, not "${text}"`);
  return value;
}
