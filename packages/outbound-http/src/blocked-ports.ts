/**
 * Ports of protocols other than HTTP, so that nobody can make this service write to a mail or database server: the "bad
 * ports" of https://fetch.spec.whatwg.org/#port-blocking, and those of databases, caches and the control interfaces of
 * containers and clusters, which are often open inside a network.
 */
export const blockedPorts: ReadonlySet<number> = new Set([
  // The list of the Fetch standard.
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  // Windows shares and remote desktop, Docker, etcd, kubelet.
  445, 3389, 5900, 2375, 2376, 2379, 2380, 10250, 10255,
  // MSSQL, Oracle, MySQL, PostgreSQL, CouchDB, Cassandra, Redis, Elasticsearch, memcached, MongoDB.
  1433, 1521, 3306, 5432, 5984, 9042, 6379, 9200, 9300, 11211, 27017,
]);
