/** The service key that `@turnkey/crypto` expects in each of its constants. */
const constants = {
  PRODUCTION_SIGNER_SIGN_PUBLIC_KEY: 'signer',
  PRODUCTION_TLS_FETCHER_SIGN_PUBLIC_KEY: 'verificationTokenSigner',
};

/** A plugin for Vite: builds the page with the keys of your own service, which the package checks responses with. */
export async function serviceKeys(url) {
  const keys = await (await fetch(`${url}/.well-known/countersign-keys`)).json();
  return {
    name: 'service-keys',
    transform(code, id) {
      if (!/@turnkey\/crypto\/dist\/constants\.m?js$/.test(id)) return;
      return Object.entries(constants).reduce(
        (text, [name, key]) => text.replace(new RegExp(`(const ${name} = )"[0-9a-f]+"`), `$1"${keys[key]}"`),
        code,
      );
    },
  };
}
