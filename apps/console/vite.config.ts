import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The service sends these to clients that take gzip; the page itself it compresses after it has set the currency. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  async writeBundle({ dir = "" }, bundle) {
    const files = Object.values(bundle).filter(({ fileName }) => fileName !== "index.html");
    await Promise.all(
      files.map((file) =>
        writeFile(
          join(dir, `${file.fileName}.gz`),
          gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 }),
        ),
      ),
    );
  },
};

/** The page for operators, which screens name where only an operator can help. */
const operatorsPage: Plugin = {
  name: "operators-page",
  apply: "build",
  async generateBundle() {
    const source = await readFile(new URL("../../docs/operate.md", import.meta.url), "utf8");
    // Marks for the tests of the commands.
    const text = source.replaceAll(/^<!-- test: .* -->\n/gm, "");
    this.emitFile({ type: "asset", fileName: "operate.md", source: text });
  },
};

export default defineConfig({
  plugins: [react(), operatorsPage, compressed],
  build: { target: "es2022", sourcemap: false, assetsInlineLimit: 0, reportCompressedSize: true },
  server: { proxy: { "/api": "http://127.0.0.1:3000", "/images": "http://127.0.0.1:3000" } },
});
