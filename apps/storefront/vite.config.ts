import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** For servers that send files as they are. */
const compressed: Plugin = {
  name: "compressed",
  apply: (_config, { command, isSsrBuild }) => command === "build" && isSsrBuild !== true,
  async writeBundle({ dir = "" }, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.fileName === "index.html") continue;
      const content = file.type === "chunk" ? file.code : file.source;
      await writeFile(join(dir, `${file.fileName}.gz`), gzipSync(content, { level: 9 }));
    }
  },
};

/** The first paint and the first pictures wait for nothing else: the style sheet is in the page, the script comes later. */
const quickPaint: Plugin = {
  name: "quick-paint",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler: (html, { bundle = {} }) =>
      html
        .replace('<script type="module"', '$& fetchpriority="low"')
        .replace(/<link rel="stylesheet"[^>]* href="\/shop\/([^"]+)">/g, (link, path) => {
          const file = bundle[path];
          if (file?.type !== "asset") return link;
          delete bundle[path];
          return `<style>${file.source}</style>`;
        }),
  },
};

// The service serves the built page at /shop. For `vite dev`, start the service on its usual port beside it. With `--ssr`, the
// build is the module with which the service renders the search page.
export default defineConfig(({ isSsrBuild }) => ({
  base: "/shop/",
  plugins: [react(), quickPaint, compressed],
  resolve: { alias: { qs: fileURLToPath(new URL("src/query-string.ts", import.meta.url)) } },
  build: isSsrBuild
    ? { target: "node26", outDir: "dist/server", copyPublicDir: false, minify: true }
    : { target: "es2022", assetsInlineLimit: 0 },
  ...(isSsrBuild && { ssr: { noExternal: true }, define: { "process.env.NODE_ENV": '"production"' } }),
  server: { proxy: { "/api": "http://127.0.0.1:3000", "/images": "http://127.0.0.1:3000" } },
}));
