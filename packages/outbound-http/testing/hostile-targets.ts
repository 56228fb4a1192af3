import type { ResolveHost } from "../src/resolve-host.ts";

const schemes = [
  "ftp://files.example/feed.csv",
  "file:///etc/passwd",
  "gopher://127.0.0.1:70/_",
  "data:text/plain,hello",
  "javascript:alert(1)",
  "ws://127.0.0.1/",
  "unix:/var/run/docker.sock",
  "dict://127.0.0.1/",
  "ldap://127.0.0.1/",
  "blob:https://127.0.0.1/1",
  "about:blank",
];

const malformed = [
  "",
  " ",
  "127.0.0.1",
  "//127.0.0.1/",
  "/hook",
  "https://",
  "https:///",
  "https://[::1",
  "https://::1/",
  "https://[fe80::1%25eth0]/",
  "https://[fe80::1%eth0]/",
  "https://127.0.0.1:99999/",
  "https://256.256.256.256/",
  "https://1.2.3.4.5/",
  "https://exa mple.com/",
  "https://exam%00ple.com/",
  "https://a<b/",
];

/** 127.0.0.1 and its neighbours, in every notation that some parser accepts as an IP address. */
const loopback = [
  "https://127.0.0.1/",
  "https://127.0.0.1:8443/",
  "https://127.1/",
  "https://127.0.1/",
  "https://127.255.255.254/",
  "https://2130706433/",
  "https://017700000001/",
  "https://0177.0.0.1/",
  "https://0177.0000.0000.0001/",
  "https://0x7f000001/",
  "https://0x7f.0.0.1/",
  "https://0x7F.0x0.0x0.0x1/",
  "https://0x7f.1/",
  "https://127.0.0.1./",
  "https://2130706433./",
  "https:127.0.0.1/",
  "https:\\\\127.0.0.1\\",
  "https:/127.0.0.1/",
  "\thttps://127.0.0.1/",
  "ht\ntps://127.0.0.1/",
  "https://127.0.0.1%2f/",
  "https://%31%32%37.0.0.1/",
  "https://①②⑦.⓪.⓪.①/",
  "https://127。0。0。1/",
  "https://127.0.0.1?@public.example/",
  "https://127.0.0.1#@public.example/",
  "https://127.0.0.1\\@public.example/",
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::1]:8443/",
  "https://[::]/",
  "https://0.0.0.0/",
  "https://0/",
  "https://0.1.2.3/",
];

const otherLiterals = [
  // Private, shared, link-local and metadata.
  "https://10.0.0.1/",
  "https://167772161/",
  "https://10.255.255.255/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.168.0.1/",
  "https://3232235521/",
  "https://0300.0250.0.1/",
  "https://100.64.0.1/",
  "https://100.100.100.200/latest/meta-data/",
  "https://169.254.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://2852039166/",
  "https://0xa9fea9fe/",
  "https://0251.0376.0251.0376/",
  "https://169.254.170.2/",
  "https://168.63.129.16/",
  "https://192.0.0.192/",
  // Special purposes.
  "https://192.0.2.1/",
  "https://192.88.99.1/",
  "https://192.31.196.1/",
  "https://192.52.193.1/",
  "https://192.175.48.1/",
  "https://198.18.0.1/",
  "https://198.19.255.255/",
  "https://198.51.100.1/",
  "https://203.0.113.1/",
  "https://224.0.0.1/",
  "https://239.255.255.250/",
  "https://240.0.0.1/",
  "https://255.255.255.255/",
  "https://4294967295/",
  // IPv6: mapped, compatible, translated, tunnelled, local, special.
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[0:0:0:0:0:ffff:7f00:0001]/",
  "https://[::ffff:10.0.0.1]/",
  "https://[::ffff:169.254.169.254]/",
  "https://[::127.0.0.1]/",
  "https://[::a9fe:a9fe]/",
  "https://[::8.8.8.8]/",
  "https://[::ffff:0:127.0.0.1]/",
  "https://[64:ff9b::127.0.0.1]/",
  "https://[64:ff9b::a9fe:a9fe]/",
  "https://[64:ff9b::8.8.8.8]/",
  "https://[64:ff9b:1::1]/",
  "https://[2002:7f00:1::]/",
  "https://[2002:a9fe:a9fe::1]/",
  "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
  "https://[2001:2::1]/",
  "https://[2001:10::1]/",
  "https://[2001:20::1]/",
  "https://[2001:db8::1]/",
  "https://[3fff::1]/",
  "https://[5f00::1]/",
  "https://[100::1]/",
  "https://[fc00::1]/",
  "https://[fd00:ec2::254]/",
  "https://[fd12:3456:789a::1]/",
  "https://[fe80::1]/",
  "https://[fec0::1]/",
  "https://[ff02::1]/",
  "https://[4000::1]/",
  "https://[e000::1]/",
];

const credentials = [
  "https://user@public.example/",
  "https://user:secret@public.example/",
  "https://:secret@public.example/",
  "https://public.example@127.0.0.1/",
  "https://public.example:443@127.0.0.1/",
  "https://127.0.0.1:secret@public.example/",
];

const ports = [
  0, 21, 22, 25, 53, 110, 143, 445, 465, 587, 2375, 2379, 3306, 5432, 5900, 6000, 6379, 6667, 9200, 10250,
  11211, 27017,
].map((port) => `https://public.example:${port}/`);

/** Names that resolve to addresses where no request may be sent. */
const answers: Record<string, string[]> = {
  "loopback.example": ["127.0.0.1"],
  "loopback.example.": ["127.0.0.1"],
  "loopback6.example": ["::1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "private.example": ["10.1.2.3"],
  "metadata.example": ["169.254.169.254"],
  "zone.example": ["fe80::1%eth0"],
  "nat64.example": ["64:ff9b::7f00:1"],
  "any.example": ["0.0.0.0"],
  "mixed.example": ["93.184.215.14", "10.0.0.1"],
  "mixed6.example": ["2606:4700::1111", "fd00::1"],
  "mixed-last.example": [...Array.from({ length: 20 }, () => "93.184.215.14"), "127.0.0.1"],
  "xn--bcher-kva.example": ["192.168.1.1"],
};

const names = [
  "https://localhost/",
  "https://LOCALHOST/",
  "https://localhost./",
  "https://api.localhost/",
  "https://ｌｏｃａｌｈｏｓｔ/",
  "https://bücher.example/",
  ...Object.keys(answers).map((name) => `https://${name}/`),
];

/** Targets that must never be reached, whatever else is allowed. */
export const hostileTargets: readonly string[] = [
  ...schemes,
  ...malformed,
  ...loopback,
  ...otherLiterals,
  ...credentials,
  ...ports,
  ...names,
];

/** Resolves the names above, a public address for `public.example`, and nothing for any other name. */
export const hostileResolveHost: ResolveHost = async (host) => {
  if (/(^|\.)localhost\.?$/.test(host)) return ["127.0.0.1", "::1"];
  if (host === "public.example") return ["93.184.215.14"];
  const addresses = answers[host];
  if (addresses === undefined) throw new Error(`"${host}" has no address`);
  return addresses;
};
