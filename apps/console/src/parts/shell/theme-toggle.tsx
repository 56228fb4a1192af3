import { useEffect, useState } from "react";
import { keep, readKept } from "../../service/kept.ts";
import { Icon } from "../icon.tsx";

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

/** Follows the system until told otherwise. */
export function ThemeToggle() {
  const [theme, setTheme] = useState<Theme>(() => themes.find((one) => one === readKept("theme")) ?? "auto");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    keep("theme", theme === "auto" ? undefined : theme);
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  return (
    <button type="button" className="icon-button" onClick={() => setTheme(next)} title={`Theme: ${theme}`}>
      <Icon name={theme} />
      <span className="visually-hidden">
        Theme: {theme}. Switch to {next}.
      </span>
    </button>
  );
}
