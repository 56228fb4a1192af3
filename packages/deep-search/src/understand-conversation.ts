import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { Conversation } from "./conversation.ts";
import type { Reading } from "./reading.ts";
import { type RetrieveDeps, retrieve } from "./retrieval/retrieve.ts";
import { intentLike } from "./understanding/conversation/follow-up.ts";
import type { Turn } from "./understanding/conversation/turn.ts";
import { type UnderstandDeps, understand } from "./understanding/understand.ts";
import type { Understanding } from "./understanding/understanding.ts";

/**
 * Understands a query together with the earlier ones. No state is kept between requests: the earlier queries are read again,
 * and searched again only if something refers to their results.
 */
export async function understandConversation(
  deps: UnderstandDeps & RetrieveDeps & { reading?: Reading | undefined },
  { query, history = [] }: Conversation,
  signal: AbortSignal,
): Promise<Understanding> {
  let turn: Turn | undefined;
  // What was left out of an earlier query was said then.
  const { reading, ...forHistory } = deps;
  for (const earlier of history) {
    turn = nextTurn(deps, await understand(forHistory, earlier, signal, turn), turn, signal);
  }
  reading?.enter("question");
  return understand(deps, query, signal, turn);
}

function nextTurn(
  deps: RetrieveDeps,
  understanding: Understanding,
  former: Turn | undefined,
  signal: AbortSignal,
): Turn | undefined {
  const { intents, sorting, question, referred, asksForCheaper } = understanding;
  if (intents.length > 0) {
    let found: Promise<readonly StoredProduct[]> | undefined;
    const products = () =>
      (found ??= retrieve(deps, understanding, signal).then((result) => result.products));
    const shown = async () => [
      ...(understanding.skipped ?? []),
      ...(await products()).map(({ rowId }) => rowId),
    ];
    return { intents, sorting, products, shown, ...(asksForCheaper && { asksForCheaper }) };
  }
  const focus = question?.product ?? referred?.[0];
  if (focus === undefined) return former;
  if (former !== undefined) return { ...former, focus };
  return {
    intents: [intentLike(focus)],
    sorting,
    products: async () => [focus],
    shown: async () => [focus.rowId],
    focus,
  };
}
