import type { NamedTag } from '@countersign/policy';
import { allWallets, useWholeList } from '../../data/whole-list.ts';
import { SelectField } from '../../ui/field.tsx';
import { words } from '../../words/index.ts';
import type { Draft } from './draft.ts';
import { fillPlace, kindOfPlace } from './placeholders.ts';

const texts = words.policies.examples;

interface PlacesProps {
  readonly places: readonly string[];
  readonly draft: Draft;
  readonly tags: readonly NamedTag[] | undefined;
  onChange(change: Partial<Draft>): void;
}

/** The places of a template that are not filled in, with a choice for each that names a tag or a wallet. */
export function Places({ places, draft, tags = [], onChange }: PlacesProps) {
  if (places.length === 0) return null;
  const kinds = places.map(kindOfPlace);
  return (
    <div className="grid gap-3">
      <p className="text-bad">{texts.placeholder(places.join(', '))}</p>
      {places.map((place, at) => {
        const fill = (id: string) => onChange(fillPlace(draft, place, id));
        if (kinds[at] === 'wallet') return <WalletPlace key={place} place={place} onChoose={fill} />;
        const users = tags.filter(({ kind }) => kind === 'user tag').map(({ id, name }) => ({ id, name }));
        return kinds[at] === 'tag' && <Place key={place} place={place} choices={users} none={texts.noTag} onChoose={fill} />;
      })}
    </div>
  );
}

interface PlaceProps {
  readonly place: string;
  onChoose(id: string): void;
}

function WalletPlace(props: PlaceProps) {
  const wallets = useWholeList(allWallets).data ?? [];
  const choices = wallets.map(({ walletId, walletName }) => ({ id: walletId, name: walletName }));
  return <Place {...props} choices={choices} none={texts.noWallet} />;
}

interface ChoiceProps extends PlaceProps {
  readonly choices: readonly { readonly id: string; readonly name: string }[];
  /** What to do if there is nothing to choose. */
  readonly none: string;
}

function Place({ place, choices, none, onChoose }: ChoiceProps) {
  return (
    <SelectField
      label={place.slice(1, -1)}
      {...(choices.length === 0 && { hint: none })}
      value=""
      onChange={onChoose}
      options={[{ value: '', label: texts.choose }, ...choices.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}
