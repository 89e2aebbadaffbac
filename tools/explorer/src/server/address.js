// The server's addresses: the page is at the root of a store, which may be that of a namespace (`/ns/NAME/`).

/** The address of a path of the protocol, such as `/ws`. */
export const addressOf = (path) => new URL(`.${path}`, document.baseURI).href;
