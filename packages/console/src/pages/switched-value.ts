interface Feature {
  readonly name: string;
  readonly value?: string | undefined;
}

const NO_BLIND_HASHES = 'FEATURE_NAME_NO_BLIND_HASHES';

/** The parts of the value of NO_BLIND_HASHES: the keys for which it holds, and exceptions such as `off:<id>`. */
function partsOf({ value = '' }: Feature): { readonly keys: string; readonly exceptions: readonly string[] } {
  const words = value.split(',').map((word) => word.trim());
  const exceptions = words.filter((word) => word.includes(':'));
  return { keys: words.find((word) => word !== '' && !word.includes(':')) ?? 'covered', exceptions };
}

/** Whether a stored feature is on. One that is off for most keys is stored as well, because it has exceptions. */
export function isOn(feature: Feature): boolean {
  return feature.name !== NO_BLIND_HASHES || partsOf(feature).keys !== 'none';
}

/**
 * The value of a feature after its switch is used. Undefined removes the feature.
 * SECURITY: D472: exceptions for single keys stay. Removing them would let a key sign hashes that it must not sign, or stop one that has to.
 */
export function switchedValue(name: string, feature: Feature | undefined): string | undefined {
  if (feature === undefined) return '';
  const { keys, exceptions } = partsOf(feature);
  if (name !== NO_BLIND_HASHES || exceptions.length === 0) return isOn(feature) ? undefined : '';
  return [keys === 'none' ? 'covered' : 'none', ...exceptions].join(',');
}
