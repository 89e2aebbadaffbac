// Learning that something changed, at a bounded cost: a subscription with a little credit that is renewed after each look.

const CREDIT = 64;
const LOOK_MS = 350;

/**
 * Calls `changed(refs)` soon after something matches, at most once per LOOK_MS, for as long as the watch is open.
 * What happens is not replayed: the caller looks again, so a burst beyond the credit costs nothing.
 */
export function watch(rpc, match, changed) {
  const own = { sub: null, closed: false, wasLost: false, refs: new Set(), seen: 0, timer: 0 };

  const subscribe = async (isAgain) => {
    own.seen = 0;
    try {
      const { sub } = await rpc.call('subscribe', { match, since: 'now', credit: CREDIT });
      if (own.closed) drop(sub);
      else own.sub = sub;
      if (isAgain) look();
    } catch (error) {
      if (!own.closed) rpc.emit('watcherror', error);
    }
  };
  const drop = (sub) => rpc.call('unsubscribe', { sub }).catch(() => {});
  const look = () => {
    if (own.closed || own.timer) return;
    own.timer = setTimeout(() => {
      own.timer = 0;
      if (own.closed) return;
      const refs = new Set(own.refs);
      own.refs.clear();
      if (own.seen >= CREDIT && own.sub) {
        drop(own.sub);
        own.sub = null;
        subscribe(false);
      } else if (own.seen && own.sub) {
        rpc.notify('$/credit', { sub: own.sub, n: own.seen });
        own.seen = 0;
      }
      changed(refs);
    }, LOOK_MS);
  };
  const onEvent = ({ detail }) => {
    if (detail.sub !== own.sub) return;
    own.seen += detail.events.length;
    for (const event of detail.events) own.refs.add(event.ref);
    look();
  };
  const onState = ({ detail }) => {
    if (detail !== 'open') {
      own.wasLost = true;
      own.sub = null;
    } else if (!own.closed) subscribe(own.wasLost);
  };

  rpc.addEventListener('event', onEvent);
  rpc.addEventListener('state', onState);
  if (rpc.isOpen) subscribe(false);
  return {
    close() {
      own.closed = true;
      clearTimeout(own.timer);
      rpc.removeEventListener('event', onEvent);
      rpc.removeEventListener('state', onState);
      if (own.sub) drop(own.sub);
    },
  };
}

/** When transaction `tx` was committed, as the server says, or null where it cannot. */
export function timeOfTransaction(rpc, tx) {
  if (tx < 1) return Promise.resolve(null);
  return new Promise((resolve) => {
    let sub = null;
    const early = [];
    const finish = (at) => {
      rpc.removeEventListener('event', onEvent);
      clearTimeout(timer);
      if (sub) rpc.call('unsubscribe', { sub }).catch(() => {});
      resolve(at);
    };
    const onEvent = ({ detail }) => {
      if (sub === null) early.push(detail);
      else if (detail.sub === sub) finish(detail.events[0]?.tx === tx ? detail.events[0].at : null);
    };
    const timer = setTimeout(() => finish(null), 3000);
    rpc.addEventListener('event', onEvent);
    rpc.call('subscribe', { match: {}, since: tx - 1, credit: 1 }).then(
      (answer) => {
        sub = answer.sub;
        const waiting = early.find((detail) => detail.sub === sub);
        if (waiting) onEvent({ detail: waiting });
      },
      () => finish(null),
    );
  });
}
