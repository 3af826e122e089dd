import type { z } from 'zod';
import type { Agent } from '../agent.ts';

/** One tool of the server, an entry in the table. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  run(agent: Agent, input: z.output<Input>): Promise<z.output<Output>>;
}

type Definition<Input extends z.ZodObject, Output extends z.ZodObject> = Omit<Tool<Input, Output>, 'annotations'>;

/** A tool that changes nothing. */
export function defineReader<Input extends z.ZodObject, Output extends z.ZodObject>(tool: Definition<Input, Output>): Tool {
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  return Object.freeze({ ...tool, annotations }) as unknown as Tool;
}

/** A tool whose signature can move funds. Repeated with its reference, it signs once. */
export function defineSigner<Input extends z.ZodObject, Output extends z.ZodObject>(tool: Definition<Input, Output>): Tool {
  const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
  return Object.freeze({ ...tool, annotations }) as unknown as Tool;
}
