const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * The token that the address `pnpm start` prints carries behind its `#`, which browsers send nowhere; taken out of the
 * address at once. Only on this machine: elsewhere a link could slip somebody another one's token.
 */
export function takeTokenFromAddress(): string | undefined {
  const token = /^#token=(pss_\w+)$/.exec(location.hash)?.[1];
  if (token === undefined || !loopback.test(location.hostname)) return undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}
