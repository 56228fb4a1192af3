import { expect, it } from "vitest";
import { createUnfetchableCheck } from "./networks.ts";

it.each([
  ["https://cdn.example/a.jpg", false, false],
  ["https://8.8.8.8/a.jpg", false, false],
  ["/images/a.jpg", false, false],
  ["http://10.1.2.3/a.jpg", true, false],
  ["http://192.168.0.4:8080/a.jpg", true, true],
  ["http://169.254.169.254/a.jpg", true, true],
  ["http://0x7f.1/a.jpg", true, true],
  ["http://[fd00::1]/a.jpg", true, true],
  ["http://[::ffff:10.1.2.3]/a.jpg", true, false],
  ["http://localhost/a.jpg", true, false],
  ["http://nas/a.jpg", true, false],
  ["http://shop.internal/a.jpg", true, false],
  ["https://me:secret@cdn.example/a.jpg", true, true],
])("%s: %s without allowed networks, %s with 10.0.0.0/8", (url, alone, withNetwork) => {
  expect([createUnfetchableCheck()(url), createUnfetchableCheck(["10.0.0.0/8"])(url)]).toEqual([
    alone,
    withNetwork,
  ]);
});
