import { describe, expect, test } from "vitest";
import { htmlToText } from "./html-to-text.ts";

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
