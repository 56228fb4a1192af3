import { expect, it } from "vitest";
import { parseFeedSettings } from "../../src/config/setting-values.ts";

it("stores the URL of a scheduled feed without control characters", () => {
  const read = (url: string) => parseFeedSettings(`catalog ${url} every 1h`)[0]?.url;
  expect(read("https://feeds.example/\u0001a\u007f")).toBe("https://feeds.example/%01a%7F");
  expect(read("https://feeds.example")).toBe("https://feeds.example");
});
