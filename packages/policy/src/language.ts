import { functions } from './builtins/functions.ts';
import { listMethods } from './builtins/list-methods.ts';
import { coinUnits } from './builtins/units.ts';
import { namespaces } from './schema/schema.ts';

/** The vocabulary of the language with its documentation, for the reference and for editors. */
export const language = {
  /** Everything that an expression can name. The parameters of activities come from the host. */
  namespaces,
  methods: [...listMethods.values()],
  functions: [...functions.values()],
  units: [...coinUnits.values()],
} as const;
