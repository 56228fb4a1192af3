import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { readPerson } from "./service/service-context.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/screens.css";
import "./styles/deep-search.css";
import "./styles/search.css";
import "./styles/product.css";
import "./styles/insights.css";
import "./styles/merchandising.css";
import "./styles/webhooks.css";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root to render into.");
const person = await readPerson();
createRoot(root).render(
  <StrictMode>
    <App person={person} />
  </StrictMode>,
);
