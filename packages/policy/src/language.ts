import { functions } from './builtins/functions.ts';
import { listMethods } from './builtins/list-methods.ts';
import { textMethods } from './builtins/text-methods.ts';
import { diagnosticCodes } from './diagnostic.ts';
import { evaluationErrorCodes } from './evaluate/evaluation-error.ts';
import { decisionLimits, defaultLimits, limitDocs, MAX_INTEGER_BITS } from './limits.ts';
import { warningCodes } from './lint/warning.ts';
import { coinUnits } from './schema/chains.ts';
import { documentedControl } from './schema/controls.ts';
import { namespaces } from './schema/schema.ts';
import { literalForms, operatorLevels } from './syntax/operators.ts';

/** The vocabulary of the language with its documentation, for the reference and for editors. */
export const language = {
  /** Everything that an expression can name. The parameters of activities come from the host. */
  namespaces: [...namespaces, documentedControl],
  literals: literalForms,
  operators: operatorLevels,
  methods: [...listMethods.values()],
  /** Methods of texts. */
  textMethods: [...textMethods.values()],
  functions: [...functions.values()],
  /** Units of coins. Those of tokens come from the host. */
  units: [...coinUnits.values()],
  limits: {
    ...defaultLimits,
    decisionSteps: decisionLimits.steps,
    pendingSteps: decisionLimits.pendingSteps,
    integerBits: MAX_INTEGER_BITS,
  },
  limitDocs: { ...limitDocs, integerBits: 'Bits of the largest integer that arithmetic may make' },
  diagnostics: diagnosticCodes,
  errors: evaluationErrorCodes,
  warnings: warningCodes,
} as const;
