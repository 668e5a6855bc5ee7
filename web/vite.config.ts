import { defineConfig, type Plugin } from "vite";

// Classic scripts: modules are not loaded from file://, where an archive of the
// live view must work too.
const classicScript: Plugin = {
  name: "classic-script",
  enforce: "post",
  transformIndexHtml: (html) =>
    html
      .replace(/<script type="module" crossorigin/g, "<script defer")
      .replace(/<link rel="stylesheet" crossorigin/g, '<link rel="stylesheet"'),
};

export default defineConfig({
  base: "./",
  plugins: [classicScript],
  worker: { format: "iife" },
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    sourcemap: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        format: "iife",
        entryFileNames: "dagscope.js",
        assetFileNames: "dagscope[extname]",
      },
    },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8080", changeOrigin: true } } },
});
