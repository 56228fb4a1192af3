import { expect, it } from "vitest";
import { compareDocuments } from "../scripts/breaking-changes.ts";
import { readBundle } from "../scripts/document.ts";
import { createRandom, mutate } from "./mutations.ts";

const mutations = 200;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

it(`tells ${mutations} random changes apart that break and that do not`, async () => {
  console.log(`The seed of the changes is ${seed}. To repeat them: SEED=${seed}`);
  const released = await readBundle();
  const random = createRandom(seed);
  const wrong: string[] = [];
  for (let number = 0; number < mutations; number++) {
    const { name, where, document, breaks } = mutate(released, number, random);
    const { changes } = compareDocuments(released, document);
    if (changes.length > 0 === breaks) continue;
    wrong.push(
      `${name}, ${where}: ${breaks ? "not reported" : `reported: ${changes[0]?.place} ${changes[0]?.fault}`}`,
    );
  }
  expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(mutations / 100);
}, 300_000);
