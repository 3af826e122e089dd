import { words } from '../../words/index.ts';
import type { MfaPolicy } from './mfa-answers.ts';

const { names, or } = words.approvals.factors;
const texts = words.credentials.mfa;

/** The steps of an MFA policy. A step that names one credential says so. */
export function stepsInWords(methods: MfaPolicy['requiredAuthenticationMethods']): string {
  return texts.steps(
    methods.map(({ any }) => any.map(({ type, id }) => (id === undefined ? names[type] : texts.only(names[type], id))).join(or)),
  );
}
