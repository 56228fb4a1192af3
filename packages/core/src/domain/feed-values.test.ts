import { describe, expect, test } from "vitest";
import { htmlToText, parseGtin, parseLanguage } from "./feed-values.ts";

test.each([
  ["4006381333931", "04006381333931"],
  ["04006381333931", "04006381333931"],
  ["012345678905", "00012345678905"],
  // A spreadsheet has removed the zero.
  ["12345678905", "00012345678905"],
  ["96385074", "00000096385074"],
  [" 978-3-16-148410-0 ", "09783161484100"],
])("reads %s", (text, expected) => {
  expect(parseGtin(text)).toBe(expected);
});

test.each(["", "N/A", "0", "0000000000000", "1234567", "123456789012345", "4.00638E+12", "K-4006381333931"])(
  "ignores %j",
  (text) => {
    expect(parseGtin(text)).toBeUndefined();
  },
);

test.each([
  ["de", "de"],
  [" DE-at ", "de"],
  ["en_US", "en"],
  ["zh-Hant-TW", "zh"],
  ["pt", "pt"],
])("reads %s", (text, expected) => {
  expect(parseLanguage(text)).toBe(expected);
});

test.each(["", "german", "d", "de AT", "-de"])("ignores %j", (text) => {
  expect(parseLanguage(text)).toBeUndefined();
});

describe("htmlToText", () => {
  test.each([
    ["plain text", "plain text"],
    ["Tom &amp; Jerry&#39;s&nbsp;mug", "Tom & Jerry's mug"],
    ["Run<b>ning</b> shoes", "Running shoes"],
    ["<p>One</p><p>Two</p>three<br/>four", "One Two three four"],
    ["&lt;b&gt;Bold&lt;/b&gt; &amp;amp; more", "Bold & more"],
    ["size < 5 and > 3", "size < 5 and > 3"],
    ["before<script>alert('<b>')</script>after", "beforeafter"],
    ["before<!-- a > b -->after", "beforeafter"],
    ["open <a href='x", "open"],
    ["<style>p{}", ""],
    ["a\u0000b\r\n\tc", "a b c"],
    ["&unknown; &#x110000;", "&unknown; \ufffd"],
    ["", ""],
  ])("%j becomes %j", (html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  test.each([
    ["<", 100_000],
    ["<script", 0],
    ["<!--", 0],
    ["<a ", 299_993],
    ["<style><!--", 0],
    ["&", 100_000],
    ["&lt;", 100_000],
  ])("100 000 times %j ends soon: quadratic work would run into the time limit", (text, length) => {
    expect(htmlToText(text.repeat(100_000))).toHaveLength(length);
  });
});
