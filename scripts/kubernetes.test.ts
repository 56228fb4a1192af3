import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { describeWhere } from "../packages/testing/src/servers/suite.ts";
import { root } from "./docs-blocks.ts";

interface Container {
  env: { name: string }[];
  ports: { name: string }[];
  volumeMounts: { name: string; mountPath: string }[];
  securityContext: { readOnlyRootFilesystem: boolean; capabilities: { drop: string[] } };
  readinessProbe: { httpGet: { path: string } };
  livenessProbe: { httpGet: { path: string } };
}
interface Manifest {
  kind: string;
  spec: {
    replicas?: number;
    selector: Record<string, unknown>;
    ports?: { targetPort: string }[];
    volumeClaimTemplates?: { metadata: { name: string } }[];
    template?: {
      metadata: { labels: Record<string, string> };
      spec: {
        containers: [Container];
        volumes: { name: string }[];
        securityContext: { runAsNonRoot: boolean };
      };
    };
  };
}

const folder = join(root, "deploy/kubernetes");
const read = (name: string): Manifest[] =>
  parseAllDocuments(readFileSync(join(folder, name), "utf8")).map((document) => document.toJS());
const settings = new Set(
  (readFileSync(join(root, ".env.example"), "utf8").match(/^(?:# )?[A-Z_]+(?==)/gm) ?? []).map((name) =>
    name.replace("# ", ""),
  ),
);

describe.each([
  ["one-node.yaml", "StatefulSet", 1],
  ["cluster.yaml", "Deployment", 3],
] as const)("deploy/kubernetes/%s", (name, kind, replicas) => {
  const manifests = read(name);
  const workload = manifests.find((manifest) => manifest.kind === kind);
  const pod = workload?.spec.template;
  const [container] = pod?.spec.containers ?? [];

  it(`has a ${kind} and a service that finds it`, () => {
    expect(workload?.spec.replicas).toBe(replicas);
    const service = manifests.find((manifest) => manifest.kind === "Service");
    expect(service?.spec.selector).toEqual(pod?.metadata.labels);
    expect(workload?.spec.selector).toEqual({ matchLabels: pod?.metadata.labels });
    expect(service?.spec.ports?.map(({ targetPort }) => targetPort)).toEqual(
      container?.ports.map((port) => port.name),
    );
  });

  it("names only settings of .env.example, and volumes that it has", () => {
    expect(container?.env.map((one) => one.name).filter((one) => !settings.has(one))).toEqual([]);
    const volumes = [
      ...(pod?.spec.volumes ?? []).map((volume) => volume.name),
      ...(workload?.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
    ];
    expect(container?.volumeMounts.map((mount) => mount.name).toSorted()).toEqual(volumes.toSorted());
  });

  it("asks /readyz before it sends requests, and gives the container no rights", () => {
    expect(container?.readinessProbe.httpGet.path).toBe("/readyz");
    expect(container?.livenessProbe.httpGet.path).toBe("/healthz");
    expect(container?.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod?.spec.securityContext.runAsNonRoot).toBe(true);
  });
});

const kubeconform = process.env.KUBECONFORM ?? "kubeconform";
const { error, status, stdout } = spawnSync(kubeconform, ["-strict", folder], { encoding: "utf8" });
const why = error
  ? "it is not installed (go install github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7); KUBECONFORM names another path"
  : stdout.includes("failed downloading schema")
    ? "it cannot download the schemas of Kubernetes"
    : undefined;

describeWhere("kubeconform", why, () => {
  it("accepts the manifests", () => {
    expect(status, stdout).toBe(0);
  });
});
