export { type Derived, derivedFrom, type Index, indexedBy } from './derived.ts';
export { type Difference, type MapBuilder, PersistentMap } from './persistent-map.ts';
export { finished, type Steps, sortedInSteps } from './steps.ts';
