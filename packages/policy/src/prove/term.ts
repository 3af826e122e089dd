/** A formula or an integer in SMT-LIB 2 (https://smt-lib.org/language.shtml), the input language of solvers. */
export type Term = string;

export const yes: Term = 'true';
export const no: Term = 'false';

export function and(...parts: readonly Term[]): Term {
  const left = [...new Set(parts)].filter((part) => part !== yes);
  if (left.includes(no)) return no;
  return left.length === 0 ? yes : left.length === 1 ? (left[0] as Term) : `(and ${left.join(' ')})`;
}

export function or(...parts: readonly Term[]): Term {
  const left = [...new Set(parts)].filter((part) => part !== no);
  if (left.includes(yes)) return yes;
  return left.length === 0 ? no : left.length === 1 ? (left[0] as Term) : `(or ${left.join(' ')})`;
}

export function not(part: Term): Term {
  return part === yes ? no : part === no ? yes : `(not ${part})`;
}

/** Equality of two integers or two truth values. Numbers have one spelling, so two different numerals are never equal. */
export function same(left: Term, right: Term): Term {
  if (left === right) return yes;
  return isNumber(left) && isNumber(right) ? no : `(= ${left} ${right})`;
}

/** The integer if the condition holds, else zero. */
export function when(condition: Term, value: Term): Term {
  return condition === yes ? value : condition === no ? '0' : `(ite ${condition} ${value} 0)`;
}

export function add(parts: readonly Term[]): Term {
  const left = parts.filter((part) => part !== '0');
  return left.length === 0 ? '0' : left.length === 1 ? (left[0] as Term) : `(+ ${left.join(' ')})`;
}

/** SMT-LIB has no negative literals. */
export function integer(value: bigint): Term {
  return value < 0n ? `(- ${-value})` : String(value);
}

/** Whether fewer than `count` of the conditions hold. */
export function fewerThan(count: number, conditions: readonly Term[]): Term {
  return `(< ${add(conditions.map((condition) => when(condition, '1')))} ${count})`;
}

function isNumber(term: Term): boolean {
  return /^[0-9]+$/.test(term);
}
