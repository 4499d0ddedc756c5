/** What lets styles into the page that are made while it is shown: the server gives each page a nonce of its own. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
}

/** Tells it to the dialogs, which take it from the name that bundlers have for it. */
export function shareStyleNonce() {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
}
