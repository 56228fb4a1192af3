import { useState } from "react";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      setSaid("Copying failed: select the text instead");
    }
    setTimeout(() => setSaid(""), 2000);
  };
  return (
    <button type="button" className="small" onClick={copy}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
