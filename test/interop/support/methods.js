const lowerFirst = (text) => text.charAt(0).toLowerCase() + text.slice(1);

/** The client's methods that call an operation, in their order. */
export function operationMethods(client) {
  return functionsOf(client).filter((name) => !isStamping(client, name));
}

/** The methods that stamp a request without sending it: `stampGetWallet` beside `getWallet`. */
export function stampingMethods(client) {
  return functionsOf(client).filter((name) => isStamping(client, name));
}

const functionsOf = (client) => Object.keys(client).filter((name) => typeof client[name] === 'function');

const isStamping = (client, name) =>
  name.startsWith('stamp') && typeof client[lowerFirst(name.slice('stamp'.length))] === 'function';
