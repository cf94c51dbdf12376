import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api.ts";
import { App } from "./app.tsx";
import { applyTheme } from "./state/theme.ts";
import "./styles/tokens.css";
import "./styles/base.css";

applyTheme();
createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
