import { words } from '../../../words/index.ts';
import type { Answers } from './answers.ts';
import { assetsOn, chainIdOf, isAssetName, networkOf } from './networks.ts';

const texts = words.policies.form;

const decimal = /^\d{1,60}(\.\d{1,30})?$/;
const caip19 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}\/[-a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}$/;

/** What is wrong with the values of the form, by field. */
export function problemsIn(answers: Answers): { readonly [K in keyof Answers]?: string } {
  const { what, network, asset, most, fee, receivers, contactTag, addresses } = answers;
  if (what !== 'payments') return {};
  const isName = isAssetName(asset);
  const isElsewhere = isName
    ? !assetsOn(networkOf(answers)).includes(asset)
    : asset !== '' && network !== '' && !asset.startsWith(`${network}/`);
  const needsAsset = asset === '' && network !== '' && chainIdOf(network) === undefined;
  return {
    ...(isElsewhere && { asset: texts.assetElsewhere }),
    ...(asset !== '' && !isName && !caip19.test(asset) && { asset: texts.wrongAsset }),
    ...(needsAsset && { asset: texts.assetNeeded }),
    ...(most !== '' && asset === '' && { most: texts.mostNeedsAsset }),
    ...(most !== '' && asset !== '' && !(isName ? decimal : /^\d{1,78}$/).test(most) && { most: texts.wrongNumber }),
    ...(fee !== '' && !decimal.test(fee) && { fee: texts.wrongNumber }),
    ...(receivers === 'tag' && contactTag === '' && { contactTag: texts.tagNeeded }),
    ...(receivers === 'addresses' && addresses.length === 0 && { addresses: texts.addressNeeded }),
  };
}
