import { useEffect, useState } from "react";

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];
const storageKey = "product-search theme";

/** Follows the system until told otherwise. */
export function ThemeToggle() {
  const [theme, setTheme] = useState<Theme>(
    () => themes.find((one) => one === localStorage.getItem(storageKey)) ?? "auto",
  );
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    if (theme === "auto") localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, theme);
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  return (
    <button type="button" className="icon-button" onClick={() => setTheme(next)} title={`Theme: ${theme}`}>
      <span aria-hidden="true">{theme === "auto" ? "◐" : theme === "light" ? "☀" : "☾"}</span>
      <span className="visually-hidden">
        Theme: {theme}. Switch to {next}.
      </span>
    </button>
  );
}
