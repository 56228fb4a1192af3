import { writeFile } from "node:fs/promises";
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

export default defineConfig({
  plugins: [react(), compressed],
  build: { target: "es2022", sourcemap: false, assetsInlineLimit: 0, reportCompressedSize: true },
  server: { proxy: { "/api": "http://127.0.0.1:3000", "/images": "http://127.0.0.1:3000" } },
});
