import { expect, test } from "vitest";
import { parseAvailability } from "./availability.ts";

test.each([
  ["in stock", "in_stock"],
  ["in_stock", "in_stock"],
  [" In-Stock ", "in_stock"],
  ["https://schema.org/InStock", "in_stock"],
  ["http://schema.org/PreOrder", "preorder"],
  ["Auf Lager", "in_stock"],
  ["vorrätig", "in_stock"],
  ["nicht auf Lager", "out_of_stock"],
  ["Épuisé", "out_of_stock"],
  ["En rupture de stock", "out_of_stock"],
  ["Préco\u{6d}mande", "preorder"],
  ["agotado", "out_of_stock"],
  ["Bajo pedido", "backorder"],
  ["esaurito", "out_of_stock"],
  ["Stokta YOK", "out_of_stock"],
  ["PRZEDSPRZEDAŻ", "preorder"],
  ["Нет в наличии", "out_of_stock"],
  ["在庫あり", "in_stock"],
  ["予約", "preorder"],
  ["Đặt trước", "preorder"],
  ["缺货", "out_of_stock"],
  ["pre-order", "preorder"],
  ["BackOrder", "backorder"],
])("%s means %s", (text, availability) => {
  expect(parseAvailability(text)).toBe(availability);
});

test.each(["", "maybe", "stock", "in  stock soon", "constructor"])("%j is unknown", (text) => {
  expect(parseAvailability(text)).toBeUndefined();
});
