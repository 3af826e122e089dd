import { canonicalToken, readChainAddress } from '@countersign/chains';
import { type CompareOf, changed, created, deleted } from './operation.ts';

export const createContacts: CompareOf<'createContacts'> = function* ({ params }) {
  for (const { label, address, contactTags = [], notes = '' } of params.contacts)
    yield created('contact', { label, address: readChainAddress(address) ?? address, contactTags, notes });
};

export const updateContact: CompareOf<'updateContact'> = (request) => {
  const { contactId, label, contactTags, notes } = request.params;
  return changed(request, 'contact', contactId, (before) => ({
    ...before,
    ...(label !== undefined && { label }),
    ...(contactTags !== undefined && { contactTags }),
    ...(notes !== undefined && { notes }),
  }));
};

export const deleteContacts: CompareOf<'deleteContacts'> = (request) => deleted(request, 'contact', request.params.contactIds);

export const createTokens: CompareOf<'createTokens'> = function* ({ params }) {
  for (const { asset, symbol, decimals } of params.tokens)
    yield created('token', { asset: canonicalToken(asset) ?? asset, symbol, decimals });
};

export const deleteTokens: CompareOf<'deleteTokens'> = (request) => deleted(request, 'token', request.params.tokenIds);
