/** Builds the pages into static files for the service: everything from its own address, nothing inline (strict CSP). */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `npm run dashboard`: pages with hot reload beside a service that runs on its usual port.
  server: { proxy: { "/api": "http://127.0.0.1:4318" } },
});
