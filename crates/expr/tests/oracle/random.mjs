// Random choices that a seed repeats.

/** A source of choices; the same seed gives the same ones. */
export function seeded(seed) {
  let state = seed >>> 0 || 1;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count) => Math.floor(next() * count);
  const pick = (list) => list[below(list.length)];
  return {
    below,
    pick,
    between: (from, to) => from + below(to - from + 1),
    chance: (share) => next() < share,
    times: (from, to, make) => Array.from({ length: from + below(to - from + 1) }, (_, at) => make(at)),
    /** One of some generators, each called with this source. */
    one(makers) {
      return pick(makers)(this);
    },
  };
}
