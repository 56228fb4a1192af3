import { expect, test } from "vitest";
import { descriptionLanguage } from "./description-language.ts";

test.each([
  ["Our modern coffee mug in blue ceramic, made for gifts. The ceramic is glazed.", undefined, "en"],
  ["Eine Tasse aus blauer Keramik für den Tisch. Die Glasur ist matt.", undefined, "de"],
  ["Une tasse en céramique bleue pour la table, avec une anse.", undefined, "fr"],
  ["Una taza de cerámica azul para la mesa, con asa.", undefined, "es"],
  ["Leak-proof lid", undefined, undefined],
  ["The ceramic is glazed and the handle is wide.", "de", "de"],
  ["Il manico è largo.", "it", undefined],
])("%s (%s): %s", (description, language, expected) => {
  expect(descriptionLanguage({ name: "Mug", description, ...(language && { language }) })).toBe(expected);
});
