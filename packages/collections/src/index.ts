export { type Derived, derivedFrom, type Index, indexedBy, MappedView, memoizeByRef, memoizeLast } from './derived.ts';
export { type Difference, type MapBuilder, PersistentMap } from './persistent-map.ts';
export { finished, mapInSteps, type Steps, sortedInSteps } from './steps.ts';
