// What the service's code uses and Node 20 lacks: Node 22 has the first two of its own, Node 25 the third.

function define(target: object, name: string, value: unknown): void {
  if (name in target) return;
  Object.defineProperty(target, name, { value, writable: true, configurable: true });
}

define(Promise, "withResolvers", <Value>() => {
  let settle: Pick<PromiseWithResolvers<Value>, "resolve" | "reject"> | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
});

define(Map, "groupBy", <Key, Item>(items: Iterable<Item>, keyOf: (item: Item, index: number) => Key) => {
  const groups = new Map<Key, Item[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
});

const forms = { base64: /^[A-Za-z0-9+/]*={0,2}$/, base64url: /^[A-Za-z0-9_-]*={0,2}$/ };

/** White space is allowed anywhere, and padding must be complete where there is any. */
export function fromBase64(text: string, { alphabet = "base64" }: { alphabet?: keyof typeof forms } = {}) {
  const packed = text.replace(/[\t\n\f\r ]/g, "");
  const digits = packed.replace(/=+$/, "");
  const isPadded = digits.length < packed.length;
  if (!forms[alphabet].test(packed) || digits.length % 4 === 1 || (isPadded && packed.length % 4 !== 0))
    throw new SyntaxError("The text is not valid base64.");
  return Uint8Array.from(Buffer.from(digits, alphabet));
}

define(Uint8Array, "fromBase64", fromBase64);
