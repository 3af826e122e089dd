import { networks } from '../../../data/networks.ts';
import { words } from '../../../words/index.ts';
import type { Answers } from './answers.ts';
import { feeUnit, isAssetName, networkOf } from './networks.ts';

const texts = words.policies.sentence;

interface Names {
  readonly tag: string | undefined;
  readonly wallet: string | undefined;
}

/** The policy of the form in one sentence. It says what is not limited, too. */
export function policySentence(answers: Answers, isDeny: boolean, names: Names): string {
  const { what, approvals, tagId, walletId } = answers;
  const subject = what === 'payments' ? payments(answers) : texts.subjects[what];
  const from =
    what !== 'payments' && what !== 'anySignature'
      ? ''
      : walletId === ''
        ? texts.anyWallet
        : texts.wallet(names.wallet ?? walletId);
  if (isDeny) return texts.denied(`${subject}${from}`);
  return texts.allowed(`${subject}${from}`, texts.people(approvals, tagId === '' ? undefined : (names.tag ?? tagId)));
}

function payments(answers: Answers): string {
  const { asset, receivers, contactTag, addresses, most, fee, limits } = answers;
  const network = networkOf(answers);
  const isName = isAssetName(asset);
  const to = {
    any: texts.toAny,
    contacts: texts.toContacts,
    tag: texts.toTag(contactTag),
    addresses: texts.toAddresses(addresses.length),
  };
  return [
    asset === '' ? texts.anyAsset : texts.asset(asset),
    answers.network === '' && asset === '' ? texts.anyNetwork : texts.network(networks[network]?.label ?? network),
    to[receivers],
    most === '' ? texts.anyAmount : isName ? texts.most(most, asset) : texts.mostUnits(most),
    fee === '' ? texts.anyFee : texts.fee(fee, feeUnit(answers)),
    ...limits.map(texts.limit),
  ].join('');
}
