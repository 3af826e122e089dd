import { createProgram } from 'countersign';
import { expect, test } from 'vitest';
import { programFor } from '../src/called-program.ts';
import { nounFirst, withVerbFirst } from '../src/nouns.ts';

const nowhere = { write: () => {}, isTerminal: false, columns: 100 };
const context = {
  environment: {},
  stdout: nowhere,
  stderr: nowhere,
  readStdin: async () => '',
  ask: async () => undefined,
  onLine: () => () => {},
  untilStopped: async () => {},
  onHangup: () => {},
};
const namesIn = (program: ReturnType<typeof createProgram>) => program.commands.map((command) => command.name());

test('every command is in the program that is loaded for it, also with the noun first', async () => {
  const whole = createProgram(context);
  for (const command of whole.commands) {
    const [inner] = command.commands;
    const words = inner === undefined ? [command.name()] : [command.name(), inner.name()];
    for (const given of [words, nounFirst(command.name()) ?? words]) {
      const called = withVerbFirst(whole, given)[0] ?? '';
      const program = await programFor(context, given);
      expect(withVerbFirst(program, given)[0], given.join(' ')).toBe(called);
      expect(namesIn(program), given.join(' ')).toContain(called);
    }
  }
});

test('loads one operation for a call of it, and everything for help and mistakes', async () => {
  const all = namesIn(createProgram(context)).length;
  for (const words of [['whoami'], ['wallet', 'create', '--help'], ['serve', '--port', '0']])
    expect((await programFor(context, words)).commands.length, words.join(' ')).toBe(1);
  for (const words of [['--help'], ['walet'], ['policy', 'list'], ['wallet']])
    expect((await programFor(context, words)).commands.length, words.join(' ')).toBe(all);
});
