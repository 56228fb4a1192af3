import type { Findings } from "./findings.ts";
import type { WebhookWrite } from "./ledger.ts";

/** Compares the paths of the webhooks that a node lists with those that were created. */
export function verifyWebhooks(
  node: string,
  written: readonly WebhookWrite[],
  listed: readonly string[],
  { lost, invented, doubled }: Findings,
): void {
  for (const { path, acknowledgedMs } of written) {
    if (acknowledgedMs !== undefined && !listed.includes(path)) lost.push(`${node}: webhook ${path}`);
  }
  for (const [at, path] of listed.entries()) {
    if (listed.indexOf(path) !== at) doubled.push(`${node}: webhook ${path}`);
    else if (!written.some((webhook) => webhook.path === path)) invented.push(`${node}: webhook ${path}`);
  }
}
